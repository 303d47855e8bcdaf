package kernel

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestCellGo: a run builds by cellgo, an edited cell without the go command, and a cell's mistake is told as ever.
func TestCellGo(t *testing.T) {
	log := filepath.Join(t.TempDir(), "log")
	n := codeCells("%%\nfmt.Println(1)", "%%\nfmt.Println(2)", "%%\nfmt.Println(undefined)")
	n.Cells[2].Metadata = map[string]json.RawMessage{"tags": json.RawMessage(`["` + tagRaises + `"]`)}
	report, err := testRun(t, t.Context(), n, Options{Env: []string{"DPNB_CELLGO_LOG=" + log}})
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
	want := []string{"go: no record", "repeated", "go: compile failed"}
	if got := strings.Split(strings.TrimSpace(string(data)), "\n"); !slices.Equal(got[:min(len(got), len(want))], want) {
		t.Errorf("built by %q, want %q first", got, want)
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

// TestCellGoFails: without the builder a kernel is slower, and nothing else.
func TestCellGoFails(t *testing.T) {
	if _, err := CellGo(t.Context(), filepath.Join(os.DevNull, "cache"), func(string) {}); err == nil || !strings.Contains(err.Error(), "the builder of cells") {
		t.Errorf("a cache that cannot be: got %v", err)
	}
}
