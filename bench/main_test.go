package main

import (
	"bytes"
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

// The test program is the command for its own cases.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "-child" {
		main()
		return
	}
	os.Exit(m.Run())
}

// TestCases: every case runs, in a process of its own, and has its line.
func TestCases(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"-rows", "5000", "-procs", "2", "-rounds", "1", "-nested=false", "-python", "no"}, &out); err != nil {
		t.Fatal(err)
	}
	for _, name := range names(cases()) {
		if !strings.Contains(out.String(), "\n"+name+" ") {
			t.Errorf("no line of %s in\n%s", name, &out)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"-rows", "0"}, "at least 1"},
		{[]string{"-procs", "x"}, "numbers by commas"},
		{[]string{"-procs", "100000"}, "this machine has none"},
		{[]string{"-only", "nothing"}, "want one of plain read"},
	} {
		if err := run(context.Background(), c.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: got %v, want %q", c.args, err, c.says)
		}
	}
}

// TestPromises: what is promised is of a case, or of a counterpart, that there is, and stands in its line.
func TestPromises(t *testing.T) {
	var besides []string
	for _, c := range cases() {
		for _, b := range c.beside {
			besides = append(besides, b.name)
		}
	}
	for name := range promises {
		if !slices.Contains(names(cases()), name) {
			t.Errorf("a promise of %q, which is no case", name)
		}
	}
	for name := range ratios {
		if !slices.Contains(besides, name) {
			t.Errorf("a ratio to %q, which is nobody's counterpart", name)
		}
	}
	if got, want := timesTable(2.2).said(measured{Memory: 2 * 8 * width * 100}, 100), "2.00 of its table in memory, at most 2.2"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := perRow(0.5).said(measured{Seconds: 0.25}, 1_000_000), "0.25 µs a row, at most 0.5"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
