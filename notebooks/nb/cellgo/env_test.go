package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestEnvironment: what goimports asks is answered as before while nothing that it is made of changes, and else by the go command.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	root := filepath.Dir(b.dir)
	b.env = append(b.env, kernelEnv+"="+b.dir, notebookEnv+"="+b.dep)
	file := filepath.Join(b.dir, folder, envFile)
	args := append([]string{"env", "-json"}, asked...)
	ask := func(args ...string) string {
		t.Helper()
		out, err := b.run(args...)
		if err != nil {
			t.Fatalf("go %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return out
	}
	goSays := func() string {
		t.Helper()
		cmd := exec.Command(filepath.Join(b.bin, "go"), args...)
		cmd.Dir, cmd.Env = b.dir, append(b.env, offEnv+"=off")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	// put changes what is remembered, so that an answer of it shows.
	const mark = "remembered"
	put := func() {
		t.Helper()
		var kept told
		data, err := os.ReadFile(file)
		if err != nil || json.Unmarshal(data, &kept) != nil {
			t.Fatalf("nothing is remembered: %v", err)
		}
		kept.Text = mark
		kept.keep(file)
	}
	if got := ask(args...); got != goSays() || !strings.Contains(got, "-buildvcs=false") {
		t.Errorf("the first answer is %q, the go command's %q", got, goSays())
	}
	put()
	if got := ask(args...); got != mark {
		t.Errorf("the second answer is %q, want what is remembered", got)
	}
	for _, c := range []struct {
		name       string
		change     func()
		remembered bool // the next time
	}{
		{"a variable", func() { b.env = append(b.env, "GOPRIVATE=example.org") }, true},
		{"a setting", func() { b.write(root, "settings", "GOFLAGS=-buildvcs=auto\nGOTOOLCHAIN=local\n") }, true},
		{"go.mod", func() { b.write(b.dir, "go.mod", "module nb\n\ngo 1.25\n") }, true},
		{"a workspace", func() { b.write(root, "go.work", "go 1.26\n\nuse ./dep\n") }, false},
		{"no workspace", func() { b.env = append(b.env, "GOWORK=off") }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.change()
			if got, want := ask(args...), goSays(); got != want {
				t.Errorf("the answer is %q, the go command's %q", got, want)
			}
			if put(); c.remembered != (ask(args...) == mark) {
				t.Errorf("remembered is %v, want %v", !c.remembered, c.remembered)
			}
		})
	}
	put()
	if got := ask("env", "-json", "GOOS"); got == mark {
		t.Error("another question has this answer")
	}
	b.env = append(b.env, kernelEnv+"="+root)
	if got := ask(args...); got == mark {
		t.Error("another folder has this answer")
	}
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, kernelEnv+"="+b.dir)
	if got := ask(args...); got != goSays() {
		t.Errorf("of a damaged file: %q", got)
	}
}
