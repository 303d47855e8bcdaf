// Command decisions runs the study of package decisions in its full setting and writes its results.
package main

import (
	"context"
	"flag"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/studies/decisions"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

func main() {
	s := decisions.Full()
	sets := flag.String("sets", "", "`names` of the sets to run, separated by semicolons; none: all")
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each way")
	lab.Main("notebooks/studies/decisions/results.json", func(ctx context.Context, to lab.Output) error {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ";")
		}
		r, err := decisions.Run(ctx, s, func(done string) { lab.Progress("measured %s", done) })
		if err != nil {
			return err
		}
		return to.Store(r, "\t")
	})
}
