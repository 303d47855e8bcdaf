// Command preprocessing runs the study of PCA before private logistic regression and stores its results in the working tree.
package main

import (
	"context"
	"flag"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing"
)

func main() {
	s := preprocessing.Full()
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each method at each ε")
	flag.IntVar(&s.Wide, "wide", s.Wide, "the same on the wide rows")
	lab.Main("notebooks/studies/preprocessing/results.json", func(ctx context.Context, to lab.Output) error {
		r, err := preprocessing.Run(ctx, s, func(columns int, c preprocessing.Cell) {
			lab.Progress("%d columns, %-30s clip %-5g ε = %-4g excess %.4g ± %.2g, accuracy %.4f, noise × %.4g, %s", columns, c.Method, c.Clip, c.Epsilon, c.Excess, c.ExcessSE, c.Right, c.Noise, c.Scope)
		})
		if err != nil {
			return err
		}
		return to.Store(r, " ")
	})
}
