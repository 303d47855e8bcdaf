package kernel

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb/prebuilt"
)

// TestCellGo: a run builds by cellgo, an edited cell without the go command, and a cell's mistake is told as ever; the next run begins where
// the one before ended.
func TestCellGo(t *testing.T) {
	keep := prebuilt.KeepEnv + "=" + t.TempDir()
	for _, want := range [][]string{{"go: no record", "repeated", "go: compile failed"}, {"repeated", "repeated", "go: compile failed"}} {
		log := filepath.Join(t.TempDir(), "log")
		n := codeCells("%%\nfmt.Println(1)", "%%\nfmt.Println(2)", "%%\nfmt.Println(undefined)")
		n.Cells[2].Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["` + tagRaises + `"]`)}
		report, err := testRun(t, t.Context(), n, Options{Env: []string{keep, "DPNB_CELLGO_LOG=" + log}})
		if err != nil {
			t.Fatal(err)
		}
		if got := outputText(n.Cells[0]) + outputText(n.Cells[1]); got != "1\n2\n" {
			t.Errorf("the cells printed %q", got)
		}
		if cell := report.Cells[2]; cell.Err == nil || !strings.Contains(cell.Err.Error(), "undefined: undefined") {
			t.Errorf("a mistake: got %v", cell.Err)
		}
		data, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Split(strings.TrimSpace(string(data)), "\n"); !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("built by %q, want %q first", got, want)
		}
	}
}

// TestCellGoForThisMachine: the builder runs here, whatever cells are built for.
func TestCellGoForThisMachine(t *testing.T) {
	t.Setenv("GOOS", "js")
	t.Setenv("GOARCH", "wasm")
	folder, err := CellGo(t.Context(), t.TempDir(), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(folder, "go"), "env", "GOOS").Output(); err != nil || string(out) != "js\n" {
		t.Errorf("it printed %q, %v", out, err)
	}
}

// TestCellGoFails: a cache that cannot be is an error of CellGo; a run does without the cache, as it needs the builder.
func TestCellGoFails(t *testing.T) {
	nowhere := filepath.Join(os.DevNull, "cache")
	if _, err := CellGo(t.Context(), nowhere, func(string) {}); err == nil || !strings.Contains(err.Error(), "the builder of cells") {
		t.Errorf("a cache that cannot be: got %v", err)
	}
	t.Setenv("TMPDIR", t.TempDir())
	folder, done, err := builder(t.Context(), nowhere, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(filepath.Join(folder, "go"), "env", "GOOS").Output(); err != nil || string(out) != runtime.GOOS+"\n" {
		t.Errorf("it printed %q, %v", out, err)
	}
	done()
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%s is left", left[0].Name())
	}
}

// TestBeginsWithImports: the first cell of a notebook imports the module around it. With GoNB alone one line does what the builder does.
func TestBeginsWithImports(t *testing.T) {
	const cell = "import \"github.com/dpkit-go/dpnb/accountant\"\n\n%%\nfmt.Println(accountant.ReplaceOne)"
	n := codeCells(cell, "%%\ny := 1\n_ = y", "%%\nfmt.Println(y)")
	n.Cells[2].Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["` + tagRaises + `"]`)}
	report, err := testRun(t, t.Context(), n, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := outputText(n.Cells[0]); got != "replace-one\n" {
		t.Errorf("it printed %q", got)
	}
	if e := report.Cells[2].Err; e == nil || !strings.Contains(e.Error(), "undefined: y (every cell is a program of its own") {
		t.Errorf("a name of another cell: %v", e)
	}
	t.Run("GoNB alone", func(t *testing.T) {
		readme, err := os.ReadFile(filepath.Join("..", "..", "..", "README.md"))
		if err != nil {
			t.Fatal(err)
		}
		line := regexp.MustCompile(`(?m)^!\*r=.*$`).Find(readme)
		if line == nil {
			t.Fatal("README.md has no line for GoNB alone")
		}
		n := codeCells(string(line), cell)
		real, err := exec.LookPath("go")
		if err != nil {
			t.Fatal(err)
		}
		alone := t.TempDir() // a go command in front of the builder
		if err := os.Symlink(real, filepath.Join(alone, "go")); err != nil {
			t.Fatal(err)
		}
		err = Build(t.Context(), ".", testCache, func(string) {}, func(tools string) error {
			path := strings.Join([]string{alone, tools, os.Getenv("PATH")}, string(filepath.ListSeparator))
			_, err := testRun(t, t.Context(), n, Options{Env: []string{"PATH=" + path}})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := outputText(n.Cells[1]); got != "replace-one\n" {
			t.Errorf("it printed %q", got)
		}
	})
}
