package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
)

const testUsage = `nb test [flags] file.ipynb...

Exports each notebook to a temporary folder and runs the tests: every cell in a process of its own, in a
copy of the notebook's folder. Neither the notebook nor its ledgers and data are touched. See nb help
export for the comments that direct a test.

Ledgers replay: releases that the notebook made come back, and any other is refused; a ledger that is gone is
missed, as by nb run. Where there is no ledger yet, noise is drawn against a budget that is thrown away, each
time anew, and what the cells print is compared and not shown: run a notebook on private rows before you
test it.

Several notebooks of one module that follow each other are built by one run of go test, in less time than one
by one; each is told of as its tests end.

`

func testCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("test", testUsage, stderr)
	run := fs.String("run", "", "run only the tests that match this `regexp`, such as TestCell05")
	var keep string
	fs.one(&keep, "keep", "write the package to this `folder` and leave it there")
	fs.share("v", "tests, also of those that pass")
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	flags := testFlags{*run, keep, fs.verbose}
	if len(files) == 1 {
		return testFile(ctx, files[0], flags, stdout, stderr)
	}
	return testFiles(ctx, files, flags, stdout, stderr)
}

type testFlags struct {
	run, keep string
	verbose   bool
}

// testFiles tests several notebooks, and tells of each as it ends.
func testFiles(ctx context.Context, files []string, f testFlags, stdout, stderr io.Writer) (worst int) {
	var list []*trial
	for _, file := range files {
		list = append(list, &trial{file: file})
	}
	began := time.Now()
	testTrials(ctx, list, export.TestOptions{Run: f.run}, func(t *trial) {
		fmt.Fprintln(stdout, t.file)
		noteFreshLedger(stdout, t.file)
		if t.p == nil {
			worst = max(worst, exportFailure(stderr, t.file, t.err))
			return
		}
		printNotes(stdout, t.p)
		if t.report != nil {
			for _, r := range t.report.Tests {
				printTest(r, t.file, f.verbose, stdout, stderr)
			}
		}
		worst = max(worst, testOutcome(t.file, t.report, t.err, time.Since(began), stdout, stderr))
		began = time.Now()
	})
	if ctx.Err() != nil {
		worst = max(worst, exitCell)
	}
	return worst
}

func printNotes(stdout io.Writer, p *export.Package) {
	for _, n := range p.Notes {
		fmt.Fprintf(stdout, "  %s\n", n)
	}
}

func testFile(ctx context.Context, file string, f testFlags, stdout, stderr io.Writer) int {
	fmt.Fprintln(stdout, file)
	noteFreshLedger(stdout, file)
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
	p, err := exportFile(ctx, file, dir, placement{own: true})
	if err != nil {
		return exportFailure(stderr, file, err)
	}
	printNotes(stdout, p)
	report, err := export.Test(ctx, p, dir, export.TestOptions{Run: f.run, Done: func(t export.TestResult) {
		printTest(t, file, f.verbose, stdout, stderr)
	}})
	return testOutcome(file, report, err, time.Since(began), stdout, stderr)
}

// testOutcome says how the tests of a notebook went, beside what each of them said.
func testOutcome(file string, report *export.TestReport, err error, took time.Duration, stdout, stderr io.Writer) int {
	if report != nil {
		printLeft(stdout, report.Left)
	}
	if err != nil {
		complain(stderr, file, err)
		if errors.Is(err, export.ErrModule) {
			return exitEnvironment
		}
		return exitCell
	}
	if report.Build != "" {
		fmt.Fprintf(stderr, "nb: %s: %s\n    %s\n", file, headlineOf(report.Where, "the tests do not build"), indent(report.Build))
		return exitCell
	}
	fmt.Fprintf(stdout, "%d tests, %d failed, %d skipped in %s\n", len(report.Tests), report.Failed, len(report.Tests)-report.Ran, seconds(took))
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
