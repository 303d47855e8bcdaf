package export

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzing: an exported Fuzz function works with go test -fuzz, whose workers are processes of their
// own: it sees the notebook's folder, a finding stays in the package, and nothing else does.
func TestFuzzing(t *testing.T) {
	source, dir := t.TempDir(), t.TempDir()
	n := cells(
		"import (\n\t\"os\"\n\t\"testing\"\n)\n\nvar data, err = os.ReadFile(\"limit.txt\")",
		"%test\nfunc FuzzLimit(f *testing.F) {\n\tf.Add(1)\n\tf.Fuzz(func(t *testing.T, x int) {\n\t\tif len(data) != 3 {\n\t\t\tt.Fatal(\"no data:\", err)\n\t\t}\n\t\tif x > 100 || x < -100 {\n\t\t\tt.Error(\"beyond the limit\")\n\t\t}\n\t})\n}",
		"%test\nfunc FuzzFine(f *testing.F) {\n\tf.Add(\"x\")\n\tf.Fuzz(func(t *testing.T, s string) {\n\t\t_ = s + s\n\t})\n}",
	)
	file := filepath.Join(source, "n.ipynb")
	err := errors.Join(n.WriteFile(file), os.WriteFile(filepath.Join(source, "limit.txt"), []byte("100"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Notebook(n, Options{Name: "n.ipynb", Path: file})
	if err := errors.Join(err, p.WriteDir(dir), WriteModule(t.Context(), n, dir, ".")); err != nil {
		t.Fatal(err)
	}
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	fuzz := func(name string) string {
		cmd := exec.Command("go", "test", "-run=^$", "-fuzz=^"+name+"$", "-fuzztime=2000x", "-fuzzminimizetime=1x", "-parallel=2", ".")
		cmd.Dir = dir
		out, _ := cmd.CombinedOutput() // that it fails is what is looked at
		return string(out)
	}
	if out := fuzz("FuzzFine"); !strings.Contains(out, "2000 (") || !strings.Contains(out, "\nok ") {
		t.Errorf("fuzzing did not run:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(dir, "testdata")); err == nil {
		t.Error("fuzzing without a finding left a folder")
	}
	if out := fuzz("FuzzLimit"); !strings.Contains(out, "beyond the limit") || !strings.Contains(out, "Failing input written to testdata/fuzz/FuzzLimit/") {
		t.Errorf("the finding was not made:\n%s", out)
	}
	findings, _ := filepath.Glob(filepath.Join(dir, "testdata", "fuzz", "FuzzLimit", "*"))
	if len(findings) != 1 {
		t.Fatalf("%d findings are stored, want 1", len(findings))
	}
	cmd := exec.Command("go", "test", "-run=FuzzLimit/"+filepath.Base(findings[0]), ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "beyond the limit") {
		t.Errorf("the stored finding is not a seed: %v\n%s", err, out)
	}
	if left, _ := filepath.Glob(filepath.Join(tmp, "nb-*")); len(left) > 0 {
		t.Errorf("%d working copies are left", len(left))
	}
	if err := p.WriteDir(dir); err != nil {
		t.Error("an export does not stand findings:", err)
	}
	if _, err := os.Stat(findings[0]); err != nil {
		t.Error("an export removes findings")
	}
}
