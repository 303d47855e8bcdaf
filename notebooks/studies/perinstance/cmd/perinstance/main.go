// Command perinstance runs the study and the comparison with the report as printed, and writes their results.
package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/perinstance"
)

func main() {
	printed := flag.Bool("printed", false, "run the comparison alone")
	lab.Main("notebooks/studies/perinstance", func(ctx context.Context, folder lab.Output) error {
		if os.Getenv("DPNB_DATA") == "" {
			return errors.New("DPNB_DATA is not set: there are no real files")
		}
		if !*printed {
			r, err := perinstance.Run(ctx, perinstance.Full())
			if err != nil {
				return err
			}
			if err := folder.In("results.json").Store(r, "\t"); err != nil {
				return err
			}
		}
		// It takes the noise of its releases from the stored results, which are those that this program was built with.
		r, err := perinstance.RunPrinted(ctx, perinstance.FullPrinted())
		if err != nil {
			return err
		}
		return folder.In("printed.json").Store(r, "")
	})
}
