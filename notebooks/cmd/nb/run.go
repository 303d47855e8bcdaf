package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/token"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

const runUsage = `nb run [flags] file.ipynb...

Runs the code cells of each notebook in order, in the notebook's folder, and stops at the first cell
that fails; a failing shell line (!command) fails its cell. Outputs go back into the file, the page
beside it (quickstart.ipynb, quickstart.html).

A parameter is a constant or variable of a cell with the tag "parameters": const epsilon = 1, or
epsilon := 1 below %%. -p epsilon=0.5 rewrites that cell before the run, so that the stored notebook
says what its outputs are of; -o keeps the original as it is.

Ctrl-C interrupts the running cell, stores what there is and stops; a second one stops at once. With
-keep-going a kernel that died is started again and told the declarations of the cells before. A cell
that asks for input is refused: nobody is there to answer.

Exit status: 0 all cells succeeded, 1 a cell failed or was stopped, 2 wrong use, a file that is no Go
notebook or a parameter that it does not have, 3 no kernel, or a file could not be written.

`

type runFlags struct {
	common
	html              string
	noHTML, keepGoing bool
	jobs              int
	parameters        map[string]string
}

func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := runFlags{parameters: map[string]string{}}
	fs := newFlagSet("run", runUsage, stderr)
	fs.share("o", "notebook to this `file` instead of back")
	fs.one(&f.html, "html", "write the page to this `file`")
	fs.BoolVar(&f.noHTML, "no-html", false, "write no page")
	fs.Func("p", "set a parameter, `name=value`; may be given again for another one", f.parameter)
	fs.IntVar(&f.jobs, "j", 1, "run this many notebooks at a time")
	fs.share("timeout", "")
	fs.BoolVar(&f.keepGoing, "keep-going", false, "run the cells after a failed one")
	fs.share("q", "cells")
	fs.share("v", "cells")
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	f.common = fs.common
	switch {
	case f.noHTML && f.html != "":
		return misuse(stderr, "-html and -no-html exclude each other")
	case f.jobs < 1:
		return misuse(stderr, "-j: got %d, want 1 or more", f.jobs)
	}
	if f.jobs > 1 && len(files) > 1 {
		return runParallel(ctx, files, f, stdout, stderr)
	}
	worst := exitOK
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		if len(files) > 1 {
			fmt.Fprintf(stdout, "%s\n", file)
		}
		worst = max(worst, runFile(ctx, file, f, stdout, stderr))
	}
	return worst
}

// parameter takes one name=value.
func (f *runFlags) parameter(s string) error {
	name, value, ok := strings.Cut(s, "=")
	name = strings.TrimSpace(name)
	if !ok || !token.IsIdentifier(name) {
		return errors.New("want name=value, such as epsilon=0.5")
	}
	if _, again := f.parameters[name]; again {
		return fmt.Errorf("%s is given twice", name)
	}
	f.parameters[name] = value
	return nil
}

func runFile(ctx context.Context, file string, f runFlags, stdout, stderr io.Writer) int {
	before, err := os.ReadFile(file)
	if err != nil {
		fmt.Fprintln(stderr, "nb: cannot read the notebook:", err)
		return exitUsage
	}
	n, err := nb.Parse(file, before)
	if err != nil {
		fmt.Fprintln(stderr, err)
		return exitUsage
	}
	if err := nb.SetParameters(n, f.parameters); err != nil {
		complain(stderr, file, err)
		return exitUsage
	}
	p := newProgress(stdout, f.quiet, f.verbose)
	report, err := kernel.Run(ctx, n, kernel.Options{
		Dir: filepath.Dir(file), Timeout: f.limit(), KeepGoing: f.keepGoing, Progress: p.event,
	})
	p.clearStatus()
	code := exitStatus(report, err)
	if err != nil {
		complain(stderr, file, err)
	}
	if report.Start == 0 { // nothing ran, so there is nothing to store
		return code
	}

	written, err := store(n, file, before, f)
	if err != nil {
		fmt.Fprintln(stderr, err)
		code = max(code, exitEnvironment)
	}
	fmt.Fprintf(stdout, "%s in %s", summary(report), seconds(report.Total))
	if len(written) > 0 {
		fmt.Fprintf(stdout, ", wrote %s", strings.Join(written, ", "))
	}
	fmt.Fprintln(stdout)
	return code
}

// store writes the notebook and its page and returns what it wrote.
func store(n *nb.Notebook, file string, before []byte, f runFlags) (written []string, err error) {
	out := f.out
	if out == "" {
		out = file
		if now, err := os.ReadFile(file); err != nil || !bytes.Equal(now, before) {
			return nil, fmt.Errorf("nb: %s changed while it ran: it is left as it is; run it again, or use -o", file)
		}
	}
	if err := n.WriteFile(out); err != nil {
		return nil, err
	}
	written = append(written, out)
	if f.noHTML {
		return written, nil
	}
	page := f.html
	if page == "" {
		page = pageName(out)
	}
	if err := writePage(n, page, file); err != nil {
		return written, err
	}
	return append(written, page), nil
}

func exitStatus(report *kernel.Report, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, kernel.ErrNoCode), errors.Is(err, kernel.ErrLanguage), errors.Is(err, kernel.ErrTimeLimit):
		return exitUsage
	case report.Start == 0 && errors.Is(err, kernel.ErrUnavailable):
		return exitEnvironment
	}
	return exitCell
}

func summary(report *kernel.Report) string {
	ran := 0
	for _, c := range report.Cells {
		if c.Status != kernel.Skipped {
			ran++
		}
	}
	return fmt.Sprintf("%d of %d cells ran, %d failed", ran, len(report.Cells), report.Failed)
}
