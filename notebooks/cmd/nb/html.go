package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/page"
)

const htmlUsage = `nb html [flags] file.ipynb...

Writes each notebook as a web page beside it (quickstart.html), with the outputs that it holds.
Where they show releases or ledgers, the page begins with what these cost: dataset, release, ε, δ, relation,
scope, and whether it was charged or replayed.

`

func htmlCommand(_ context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("html", htmlUsage, stderr)
	fs.share("o", "page to this `file`")
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
		out := fs.out
		if out == "" {
			out = pageName(file)
		}
		if err := writePage(n, out, file); err != nil {
			fmt.Fprintln(stderr, err)
			worst = exitEnvironment
			continue
		}
		fmt.Fprintln(stdout, "wrote", out)
	}
	return worst
}

// writePage renders a notebook, which was read from file, to out.
func writePage(n *nb.Notebook, out, file string) error {
	title := strings.TrimSuffix(filepath.Base(file), ".ipynb")
	return nb.WriteFileAtomic(out, func(w io.Writer) error {
		return page.Render(w, n, page.Options{Title: title})
	})
}

func pageName(notebook string) string { return strings.TrimSuffix(notebook, ".ipynb") + ".html" }
