package main

import (
	"bytes"
	"context"
	"os"
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
		{[]string{"-only", "nothing"}, "want one of csv"},
	} {
		if err := run(context.Background(), c.args, &bytes.Buffer{}); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v: got %v, want %q", c.args, err, c.says)
		}
	}
}
