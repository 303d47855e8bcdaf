package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

const exportUsage = `nb export [flags] file.ipynb...

Writes each notebook as a Go package of tests, into a folder beside it (quickstart.ipynb, quickstart/):
each cell that runs becomes a test that compares what it prints with the stored output. Run them with
go test. Inside the notebook's module the package is a part of it; elsewhere it is a module of its own, which
builds against the folder of the notebook's module or, with -module, against released versions. The first
lines of the code hold the SHA-256 of the notebook.

Comments in a cell direct its test: //| skip, //| eval: false, //| slow, //| test, //| name: some words,
//| output: exact, unordered, ignore, contains TEXT, regexp RE or approx=1e-6, //| exit: 3,
//| timeout: 30s, //| seed: 42, //| exercise: name (see nb help exercises).

`

func exportCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("export", exportUsage, stderr)
	fs.share("o", "package to this `folder`")
	var released []string
	fs.Func("module", "build against this released module, `path@version`; may be given again for another one", func(s string) error {
		if path, version, ok := strings.Cut(s, "@"); !ok || path == "" || version == "" {
			return fmt.Errorf("want path@version, such as github.com/dpkit-go/dpnb@v0.1.0")
		}
		released = append(released, s)
		return nil
	})
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	worst := exitOK
	for _, file := range files {
		dir := fs.out
		if dir == "" {
			dir = strings.TrimSuffix(file, ".ipynb")
		}
		p, err := exportFile(ctx, file, dir, placement{released: released})
		if err != nil {
			worst = max(worst, exportFailure(stderr, file, err))
			continue
		}
		for _, n := range p.Notes {
			fmt.Fprintf(stdout, "%s: %s\n", file, n)
		}
		fmt.Fprintf(stdout, "wrote %s: %d tests\n", dir, p.Tests)
	}
	return worst
}

// placement says what an export builds against.
type placement struct {
	own      bool     // always a module of its own, that may lie anywhere
	released []string // path@version: these, and not the folder of the notebook's module

	change func(*nb.Notebook) error // made to the notebook first; may be nil
	names  packageNames             // known so far; may be nil
}

// exportFile writes the package of a notebook to dir, as a module of its own where that is asked for or
// where dir is outside the notebook's module.
func exportFile(ctx context.Context, file, dir string, at placement) (*export.Package, error) {
	n, p, err := exported(ctx, file, dir, at)
	if err != nil {
		return nil, err
	}
	if err := p.WriteDir(dir); err != nil {
		return nil, err
	}
	source := filepath.Dir(file)
	if len(at.released) > 0 {
		return p, export.WriteReleasedModule(ctx, n, dir, at.released)
	}
	if !at.own {
		inside, err := export.InModule(ctx, dir, source)
		if inside || err != nil {
			return p, err
		}
	}
	return p, export.WriteModule(ctx, n, dir, source)
}

// exported reads a notebook and makes its package, which is to be written to dir.
func exported(ctx context.Context, file, dir string, at placement) (*nb.Notebook, *export.Package, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, nil, fmt.Errorf("nb: cannot read the notebook: %w", err)
	}
	n, err := nb.Parse(file, data)
	if err != nil {
		return nil, nil, err
	}
	if at.change != nil {
		if err := at.change(n); err != nil {
			return nil, nil, err
		}
	}
	if dir == file {
		return nil, nil, fmt.Errorf("nb: the name of the notebook does not end in .ipynb: choose a folder with -o")
	}
	location, err := locate(file, dir, at.own)
	if err != nil {
		return nil, nil, err
	}
	p, err := export.Notebook(n, export.Options{
		Name: filepath.Base(file), Data: data, Path: location, PackageNames: at.names.of(ctx, filepath.Dir(file)),
	})
	return n, p, err
}

// locate returns the way from the package to the notebook: relative where the package stays.
func locate(file, dir string, absolute bool) (string, error) {
	notebook, err := filepath.Abs(file)
	if err != nil || absolute {
		return filepath.ToSlash(notebook), err
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return "", err
	}
	location, err := filepath.Rel(dir, notebook)
	if err != nil {
		location = notebook // on another disk
	}
	return filepath.ToSlash(location), nil
}

func exportFailure(stderr io.Writer, file string, err error) int {
	for line := range strings.Lines(err.Error()) {
		if after, ok := strings.CutPrefix(line, "nb: cell "); ok {
			line = "nb: " + file + ": cell " + after
		}
		fmt.Fprintln(stderr, strings.TrimRight(line, "\n"))
	}
	if errors.Is(err, export.ErrModule) {
		return exitEnvironment
	}
	return exitUsage
}
