package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/notebooks/nb"
)

// TestOneHasNoModule: an import that no module has is the failure of its notebook, and of no other that is tested with it.
func TestOneHasNoModule(t *testing.T) {
	proxy, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		code := http.StatusNotFound // ask the next one
		if strings.Contains(r.URL.Path, "nowhere") {
			code = http.StatusForbidden
		}
		http.Error(w, "no such module", code)
	}))
	defer server.Close()
	t.Setenv("GOPROXY", server.URL+","+strings.TrimSpace(string(proxy)))
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module example.org/p\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"test"}
	for _, c := range []struct{ name, source string }{
		{"a", "%%\nprintln(1)"},
		{"rejected", "%wasm"},
		{"b", "import \"nowhere.example.org/none\"\n%%\nprintln(none.X)"},
		{"c", "%%\nprintln(1)"},
		{"rejected too", "%wasm"},
	} {
		n := &nb.Notebook{NBFormat: 4, NBFormatMinor: 5, Cells: []*nb.Cell{{Type: "code", Source: c.source}}}
		file := filepath.Join(dir, c.name+".ipynb")
		if err := n.WriteFile(file); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	var stdout, stderr bytes.Buffer
	code := command(t.Context(), args, &stdout, &stderr)
	const passes = `\S+/%\.ipynb\n.*\n  ok .* TestCell01\n1 tests, 0 failed, 0 skipped in .*\n`
	tells := regexp.MustCompile(`^` + strings.Replace(passes, "%", "a", 1) + `\S+/rejected\.ipynb\n\S+/b\.ipynb\n` + strings.Replace(passes, "%", "c", 1) + `\S+/rejected too\.ipynb\n$`)
	if code != exitEnvironment || !tells.MatchString(stdout.String()) || strings.Count(stderr.String(), "nowhere.example.org/none: module") != 1 || strings.Count(stderr.String(), "wasm") != 2 {
		t.Errorf("exit %d, want %d, that a and c pass, and what b imports once in\n%s\n%s", code, exitEnvironment, &stdout, &stderr)
	}
}
