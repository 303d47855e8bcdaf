package kernel

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The tracebacks are GoNB 0.11.4's.
func TestCompilerMessagesAdvise(t *testing.T) {
	for _, c := range []struct {
		name      string
		traceback []string
		want      string
	}{
		{
			"no %%",
			[]string{"Cell[2]: Line 1\npackage main\n\nfmt.Println(1)\n^\n\n\nexpected declaration, found fmt"},
			"cell 2 line 1: expected declaration, found fmt: outside functions a cell holds declarations; put statements after a line %%",
		},
		{
			"no module",
			[]string{"Cell[2]: Line 1\npackage main\n\nimport (\n\t\"example.com/x\"\n ^\n)\n\nno required module provides package example.com/x; to add it:", "\tgo get example.com/x", ""},
			"cell 2 line 1: no required module provides package example.com/x: add it with !*go get and its path in a cell before",
		},
		{
			"another message stays",
			[]string{"Cell[2]: Line 3\n\tx := 1\n\t^\n\n\ndeclared and not used: x"},
			"cell 2 line 3: declared and not used: x",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(2, "", content{EValue: "exit status 1", Traceback: c.traceback}, "")
			if e.Reason != "does not compile" || strings.TrimSpace(e.Detail) != c.want {
				t.Errorf("got %q, %q, want %q", e.Reason, e.Detail, c.want)
			}
		})
	}
}

// TestChecked: what cell.Check prints is the reason; the lines of other cells are the detail, the cell's own is its line.
func TestChecked(t *testing.T) {
	const mark3, mark2 = "at  [[ Cell [3] Line 4 ]] /tmp/gonb_x/main.go:9\n", "at  [[ Cell [2] Line 7 ]] /tmp/gonb_x/main.go:30\n"
	for _, c := range []struct {
		name, stderr   string
		line           int
		reason, detail string
	}{
		{"the cell's own", "no budget\n" + mark3, 4, "no budget", ""},
		{"a function of another cell", "no budget\n" + mark2 + mark3, 4, "no budget", "in cell 2 line 7"},
		{"lines", "two errors:\nmore\n" + mark3, 4, "it ended with an error", "two errors:\nmore"},
		{"after it something else", "no budget\n" + mark3 + "panic: x\n", 4, "exit status 1", "no budget\n" + mark3 + "panic: x\n"},
		{"no sentence", mark3, 4, "exit status 1", mark3},
		{"nothing", "", 0, "exit status 1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := fail(3, "", content{EValue: "exit status 1"}, c.stderr)
			if e.Line != c.line || e.Reason != c.reason || e.Detail != c.detail {
				t.Errorf("got line %d, %q, %q, want %d, %q, %q", e.Line, e.Reason, e.Detail, c.line, c.reason, c.detail)
			}
		})
	}
}

// TestTraceLine: GoNB misses a position that it reads in two pieces; the program's own line tells.
func TestTraceLine(t *testing.T) {
	program := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(program, []byte("package main\n\nfunc main() {\n\tx := 1\n\tpanic(x)\n\tx++\n\tx++\n}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const cell = "%%\nx := 1\n  panic(x)\nx++\nx++"
	for _, c := range []struct {
		name, trace string
		want        int
	}{
		{"indented otherwise", "main.main()\n\t" + program + ":5 +0x1d\n", 3},
		{"second position", "other()\n\t" + program + ":1 +0x1\nmain.main()\n\t" + program + ":4 +0x1d\n", 2},
		{"a line that stands twice", "main.main()\n\t" + program + ":6 +0x1d\n", 0},
		{"beyond the program", "main.main()\n\t" + program + ":60 +0x1d\n", 0},
		{"no such program", "main.main()\n\t/nowhere/main.go:5 +0x1d\n", 0},
		{"no trace", "exit status 2", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := traceLine(cell, c.trace); got != c.want {
				t.Errorf("got line %d, want %d", got, c.want)
			}
		})
	}
}
