// Command unbounded runs the study of regression on rows without bounds and stores its results in the working tree.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/unbounded"
)

func main() {
	runs := flag.Int("runs", 5, "draws of each setting")
	lab.Main("notebooks/studies/unbounded/results.json", func(ctx context.Context, to lab.Output) error {
		r, err := unbounded.Run(ctx, unbounded.Config{Seed: 1, Runs: *runs, Data: os.Getenv("DPNB_DATA")})
		if err != nil {
			return err
		}
		return to.Store(r, " ")
	})
}
