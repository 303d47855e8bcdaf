package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

const fixtures = "../../nb/testdata/export/"

func TestTestCommand(t *testing.T) {
	t.Parallel()
	executed := func(stdout string, cells ...string) string {
		n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
		for _, c := range cells {
			n.Cells = append(n.Cells, &nb.Cell{Type: "code", Source: c, ExecutionCount: 1})
		}
		n.Cells[len(cells)-1].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: stdout}}
		file := filepath.Join(t.TempDir(), "n.ipynb")
		if err := n.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	const hello = "import \"fmt\"\n%%\n\nfmt.Println(\"hello\")"
	for _, tc := range []struct {
		name   string
		args   []string
		code   int
		stdout string // matches
		stderr string
	}{
		{"some", []string{"-run", "Cell05|Double$", fixtures + "tests.ipynb"}, exitOK, "0 failed", ""},
		{"several, one of epochs", []string{fixtures + "tests.ipynb", fixtures + "epochs.ipynb"}, exitOK, `(?s)tests\.ipynb\n.*4 tests, 0 failed.*epochs\.ipynb\n.*e05/TestCell11\n.* 0 failed`, ""},
		{"outside a module", []string{executed("hello\n", hello)}, exitOK, "1 tests, 0 failed", ""},
		{"other output", []string{executed("hallo\n", hello)}, exitCell, "FAILED", "n.ipynb: cell 1: printed line 1 differs"},
		{"panic", []string{executed("", "%%\n\npanic(1)")}, exitCell, "1 failed", "n.ipynb: cell 1 line 3: exit status 2, want 0"},
		{"does not build", []string{executed("", "%%\n\nx()")}, exitCell, "", "n.ipynb: cell 1 line 3: the tests do not build"},
		{"nothing matches", []string{"-run", "Nothing", fixtures + "tests.ipynb"}, exitCell, "", "no test ran"},
		{"no tests", []string{executed("", "var x = 1")}, exitCell, "", "no test ran"},
		{"rejected", []string{executed("", "var x = 1", "%wasm")}, exitUsage, "", "n.ipynb: cell 2 line 1: %wasm"},
		{"one fails", []string{fixtures + "tests.ipynb", executed("x", hello)}, exitCell, "4 tests, 0 failed", "cell 1: printed"},
		{"missing", []string{"missing.ipynb"}, exitUsage, "", "no such file"},
		{"Python", []string{"testdata/python.ipynb"}, exitUsage, "", `want go`},
		{"keep for two", []string{"-keep", "x", "a.ipynb", "b.ipynb"}, exitUsage, "", "-keep takes one notebook, got 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := command(t.Context(), append([]string{"test"}, tc.args...), &stdout, &stderr)
			if code != tc.code || !regexp.MustCompile(tc.stdout).MatchString(stdout.String()) || !strings.Contains(stderr.String(), tc.stderr) || (tc.stderr == "") != (stderr.Len() == 0) {
				t.Errorf("exit %d, want %d, %q and %q in\n%s\n%s", code, tc.code, tc.stdout, tc.stderr, &stdout, &stderr)
			}
		})
	}
}

func TestExportCommand(t *testing.T) {
	data, err := os.ReadFile(fixtures + "tests.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	source := t.TempDir()
	file := filepath.Join(source, "tests.ipynb")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for range 2 { // the second export replaces the first
		if code := command(t.Context(), []string{"export", file}, &out, &out); code != exitOK {
			t.Fatalf("exit %d: %s", code, &out)
		}
	}
	if got, want := files(t, filepath.Join(source, "tests")), "go.mod go.sum notebook_test.go testdata"; got != want {
		t.Errorf("wrote %s, want %s", got, want)
	}
	code, err := os.ReadFile(filepath.Join(source, "tests", "notebook_test.go"))
	if err != nil || !bytes.Contains(code, []byte(`Start("../tests.ipynb")`)) || bytes.Contains(code, []byte(source)) {
		t.Errorf("the code does not lead to the notebook by a relative path (%v)", err)
	}
	occupied := t.TempDir()
	if err := os.WriteFile(filepath.Join(occupied, "main.go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"-o", occupied, file}, {"-o", "x", file, file}, {"missing.ipynb"}} {
		out.Reset()
		if code := command(t.Context(), append([]string{"export"}, args...), &out, &out); code != exitUsage {
			t.Errorf("%q: exit %d: %s", args, code, &out)
		}
	}
}
