// Command mixing runs the study of package mixing in its full setting and writes its results.
package main

import (
	"context"
	"flag"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/mixing"
)

func main() {
	s := mixing.Full()
	sets := flag.String("sets", "", "`names` of the sets to run, separated by semicolons; none: all")
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each method at each ε")
	flag.IntVar(&s.Large, "large", s.Large, "the same on the simulated sets")
	flag.IntVar(&s.Slow, "slow", s.Slow, "the same there for AdaSSP of dpkit")
	lab.Main("notebooks/studies/mixing/results.json", func(ctx context.Context, to lab.Output) error {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ";")
		}
		r, err := mixing.Run(ctx, s, func(name string) { lab.Progress("measured %s", name) })
		if err != nil {
			return err
		}
		return to.Store(r, "")
	})
}
