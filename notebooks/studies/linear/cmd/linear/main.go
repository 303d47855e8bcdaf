// Command linear runs the study of package linear in its full setting and writes its results.
package main

import (
	"context"
	"flag"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/linear"
)

func main() {
	s := linear.Full()
	sets := flag.String("sets", "", "`names` of the sets to run, separated by semicolons; none: all")
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each method of linear regression at each ε")
	flag.IntVar(&s.LogisticReleases, "logistic", s.LogisticReleases, "releases of each method of logistic regression at each ε")
	flag.IntVar(&s.Large, "large", s.Large, "the same on the two large sets")
	lab.Main("notebooks/studies/linear/results.json", func(ctx context.Context, to lab.Output) error {
		if *sets != "" {
			s.Sets = strings.Split(*sets, ";")
		}
		r, err := linear.Run(ctx, s, func(name string) { lab.Progress("measured %s", name) })
		if err != nil {
			return err
		}
		return to.Store(r, "\t")
	})
}
