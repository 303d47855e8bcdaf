package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

const runUsage = `nb run [flags] file.ipynb...

Runs the code cells of each notebook in order, in the notebook's folder, and stops at the first cell
that fails; a failing shell line (!command) fails its cell. Outputs go back into the file, the page
beside it (quickstart.ipynb, quickstart.html).

`

type runFlags struct {
	out, html         string
	noHTML, keepGoing bool
	quiet, verbose    bool
	timeout           time.Duration
}

func runCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var f runFlags
	fs := newFlagSet("run", runUsage, stderr)
	fs.StringVar(&f.out, "o", "", "write the notebook to this `file` instead of back (one notebook only)")
	fs.StringVar(&f.html, "html", "", "write the page to this `file` (one notebook only)")
	fs.BoolVar(&f.noHTML, "no-html", false, "write no page")
	fs.DurationVar(&f.timeout, "timeout", 10*time.Minute, "longest time for one cell, 0 for no limit")
	fs.BoolVar(&f.keepGoing, "keep-going", false, "run the cells after a failed one")
	fs.BoolVar(&f.quiet, "q", false, "print no output of the cells")
	fs.BoolVar(&f.verbose, "v", false, "print all output of the cells")
	files, code, ok := parse(fs, args, stderr)
	if !ok {
		return code
	}
	switch {
	case len(files) > 1 && (f.out != "" || f.html != ""):
		return misuse(stderr, "-o and -html take one notebook, got %d", len(files))
	case f.noHTML && f.html != "":
		return misuse(stderr, "-html and -no-html exclude each other")
	case f.timeout < 0:
		return misuse(stderr, "-timeout: got %v, want 0 or more", f.timeout)
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
	p := newProgress(stdout, f.quiet, f.verbose)
	timeout := f.timeout
	if timeout == 0 {
		timeout = -1
	}
	report, err := nb.Run(ctx, n, nb.RunOptions{
		Dir: filepath.Dir(file), Timeout: timeout, KeepGoing: f.keepGoing, Progress: p.event,
	})
	p.clearStatus()
	code := exitStatus(report, err)
	if err != nil {
		fmt.Fprintf(stderr, "nb: %s: %s\n", file, indent(strings.ReplaceAll(err.Error(), "nb: ", "")))
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

func exitStatus(report *nb.Report, err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, nb.ErrNoCode), errors.Is(err, nb.ErrLanguage):
		return exitUsage
	case report.Start == 0 && errors.Is(err, nb.ErrKernel):
		return exitEnvironment
	}
	return exitCell
}

func summary(report *nb.Report) string {
	ran := 0
	for _, c := range report.Cells {
		if c.Status != nb.Skipped {
			ran++
		}
	}
	return fmt.Sprintf("%d of %d cells ran, %d failed", ran, len(report.Cells), report.Failed)
}

// indent sets the lines after the first off from it.
func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n    ") }

func newFlagSet(name, usage string, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprint(stderr, usage)
		fs.PrintDefaults()
	}
	return fs
}

// parse returns the files of the command line. ok is false where code is the exit status already.
func parse(fs *flag.FlagSet, args []string, stderr io.Writer) (files []string, code int, ok bool) {
	for { // flags may also follow files
		if err := fs.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, exitOK, false
		} else if err != nil {
			return nil, exitUsage, false
		}
		if args = fs.Args(); len(args) == 0 {
			break
		}
		files, args = append(files, args[0]), args[1:]
	}
	if len(files) == 0 {
		return nil, misuse(stderr, "%s: no notebook given, want nb %s file.ipynb", fs.Name(), fs.Name()), false
	}
	return files, exitOK, true
}

func misuse(stderr io.Writer, format string, args ...any) int {
	fmt.Fprintf(stderr, "nb: "+format+"\n", args...)
	return exitUsage
}
