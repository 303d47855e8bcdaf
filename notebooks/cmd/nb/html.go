package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
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
		page := fs.out
		if page == "" {
			page = pageName(file)
		}
		if err := writePage(n, page, file); err != nil {
			fmt.Fprintln(stderr, err)
			worst = exitEnvironment
			continue
		}
		fmt.Fprintln(stdout, "wrote", page)
	}
	return worst
}

func writePage(n *nb.Notebook, page, file string) error {
	title := strings.TrimSuffix(filepath.Base(file), ".ipynb")
	return nb.WriteFileAtomic(page, func(w io.Writer) error {
		return nb.WriteHTML(w, n, nb.HTMLOptions{Title: title})
	})
}

func pageName(notebook string) string { return strings.TrimSuffix(notebook, ".ipynb") + ".html" }
