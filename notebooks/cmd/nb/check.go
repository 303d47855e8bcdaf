package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/dpkit-go/dpnb/notebooks/nb/export"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

const checkUsage = `nb check [flags] file.ipynb...

Runs each notebook on the kernel, in a copy of its folder, and compares what the cells print and the
types of what they show with the stored outputs. The notebook stays as it is. The comments
//| output: … of a cell say how closely its output has to agree; see nb help export. Cells of a notebook without
shell lines are built together, where that cannot show; what then differs runs again with each cell built by itself,
and that is what is told, with a line that says that the cells ran twice.

Ledgers replay: releases that the notebook made come back, and any other is refused; a ledger that is gone is
missed, as by nb run. Where there is no ledger yet, noise is drawn against a budget that is thrown away, each
time anew, and what the cells print is compared and not shown: run a notebook on private rows before you
check it.

`

func checkCommand(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	fs := newFlagSet("check", checkUsage, stderr)
	fs.share("timeout", "")
	files, code, ok := fs.files(args)
	if !ok {
		return code
	}
	worst := exitOK
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		noteFreshLedger(stdout, file)
		report, err := export.Check(ctx, file, kernel.Options{Timeout: fs.limit()})
		printLeft(stdout, report.Left)
		if report.Twice {
			fmt.Fprintf(stdout, "%s: its cells ran twice, the second time each built by itself: built together they did not go as stored\n", file)
		}
		if err == nil {
			fmt.Fprintf(stdout, "%s: %d cells as stored, %d not compared\n", file, report.Compared, report.Ignored)
			continue
		}
		complain(stderr, file, err)
		worst = max(worst, checkStatus(err))
	}
	return worst
}

func checkStatus(err error) int {
	var cell *kernel.CellError
	switch {
	case errors.Is(err, export.ErrStale), errors.As(err, &cell), errors.Is(err, context.Canceled):
		return exitCell
	case errors.Is(err, kernel.ErrUnavailable), errors.Is(err, export.ErrModule):
		return exitEnvironment
	}
	return exitUsage
}
