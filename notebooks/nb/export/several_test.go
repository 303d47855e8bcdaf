package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestSeveralImport: what the compiler says of a package that notebooks import is told of each of them, and of no other.
func TestSeveralImport(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":           "module example.org/p\n\ngo 1.26\n",
		"broken/broken.go": "package broken\n\nvar X int = missing\n",
		"over/over.go":     "package over\n\nimport \"example.org/p/broken\"\n\nvar X = broken.X\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := []*nb.Notebook{
		cells("import \"example.org/p/broken\"\n%%\nprintln(broken.X)"),
		cells("%%\nprintln(1)"),
		cells("import \"example.org/p/over\"\nfunc f() {}\n%%\nprintln(over.X)", "func f(x int) {}\n%%\nprintln(over.X)"),
	}
	dir := t.TempDir()
	together := InOne(dir)
	for _, n := range list {
		if err := together.Add(exportFrom(t, n, userFolder(t, n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := WriteModule(t.Context(), list[0], dir, root); err != nil {
		t.Fatal(err)
	}
	const says = "undefined: missing"
	err := together.Test(t.Context(), TestOptions{}, func(i int, r *TestReport, err error) {
		if breaks := i != 1; err != nil || strings.Count(r.Build, says) != map[bool]int{true: 1}[breaks] || breaks == (r.Ran > 0) {
			t.Errorf("notebook %d: %v, %d tests ran, the compiler says\n%s\nwant %q once: %v", i+1, err, r.Ran, r.Build, says, breaks)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}
