// Command relativegaussian runs the full study and stores its results in the package's folder.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/relativegaussian"
)

func main() {
	log.SetFlags(0)
	out := flag.String("o", "notebooks/studies/relativegaussian/results.json", "file to write")
	s := relativegaussian.Full()
	flag.IntVar(&s.Runs, "runs", s.Runs, "runs of every method")
	flag.IntVar(&s.Steps, "steps", s.Steps, "steps of every run")
	flag.IntVar(&s.Limit, "limit", s.Limit, "rows to use, 0 for all")
	flag.Parse()
	r, err := relativegaussian.Run(context.Background(), s)
	if err != nil {
		log.Fatal(err)
	}
	text, err := json.Marshal(r)
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, append(text, '\n'), 0o644); err != nil {
		log.Fatal(err)
	}
	for _, p := range r.Panels {
		log.Printf("%s, ε = %g, %s: from %.3g, gradient %.3g", p.Split, p.Epsilon, p.Constants, p.Start, p.Distance)
		for _, n := range p.Nodes {
			log.Printf("  n = %d, c = %.3g, η = %.3g, R = %.3g, γ = %.3g, σ = %.3g %s", n.Rows, n.Clip, n.Relative.Eta, n.Relative.Absolute, n.Relative.Gamma, n.Relative.Base, n.Refused)
			if n.Whitened != nil {
				log.Printf("    whitened: %+v", *n.Whitened)
			}
		}
		for _, c := range p.Curves {
			log.Printf("  %-20s %.4g", c.Method, c.Final())
		}
	}
}
