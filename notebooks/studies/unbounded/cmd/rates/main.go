// Command rates runs the study of how errors grow with rows, columns, condition number, distance of the mean and ε, and
// stores its results in the working tree.
package main

import (
	"context"
	"flag"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/unbounded"
)

func main() {
	runs := flag.Int("runs", 7, "draws of each setting")
	lab.Main("notebooks/studies/unbounded/rates.json", func(ctx context.Context, to lab.Output) error {
		r, err := unbounded.RunRates(ctx, 1, *runs, func(done string) { lab.Progress("measured %s", done) })
		if err != nil {
			return err
		}
		return to.Store(r, " ")
	})
}
