package main

import (
	"context"
	"fmt"
	"io"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

const cleanUsage = `nb clean [flags] file.ipynb...

Removes execution counts, times and the state of views from each notebook: what changes with every run
and says nothing. The outputs stay.

`

func cleanCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("clean", cleanUsage, stderr)
	outputs := fs.Bool("outputs", false, "remove the outputs too")
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	worst := exitOK
	for _, file := range files {
		n, err := nb.ReadFile(file)
		if err != nil {
			fmt.Fprintln(stderr, err)
			worst = max(worst, exitUsage)
			continue
		}
		if !n.Clean(*outputs) {
			continue
		}
		if err := n.WriteFile(file); err != nil {
			fmt.Fprintln(stderr, err)
			worst = exitEnvironment
			continue
		}
		fmt.Fprintln(stdout, "cleaned", file)
	}
	return worst
}
