// Command preprocessing runs the study of PCA before private logistic regression and stores its results in the working tree.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/preprocessing"
)

func main() {
	s := preprocessing.Full()
	out := flag.String("o", "notebooks/studies/preprocessing/results.json", "file to write")
	flag.IntVar(&s.Releases, "releases", s.Releases, "releases of each method at each ε")
	flag.IntVar(&s.Wide, "wide", s.Wide, "the same on the wide rows")
	flag.Parse()
	if err := run(*out, s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string, s preprocessing.Settings) error {
	r, err := preprocessing.Run(context.Background(), s, func(columns int, c preprocessing.Cell) {
		fmt.Fprintf(os.Stderr, "%d columns, %-30s clip %-5g ε = %-4g excess %.4g ± %.2g, accuracy %.4f, noise × %.4g, %s\n", columns, c.Method, c.Clip, c.Epsilon, c.Excess, c.ExcessSE, c.Right, c.Noise, c.Scope)
	})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
