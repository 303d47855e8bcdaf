package export

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// TestCheck: a fixture with the outputs that the kernel gave is fresh; changed outputs are stale, except
// where a directive allows the change; and the folder stays as it was.
func TestCheck(t *testing.T) {
	t.Parallel()
	parent, err := os.MkdirTemp("../testdata", "check-") // inside the module, and nobody else's: copies stand beside the folder
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(parent) })
	dir := filepath.Join(parent, "notebooks")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	source := func(change func(*nb.Notebook)) string {
		n := cells(
			"%noautoget\nimport \"fmt\"",
			"//| output: approx=0.1\n%%\nfmt.Println(1.01)",
			"//| output: ignore\n%%\nfmt.Println(2)",
			"//| exit: 2\n%%\nfmt.Println(3)\npanic(3)",
			"//| eval: false\nnot Go",
			"%env NB_CHECK yes\n!echo 4; echo x >made\n%%\nfmt.Println(4)",
		)
		for i, text := range []string{"", "1\n", "9\n", "3\n", "", "Set: NB_CHECK=\"yes\"\n4\n4\n"} {
			n.Cells[i].ExecutionCount = i + 1
			if text != "" {
				n.Cells[i].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: text}}
			}
		}
		n.Cells[4].ExecutionCount = 0
		change(n)
		file := filepath.Join(dir, "n.ipynb")
		if err := n.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		return file
	}
	for _, tc := range []struct {
		name   string
		change func(*nb.Notebook)
		want   error
		texts  []string
	}{
		{"fresh", func(*nb.Notebook) {}, nil, nil},
		{"beyond the tolerance, a display and other text", func(n *nb.Notebook) {
			n.Cells[1].Outputs[0].Text = "2\n"
			n.Cells[3].Outputs = append(n.Cells[3].Outputs, nb.Output{Type: "display_data"})
			n.Cells[5].Outputs[0].Text += "5\n"
		}, ErrStale, []string{"cell 2: the stored output is stale: printed line 1", "cell 4: the stored output is stale", "cell 6: the stored output is stale"}},
		{"failing cell", func(n *nb.Notebook) { n.Cells[2].Source += "\npanic(1)" }, kernel.ErrCell, []string{"cell 3 line 4"}},
		{"no outputs", func(n *nb.Notebook) { n.Clean(true) }, ErrNoOutputs, []string{"run it first"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := source(tc.change)
			before, _ := os.ReadFile(file)
			report, err := Check(t.Context(), file, kernel.Options{Cache: testCache})
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			for _, text := range tc.texts {
				if err != nil && !strings.Contains(err.Error(), text) {
					t.Errorf("no %q in %v", text, err)
				}
			}
			if tc.want == nil && (report.Compared != 4 || report.Ignored != 2) {
				t.Errorf("got %+v, want 4 compared and 2 not", report)
			}
			if report.Twice { // it has a shell line
				t.Error("it ran twice")
			}
			if after, _ := os.ReadFile(file); string(after) != string(before) {
				t.Error("the notebook was changed")
			}
			entries, _ := os.ReadDir(dir)
			if len(entries) != 1 {
				t.Errorf("the folder holds %d files, want the notebook alone", len(entries))
			}
			if left, _ := filepath.Glob(filepath.Join(parent, ".nb-check-*")); len(left) > 0 {
				t.Errorf("%q is left", left)
			}
		})
	}
}

// TestCheckOfPrograms: a check builds cells together, and tells a failure as it is of a cell that is built by itself.
func TestCheckOfPrograms(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "darwin" {
		t.Skip("no programs of several cells on macOS")
	}
	log := filepath.Join(t.TempDir(), "log")
	n := stored(cells("%noautoget\nimport \"fmt\"\nvar x = 1", "%%\nfmt.Println(x)", "%%\nfmt.Println(x + 1)\n\npanic(x)"), "2\n")
	n.Cells[1].Outputs = []nb.Output{{Type: "stream", Name: "stdout", Text: "1\n"}}
	file := filepath.Join(t.TempDir(), "n.ipynb")
	if err := n.WriteFile(file); err != nil {
		t.Fatal(err)
	}
	report, err := Check(t.Context(), file, kernel.Options{Cache: testCache, Env: []string{"DPNB_CELLGO_LOG=" + log}})
	if !errors.Is(err, kernel.ErrCell) || !strings.Contains(err.Error(), "cell 3 line 4") {
		t.Errorf("got %v, want the cell that panics and its line", err)
	}
	if !report.Twice {
		t.Error("the report does not say that the cells ran twice")
	}
	data, err := os.ReadFile(log)
	if err != nil || strings.Count(string(data), "bundled\n") != 3 || !strings.HasSuffix(string(data), "repeated\n") {
		t.Errorf("cells were built by %q, want all together and then each by itself (%v)", data, err)
	}
}
