// Command relativegaussian runs the full study and stores its results in the package's folder.
package main

import (
	"context"
	"flag"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/relativegaussian"
)

func main() {
	s := relativegaussian.Full()
	flag.IntVar(&s.Runs, "runs", s.Runs, "runs of every method")
	flag.IntVar(&s.Steps, "steps", s.Steps, "steps of every run")
	flag.IntVar(&s.Limit, "limit", s.Limit, "rows to use, 0 for all")
	lab.Main("notebooks/studies/relativegaussian/results.json", func(ctx context.Context, to lab.Output) error {
		r, err := relativegaussian.Run(ctx, s)
		if err != nil {
			return err
		}
		if err := to.Store(r, ""); err != nil {
			return err
		}
		for _, p := range r.Panels {
			describe(p)
		}
		return nil
	})
}

// describe says what a panel's nodes settled and what its methods reached.
func describe(p relativegaussian.Panel) {
	lab.Progress("%s, ε = %g, %s: from %.3g, gradient %.3g", p.Split, p.Epsilon, p.Constants, p.Start, p.Distance)
	for _, n := range p.Nodes {
		lab.Progress("  n = %d, c = %.3g, η = %.3g, R = %.3g, γ = %.3g, σ = %.3g %s", n.Rows, n.Clip, n.Relative.Eta, n.Relative.Absolute, n.Relative.Gamma, n.Relative.Base, n.Refused)
		if n.Whitened != nil {
			lab.Progress("    whitened: %+v", *n.Whitened)
		}
	}
	for _, c := range p.Curves {
		lab.Progress("  %-20s %.4g", c.Method, c.Final())
	}
}
