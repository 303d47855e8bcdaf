package gomod

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// paths are paths of modules of every shape, with a version that they may have.
var paths = []struct{ name, path, want string }{
	{"plain", "example.org/p", "v0.0.0"},
	{"one word", "mine", "v0.0.0"},
	{"version 2", "example.org/p/v2", "v2.0.0"},
	{"version 10", "example.org/p/v10", "v10.0.0"},
	{"one word at version 3", "mine/v3", "v3.0.0"},
	{"a folder named as a version before the last", "example.org/v2/p", "v0.0.0"},
	{"a dot before the version", "example.org/p.v2", "v0.0.0"},
	{"a letter before the version", "example.org/pv2", "v0.0.0"},
	{"gopkg.in at version 1", "gopkg.in/x.v1", "v1.0.0"},
	{"gopkg.in at version 0", "gopkg.in/x.v0", "v0.0.0"},
	{"gopkg.in of a user at version 12", "gopkg.in/user/x.v12", "v12.0.0"},
	{"gopkg.in, unstable", "gopkg.in/x.v3-unstable", "v3.0.0"},
}

// TestZero: versions are those that the go command's own rules allow for a path.
func TestZero(t *testing.T) {
	for _, c := range paths {
		t.Run(c.name, func(t *testing.T) {
			got := zero(c.path)
			if got != c.want {
				t.Errorf("of %s it is %s, want %s", c.path, got, c.want)
			}
			_, major, ok := module.SplitPathVersion(c.path)
			if !ok {
				t.Fatalf("%s is no path of a module", c.path)
			}
			if err := module.CheckPathMajor(got, major); err != nil {
				t.Error(err)
			}
			if prefix := module.PathMajorPrefix(major); prefix != "" && !strings.HasPrefix(got, prefix+".") {
				t.Errorf("%s is none of %s", got, prefix)
			}
		})
	}
}

// TestEdits: the go command takes the edits, whatever the project's path, and finds the project in its folder.
func TestEdits(t *testing.T) {
	goCommand := func(dir string, args ...string) string {
		t.Helper()
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, c := range paths {
		t.Run(c.name, func(t *testing.T) {
			root, dir := filepath.Join(t.TempDir(), "the project"), t.TempDir()
			text := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire example.org/q v1.2.3\n\n"+
				"replace (\n\texample.org/q v1.2.3 => \"./q dir\"\n\texample.org/r => example.org/s v1.0.0\n\t%[1]s => ../gone\n)\n", c.path)
			for _, file := range []struct{ path, text string }{
				{filepath.Join(root, "go.mod"), text},
				{filepath.Join(root, "project.go"), "package project\n"},
				{filepath.Join(root, "q dir", "go.mod"), "module example.org/q\n\ngo 1.26\n"},
				{filepath.Join(root, "q dir", "q.go"), "package q\n"},
				{filepath.Join(dir, "go.mod"), text},
			} {
				if err := os.MkdirAll(filepath.Dir(file.path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(file.path, []byte(file.text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			f, err := Parse([]byte(goCommand(root, "mod", "edit", "-json")))
			if err != nil {
				t.Fatal(err)
			}
			goCommand(dir, append([]string{"mod", "edit"}, f.Edits(root)...)...)
			for path, want := range map[string]string{c.path: root, "example.org/q": filepath.Join(root, "q dir")} {
				if got := strings.TrimSpace(goCommand(dir, "list", "-f", "{{.Dir}}", path)); got != want {
					t.Errorf("%s is in %s, want %s", path, got, want)
				}
			}
		})
	}
}

// TestParse: what is no module's file is told of.
func TestParse(t *testing.T) {
	for _, c := range []struct{ name, text, says string }{
		{"no JSON", "module x", "invalid character"},
		{"no name", `{"Go": "1.26"}`, "names no module"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
