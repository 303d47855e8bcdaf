package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

const exportUsage = `nb export [flags] file.ipynb...

Writes each notebook as a Go package of tests, into a folder beside it (quickstart.ipynb, quickstart/):
each cell that runs becomes a test that compares what it prints with the stored output. Run them with
go test. Inside the notebook's module the package is a part of it, elsewhere a module of its own.

Comments in a cell direct its test: //| skip, //| eval: false, //| slow, //| test, //| name: some words,
//| output: exact, unordered, ignore, contains TEXT, regexp RE or approx=1e-6, //| exit: 3,
//| timeout: 30s, //| seed: 42.

`

func exportCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("export", exportUsage, stderr)
	out := fs.String("o", "", "write the package to this `folder` (one notebook only)")
	files, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if len(files) > 1 && *out != "" {
		return misuse(stderr, "-o takes one notebook, got %d", len(files))
	}
	worst := exitOK
	for _, file := range files {
		dir := *out
		if dir == "" {
			dir = strings.TrimSuffix(file, ".ipynb")
		}
		p, err := exportFile(ctx, file, dir, false)
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

// exportFile writes the package of a notebook to dir, as a module of its own where that is asked for or
// where dir is outside the notebook's module.
func exportFile(ctx context.Context, file, dir string, own bool) (*export.Package, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("nb: cannot read the notebook: %w", err)
	}
	n, err := nb.Parse(file, data)
	if err != nil {
		return nil, err
	}
	if dir == file {
		return nil, fmt.Errorf("nb: the name of the notebook does not end in .ipynb: choose a folder with -o")
	}
	location, err := locate(file, dir, own)
	if err != nil {
		return nil, err
	}
	source := filepath.Dir(file)
	p, err := export.Notebook(n, export.Options{
		Name: filepath.Base(file), Data: data, Path: location, PackageNames: export.PackageNames(ctx, source),
	})
	if err != nil {
		return nil, err
	}
	if err := p.WriteDir(dir); err != nil {
		return nil, err
	}
	if !own {
		inside, err := export.InModule(ctx, dir, source)
		if inside || err != nil {
			return p, err
		}
	}
	return p, export.WriteModule(ctx, n, dir, source)
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

const testUsage = `nb test [flags] file.ipynb...

Exports each notebook to a temporary folder and runs the tests: every cell in a process of its own, in a
copy of the notebook's folder. Neither the notebook nor its ledgers and data are touched. See nb help
export for the comments that direct a test.

`

func testCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("test", testUsage, stderr)
	run := fs.String("run", "", "run only the tests that match this `regexp`, such as TestCell05")
	keep := fs.String("keep", "", "write the package to this `folder` and leave it there (one notebook only)")
	verbose := fs.Bool("v", false, "print what the tests print, also of those that pass")
	files, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	if len(files) > 1 && *keep != "" {
		return misuse(stderr, "-keep takes one notebook, got %d", len(files))
	}
	worst := exitOK
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		worst = max(worst, testFile(ctx, file, testFlags{*run, *keep, *verbose}, stdout, stderr))
	}
	return worst
}

type testFlags struct {
	run, keep string
	verbose   bool
}

func testFile(ctx context.Context, file string, f testFlags, stdout, stderr io.Writer) int {
	fmt.Fprintln(stdout, file)
	dir := f.keep
	if dir == "" {
		tmp, err := os.MkdirTemp("", "nb-test-")
		if err != nil {
			fmt.Fprintln(stderr, "nb:", err)
			return exitEnvironment
		}
		defer os.RemoveAll(tmp)
		dir = tmp
	}
	began := time.Now()
	p, err := exportFile(ctx, file, dir, true)
	if err != nil {
		return exportFailure(stderr, file, err)
	}
	for _, n := range p.Notes {
		fmt.Fprintf(stdout, "  %s\n", n)
	}
	report, err := export.Test(ctx, p, dir, export.TestOptions{Run: f.run, Done: func(t export.TestResult) {
		printTest(t, file, f.verbose, stdout, stderr)
	}})
	if err != nil {
		fmt.Fprintf(stderr, "nb: %s: %s\n", file, strings.TrimPrefix(err.Error(), "nb: "))
		if errors.Is(err, export.ErrModule) {
			return exitEnvironment
		}
		return exitCell
	}
	if report.Build != "" {
		fmt.Fprintf(stderr, "nb: %s: %s\n    %s\n", file, headlineOf(report.Where, "the tests do not build"), indent(report.Build))
		return exitCell
	}
	fmt.Fprintf(stdout, "%d tests, %d failed, %d skipped in %s\n", len(report.Tests), report.Failed, len(report.Tests)-report.Ran, seconds(time.Since(began)))
	if report.Failed > 0 {
		return exitCell
	}
	return exitOK
}

func printTest(t export.TestResult, file string, verbose bool, stdout, stderr io.Writer) {
	status := map[string]string{"pass": "ok", "fail": "FAILED", "skip": "skipped"}[t.Status]
	name := t.Name
	if t.Epoch != "" {
		name = t.Epoch + "/" + name
	}
	fmt.Fprintf(stdout, "  %-8s%s  %s\n", status, seconds(t.Elapsed), name)
	switch {
	case t.Status == "fail":
		text := t.Output
		for _, prefix := range []string{t.Where.String(), export.Position{Cell: t.Where.Cell}.String()} {
			text = strings.TrimPrefix(text, prefix+": ")
		}
		fmt.Fprintf(stderr, "nb: %s: %s\n", file, headlineOf(t.Where, indent(text)))
	case t.Output != "" && (verbose || t.Status == "skip"):
		fmt.Fprintf(stdout, "    %s\n", indent(t.Output))
	}
}

func headlineOf(where export.Position, text string) string {
	if where.Cell == 0 {
		return text
	}
	return where.String() + ": " + text
}
