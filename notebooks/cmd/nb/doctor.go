package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
)

const doctorUsage = `nb doctor [flags] [folder]

Looks at what notebooks in the folder (the current one) need, and prints for everything that is missing
the command that mends it. nb itself needs Go, the kernel as a tool of a module, and a module that finds
this project; Jupyter, its kernel and the helpers goimports and gopls are for those who work in a browser
or in VS Code, and -jupyter counts them too.

Exit status: 0 nothing needed is missing, 1 something is, 2 wrong use.

`

// finding is what doctor says about one thing.
type finding struct {
	what   string
	says   string
	mend   string // command, or a place to get it; "" where nothing is missing
	needed bool   // by nb itself
}

func doctorCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("doctor", doctorUsage, stderr)
	jupyter := fs.Bool("jupyter", false, "what Jupyter needs is needed")
	words, code, ok := fs.parse(args)
	if !ok {
		return code
	}
	if len(words) > 1 {
		return misuse(stderr, "doctor: got %d folders, want one", len(words))
	}
	dir := cmp.Or(append(words, ".")...)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return misuse(stderr, "doctor: %s is not a folder", dir)
	}
	missing := 0
	for _, f := range examine(ctx, dir) {
		state := "ok"
		switch {
		case f.mend != "" && (f.needed || *jupyter):
			state = "MISSING"
			missing++
		case f.mend != "":
			state = "advice"
		}
		fmt.Fprintf(stdout, "%-8s %-12s %s\n", state, f.what, indent(f.says))
		if f.mend != "" {
			fmt.Fprintf(stdout, "%21s %s\n", "mend:", f.mend)
		}
	}
	if ctx.Err() != nil {
		fmt.Fprintln(stderr, "nb: doctor: interrupted")
		return exitCell
	}
	if missing > 0 {
		fmt.Fprintf(stdout, "%d missing\n", missing)
		return exitCell
	}
	fmt.Fprintln(stdout, "nothing that is needed is missing")
	return exitOK
}
