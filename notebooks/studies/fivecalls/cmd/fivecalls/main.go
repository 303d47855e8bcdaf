// Command fivecalls runs the study of package fivecalls in its full setting and writes its results.
package main

import (
	"context"
	"flag"

	"github.com/dpkit-go/dpnb/notebooks/studies/fivecalls"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

func main() {
	s := fivecalls.Full()
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each way")
	lab.Main("notebooks/studies/fivecalls/results.json", func(ctx context.Context, to lab.Output) error {
		r, err := fivecalls.Run(ctx, s)
		if err != nil {
			return err
		}
		return to.Store(r, "\t")
	})
}
