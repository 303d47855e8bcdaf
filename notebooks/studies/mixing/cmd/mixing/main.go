// Command mixing runs the study of package mixing in its full setting and writes its results.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/studies/mixing"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	s := mixing.Full()
	out := flag.String("o", "notebooks/studies/mixing/results.json", "`file` to write")
	sets := flag.String("sets", "", "`names` of the sets to run, separated by semicolons; none: all")
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each method at each ε")
	flag.IntVar(&s.Large, "large", s.Large, "the same on the simulated sets")
	flag.IntVar(&s.Slow, "slow", s.Slow, "the same there for AdaSSP of dpkit")
	flag.Parse()
	if *sets != "" {
		s.Sets = strings.Split(*sets, ";")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := mixing.Run(ctx, s, func(name string) { fmt.Fprintln(os.Stderr, "measured", name) })
	if err != nil {
		return err
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	return os.WriteFile(*out, append(raw, '\n'), 0o644)
}
