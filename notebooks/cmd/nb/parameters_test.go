package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// parameterNotebook writes a notebook whose first cell holds parameters, and returns its path.
func parameterNotebook(t *testing.T, dir, name string) string {
	t.Helper()
	n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5}
	n.Cells = []*nb.Cell{
		{Type: "code", Source: "const epsilon = 1.0\nvar name = \"adult\"", Metadata: map[string]json.RawMessage{"tags": json.RawMessage(`["parameters"]`)}},
		{Type: "code", Source: "import \"fmt\"\n%%\nfmt.Println(name, 2*epsilon)"},
	}
	file := filepath.Join(dir, name)
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestRunParameters: several notebooks at a time, with other parameters; what they say comes line by
// line under their names, and the stored cell holds what was run.
func TestRunParameters(t *testing.T) {
	dir := t.TempDir()
	parameterNotebook(t, dir, "a.ipynb")
	parameterNotebook(t, dir, "b.ipynb")
	code, stdout, stderr := execute(t, program(dir, "run", "-no-html", "-j", "2", "-p", "epsilon=0.25", "-p", "name=iris", "a.ipynb", "b.ipynb"))
	if code != exitOK || stderr != "" {
		t.Fatalf("exit %d: %s%s", code, stdout, stderr)
	}
	for _, name := range []string{"a.ipynb", "b.ipynb"} {
		for _, want := range []string{": [2/2] ok", ":         | iris 0.5\n", ": 2 of 2 cells ran, 0 failed"} {
			if !strings.Contains(stdout, name+want) {
				t.Errorf("no %q in\n%s", name+want, stdout)
			}
		}
		n, err := nb.ReadFile(filepath.Join(dir, name))
		if err != nil || n.Cells[0].Source != "const epsilon = 0.25\nvar name = \"iris\"" {
			t.Errorf("%s holds %q (%v)", name, n.Cells[0].Source, err)
		}
	}
	for line := range strings.Lines(stdout) {
		if !strings.HasPrefix(line, "a.ipynb: ") && !strings.HasPrefix(line, "b.ipynb: ") {
			t.Errorf("a line without a name: %q", line)
		}
	}
}

// TestRunParametersRefused: no kernel starts, and the notebook stays as it is.
func TestRunParametersRefused(t *testing.T) {
	file := parameterNotebook(t, t.TempDir(), "n.ipynb")
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown", []string{"-p", "delta=1", file}, `unknown name "delta", want epsilon, name`},
		{"not a number", []string{"-p", "epsilon=x", file}, "want a constant such as 1.0 (cell 1 line 1)"},
		{"no value", []string{"-p", "epsilon", file}, "want name=value"},
		{"no name", []string{"-p", "a b=1", file}, "want name=value"},
		{"twice", []string{"-p", "epsilon=1", "-p", "epsilon=2", file}, "epsilon is given twice"},
		{"no tag", []string{"-p", "epsilon=1", "../../nb/kernel/testdata/run/hello.ipynb"}, `no cell has the tag "parameters"`},
		{"no jobs", []string{"-j", "0", file}, "-j: got 0, want 1 or more"},
		{"one file twice", []string{"-j", "2", file, filepath.Dir(file) + "/./n.ipynb"}, "is given twice"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var out strings.Builder
			if code := command(t.Context(), append([]string{"run"}, tc.args...), &out, &out); code != exitUsage || !strings.Contains(out.String(), tc.want) {
				t.Errorf("exit %d, want %d and %q in %s", code, exitUsage, tc.want, &out)
			}
		})
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the notebook changed (%v)", err)
	}
}
