package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

const newUsage = `nb new file.ipynb...

Writes a notebook whose first cell lets the others import the module around its folder; outside of a
module it fetches this project. A file that exists is left alone.

`

func newCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("new", newUsage, stderr)
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	worst := exitOK
	for _, file := range files {
		if err := newFile(ctx, file); err != nil {
			complain(stderr, file, err)
			worst = max(worst, exitUsage)
			continue
		}
		fmt.Fprintln(stdout, "wrote", file)
	}
	return worst
}

func newFile(ctx context.Context, file string) error {
	if !strings.HasSuffix(file, ".ipynb") {
		return errors.New("want a name that ends in .ipynb")
	}
	if _, err := os.Lstat(file); err == nil {
		return errors.New("the file exists: choose another name")
	}
	n, err := export.NewNotebook(ctx, strings.TrimSuffix(filepath.Base(file), ".ipynb"), filepath.Dir(file))
	if err != nil {
		return err
	}
	return n.WriteFile(file)
}
