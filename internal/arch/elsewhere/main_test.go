package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A module that is right on one target alone is refused on the others, by file and line.
func TestCheck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":        "module example.org/m\n\ngo 1.21\n",
		"wide.go":       "package m\n\n// Far does not fit in 32 bits.\nconst Far int = 1 << 40\n",
		"sub/s.go":      "package sub\n",
		"sub/f.go":      "package sub\n\n// F is in assembly.\nfunc F()\n",
		"sub/f_amd64.s": "// TEXT ·G(SB), $0\nTEXT ·F(SB), $0\n\tRET\n",
		"sub/f_386.s":   "TEXT ·F<ABIInternal>(SB), $0\n\tRET\n",
		"sub/a_test.go": "package sub\n\nimport \"syscall\"\n\nvar _ = syscall.Mkfifo\n",
	} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name, target string
		tests        bool
		says         string
	}{
		{"sound", "linux/amd64", true, ""},
		{"32 bits", "linux/386", true, "wide.go:4"},
		{"tests", "windows/amd64", true, "a_test.go:5"},
		{"without tests", "windows/amd64", false, ""},
		{"no assembly", "linux/arm64", false, "sub/f.go:4:1: F has no body"},
		{"assembly of another processor", "linux/386", false, "f_386.s: is not assembled on"},
		{"no processor", "linux", true, "want system/processor"},
		{"no system", "plan10/amd64", true, "plan10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			err := check(&out, dir, c.target, c.tests)
			if c.says == "" {
				if err != nil || !strings.Contains(out.String(), c.target+": ") {
					t.Errorf("said %q, %v", &out, err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want an error with %q", err, c.says)
			}
		})
	}
}
