// Command unbounded runs the study of regression on rows without bounds and stores its results in the working tree.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"

	"github.com/dpkit-go/dpnb/notebooks/studies/unbounded"
)

func main() {
	out := flag.String("o", "notebooks/studies/unbounded/results.json", "file to write")
	runs := flag.Int("runs", 5, "draws of each setting")
	flag.Parse()
	if err := run(*out, *runs); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out string, runs int) error {
	r, err := unbounded.Run(context.Background(), unbounded.Config{Seed: 1, Runs: runs, Data: os.Getenv("DPNB_DATA")})
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}
