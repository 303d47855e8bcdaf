package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

func TestCleanCommand(t *testing.T) {
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	n.Cells = []*nb.Cell{{Type: "code", Source: "%%", ExecutionCount: 2, Outputs: []nb.Output{{Type: "stream", Name: "stdout", Text: "x\n"}}}}
	file := filepath.Join(t.TempDir(), "n.ipynb")
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		args    []string
		code    int
		said    string
		outputs int
	}{
		{"counts", []string{file}, exitOK, "cleaned", 1},
		{"clean already", []string{file}, exitOK, "", 1},
		{"outputs", []string{"-outputs", file}, exitOK, "cleaned", 0},
		{"missing", []string{"missing.ipynb"}, exitUsage, "no such file", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			code := command(t.Context(), append([]string{"clean"}, tc.args...), &out, &out)
			if code != tc.code || !strings.Contains(out.String(), tc.said) || tc.said == "" && out.Len() > 0 {
				t.Errorf("exit %d, want %d and %q in %q", code, tc.code, tc.said, &out)
			}
			got, err := nb.ReadFile(file)
			if err != nil || got.Cells[0].ExecutionCount != 0 || len(got.Cells[0].Outputs) != tc.outputs {
				t.Errorf("the cell is %+v (%v), want %d outputs", got.Cells[0], err, tc.outputs)
			}
		})
	}
}

// TestNewCommand: a new notebook inside the module runs, and its tests do.
func TestNewCommand(t *testing.T) {
	dir, err := os.MkdirTemp("testdata", "new-") // inside the module
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	file := filepath.Join(dir, "first steps.ipynb")
	var out bytes.Buffer
	if code := command(t.Context(), []string{"new", file}, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, &out)
	}
	if code, stdout, stderr := execute(t, program(".", "run", "-no-html", file)); code != exitOK || !strings.Contains(stdout, "| hello") {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	if code := command(t.Context(), []string{"test", file}, &out, &out); code != exitOK {
		t.Errorf("exit %d: %s", code, &out)
	}
	for _, args := range [][]string{{"new", file}, {"new", "notebook.txt"}} {
		if code := command(t.Context(), args, &out, &out); code != exitUsage {
			t.Errorf("%q: exit %d", args, code)
		}
	}
	outside := filepath.Join(t.TempDir(), "n.ipynb")
	if code := command(t.Context(), []string{"new", outside}, &out, &out); code != exitOK {
		t.Fatalf("exit %d: %s", code, &out)
	}
	if n, err := nb.ReadFile(outside); err != nil || !strings.HasPrefix(n.Cells[1].Source, "!*go get github.com/dpkit-go/dpnb@") {
		t.Errorf("the first cell is %q (%v)", n.Cells[1].Source, err)
	}
}

func TestCheckCommand(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no outputs", []string{"../../nb/kernel/testdata/run/hello.ipynb"}, exitUsage, "run it first"},
		{"missing", []string{"missing.ipynb"}, exitUsage, "no such file"},
		{"negative timeout", []string{"-timeout", "-1s", "x.ipynb"}, exitUsage, "want 0 or more"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out bytes.Buffer
			if code := command(t.Context(), append([]string{"check"}, tc.args...), &out, &out); code != tc.code || !strings.Contains(out.String(), tc.want) {
				t.Errorf("exit %d, want %d and %q in %q", code, tc.code, tc.want, &out)
			}
		})
	}
	fixture := fixtures + "tests.ipynb"
	if code, stdout, stderr := execute(t, program(".", "check", fixture)); code != exitOK || !strings.Contains(stdout, "4 cells as stored, 1 not compared") {
		t.Errorf("exit %d: %s%s", code, stdout, stderr)
	}
}
