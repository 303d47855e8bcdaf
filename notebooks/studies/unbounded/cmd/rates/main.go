// Command rates runs the study of how errors grow with rows, columns, condition number, distance of the mean and ε, and
// stores its results in the working tree.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"

	"github.com/dpkit-go/dpnb/notebooks/studies/unbounded"
)

func main() {
	out := flag.String("o", "notebooks/studies/unbounded/rates.json", "`file` to write")
	runs := flag.Int("runs", 7, "draws of each setting")
	flag.Parse()
	if err := run(*out, *runs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string, runs int) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r, err := unbounded.RunRates(ctx, 1, runs, func(done string) { fmt.Fprintln(os.Stderr, "measured", done) })
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
