package export

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestWriteModule: an export for a notebook in a module requires that module, whatever its path, from its folder.
func TestWriteModule(t *testing.T) {
	self, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, path, want string }{
		{"plain", "example.org/p", "example.org/p v0.0.0"},
		{"version 2", "example.org/p/v2", "example.org/p/v2 v2.0.0"},
		{"gopkg.in at version 1", "gopkg.in/x.v1", "gopkg.in/x.v1 v1.0.0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, dir := t.TempDir(), t.TempDir()
			text := "module " + c.path + "\n\ngo 1.26\n\nrequire " + modulePath + " v0.0.0\n\nreplace " + modulePath + " => \"" + filepath.ToSlash(self) + "\"\n"
			for name, text := range map[string]string{"go.mod": text, "p.go": "package p\n"} {
				if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if err := WriteModule(t.Context(), &nb.Notebook{}, dir, root); err != nil {
				t.Fatal(err)
			}
			mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
			if err != nil || !strings.Contains(string(mod), c.want+"\n") {
				t.Errorf("go.mod is (%v)\n%s", err, mod)
			}
			out, err := goCommand(t.Context(), dir, "list", "-mod=mod", "-f", "{{.Dir}}", c.path)
			if got := strings.TrimSpace(out); err != nil || got != root {
				t.Errorf("%s is in %s, want %s (%v)", c.path, got, root, err)
			}
		})
	}
}
