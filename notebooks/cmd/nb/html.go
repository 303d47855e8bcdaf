package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

const htmlUsage = `nb html [flags] file.ipynb...

Writes each notebook as a web page beside it (quickstart.html), with the outputs that it holds.

`

func htmlCommand(args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("html", htmlUsage, stderr)
	out := fs.String("o", "", "write the page to this `file` (one notebook only)")
	files, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if len(files) > 1 && *out != "" {
		return misuse(stderr, "-o takes one notebook, got %d", len(files))
	}
	worst := exitOK
	for _, file := range files {
		n, err := nb.ReadFile(file)
		if err != nil {
			fmt.Fprintln(stderr, err)
			worst = max(worst, exitUsage)
			continue
		}
		page := *out
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
