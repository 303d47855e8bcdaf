package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
)

// noteFreshLedger warns where a notebook that opens a ledger is tried before it has one: its releases are drawn from the
// rows, and nothing remembers them.
func noteFreshLedger(w io.Writer, file string) {
	n, err := nb.ReadFile(file)
	if err != nil || celltest.HasLedger(filepath.Dir(file)) {
		return // the command says what is wrong with the file
	}
	for _, c := range n.Cells {
		if c.Type == "code" && !strings.Contains(c.Source, "Rehearsal: true") && (strings.Contains(c.Source, "dpkit.Create(") || strings.Contains(c.Source, "ledger.OpenOrCreate(")) {
			fmt.Fprintln(w, "  no ledger beside the notebook yet: releases are drawn anew, against a budget that is thrown away, and not shown; run it first if its rows are private")
			return
		}
	}
}

// printLeft names the files that a trial goes without.
func printLeft(w io.Writer, files []string) {
	for _, f := range files {
		fmt.Fprintln(w, "  "+f)
	}
}
