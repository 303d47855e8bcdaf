package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// newKernel is a bench whose folder is that of a kernel, with no module in it yet, for a notebook in a folder beside it.
func newKernel(t *testing.T, notebook string) *bench {
	t.Helper()
	b := newBench(t)
	if err := os.Remove(filepath.Join(b.dir, "go.mod")); err != nil {
		t.Fatal(err)
	}
	b.env = append(b.env, kernelEnv+"="+b.dir, notebookEnv+"="+filepath.Join(filepath.Dir(b.dir), notebook))
	return b
}

// project writes files beside the kernel's folder, a day ago: what changes around a build is not recorded.
func (b *bench) project(files map[string]string) {
	b.Helper()
	root := filepath.Dir(b.dir)
	for name, text := range files {
		b.write(root, name, text)
		b.clock = b.clock.Add(time.Minute)
		for path := filepath.Join(root, name); path != root; path = filepath.Dir(path) {
			if err := os.Chtimes(path, b.clock, b.clock); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// starts answers as a kernel asks when it starts, and returns the kernel's go.mod.
func (b *bench) starts() string {
	b.Helper()
	if out, err := b.run("mod", "init", "gonb_a"); err != nil {
		b.Fatalf("go mod init: %v: %s", err, out)
	}
	data, err := os.ReadFile(filepath.Join(b.dir, "go.mod"))
	if err != nil {
		b.Fatal(err)
	}
	return string(data)
}

// TestTied: a cell imports the module around its notebook, and what that module requires, wherever the notebook is in it.
func TestTied(t *testing.T) {
	t.Parallel()
	const word = "package %s\n\nfunc Word() string { return %q }\n"
	source := func(name, says string) string {
		return strings.NewReplacer("%s", name, "%q", `"`+says+`"`).Replace(word)
	}
	for _, c := range []struct {
		name     string
		files    map[string]string
		notebook string
		path     string // of the package that the cell imports
		prints   string
	}{
		{
			"the module",
			map[string]string{"p/go.mod": "module example.org/p\n\ngo 1.26\n", "p/word/word.go": source("word", "the module")},
			"p", "example.org/p/word", "the module",
		},
		{
			"a folder of the module",
			map[string]string{"p/go.mod": "module example.org/p\n\ngo 1.26\n", "p/word/word.go": source("word", "a folder"), "p/a/b/x": ""},
			"p/a/b", "example.org/p/word", "a folder",
		},
		{
			"a module in the module, with the module beside it",
			map[string]string{
				"p/go.mod": "module example.org/p\n\ngo 1.26\n", "p/word/word.go": source("word", "outer"),
				"p/in/go.mod":       "module example.org/p/in\n\ngo 1.26\n\nrequire example.org/p v0.0.0\n\nreplace example.org/p => ../\n",
				"p/in/word/word.go": "package word\n\nimport \"example.org/p/word\"\n\nfunc Word() string { return \"inner of \" + word.Word() }\n",
			},
			"p/in", "example.org/p/in/word", "inner of outer",
		},
		{
			"a path at a major version, and a folder of one version",
			map[string]string{
				"p/go.mod":       "module example.org/p/v3\n\ngo 1.26\n\nrequire example.org/q v1.2.3\n\nreplace example.org/q v1.2.3 => \"./q dir\"\n",
				"p/word/word.go": "package word\n\nimport \"example.org/q\"\n\nfunc Word() string { return q.Word() }\n",
				"p/q dir/go.mod": "module example.org/q\n\ngo 1.26\n", "p/q dir/q.go": source("q", "quoted"),
			},
			"p", "example.org/p/v3/word", "quoted",
		},
		{
			"a path of one word",
			map[string]string{"p/go.mod": "module mine\n\ngo 1.26\n", "p/word/word.go": source("word", "one word")},
			"p", "mine/word", "one word",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newKernel(t, c.notebook)
			b.project(c.files)
			b.starts()
			if out, err := b.run("get"); err != nil || out != "" {
				t.Fatalf("go get: %v: %s", err, out)
			}
			b.expect(smallProgram("word.Word()", c.path), "go: no record", c.prints)
			b.expect(smallProgram("word.Word() + \".\"", c.path), repeated, c.prints+".")
			if c.name != "the module" {
				return
			}
			b.env = append(b.env, offEnv+"=off") // builds are the go command's; the tie is the kernel's
			if err := os.Remove(filepath.Join(b.dir, "go.mod")); err != nil {
				t.Fatal(err)
			}
			b.starts()
			b.expect(smallProgram("word.Word()", c.path), "", c.prints)
		})
	}
}

// TestNotTied: what no kernel asks for, and what stands in no project, is the go command's.
func TestNotTied(t *testing.T) {
	t.Parallel()
	t.Run("no module around the notebook", func(t *testing.T) {
		b := newKernel(t, "nowhere")
		b.write(filepath.Dir(b.dir), "nowhere/x", "")
		if mod := b.starts(); !strings.HasPrefix(mod, "module gonb_a\n") {
			t.Errorf("the kernel's module is\n%s", mod)
		}
		if _, err := os.Stat(filepath.Join(b.dir, folder, tieFile)); !os.IsNotExist(err) {
			t.Errorf("it is tied: %v", err)
		}
	})
	t.Run("another folder than the kernel's", func(t *testing.T) {
		b := newKernel(t, "p")
		b.write(filepath.Dir(b.dir), "p/go.mod", "module example.org/p\n\ngo 1.26\n")
		other := t.TempDir()
		cmd := exec.Command(filepath.Join(b.bin, "go"), "mod", "init", "gonb_x")
		cmd.Dir, cmd.Env = other, b.env
		out, err := cmd.CombinedOutput()
		mod, _ := os.ReadFile(filepath.Join(other, "go.mod"))
		if err != nil || !strings.HasPrefix(string(mod), "module gonb_x\n") {
			t.Errorf("%v: %s\n%s", err, out, mod)
		}
	})
	t.Run("go get of a package", func(t *testing.T) {
		b := newKernel(t, "p")
		b.env = append(b.env, "GOPROXY=off")
		b.write(filepath.Dir(b.dir), "p/go.mod", "module example.org/p\n\ngo 1.26\n")
		b.starts()
		if out, err := b.run("get", "example.org/nowhere@v1.0.0"); err == nil || !strings.Contains(out, "example.org/nowhere@v1.0.0") {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestTiedAgain: a requirement that the project gains while the kernel runs reaches the next cell, unless a cell has changed the
// kernel's module itself.
func TestTiedAgain(t *testing.T) {
	t.Parallel()
	b := newKernel(t, "p")
	root := filepath.Dir(b.dir)
	b.write(root, "p/go.mod", "module example.org/p\n\ngo 1.26\n")
	b.starts()
	cell := smallProgram("dep.Word()", depPath)
	if _, says, err := b.build(cell); err == nil || !strings.Contains(says, "no required module provides package example.org/dep") {
		t.Fatalf("without the requirement: %v: %s", err, says)
	}
	b.write(root, "p/go.mod", "module example.org/p\n\ngo 1.26\n\nrequire example.org/dep v0.0.0\n\nreplace example.org/dep => ../dep\n")
	if out, err := b.run("get"); err != nil {
		t.Fatalf("go get: %v: %s", err, out)
	}
	if out, err := b.run("mod", "edit", "-replace=example.org/x=../x"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.expect(cell, "go: no record", "old")
	b.write(root, "p/go.mod", "module example.org/p\n\ngo 1.26\n")
	if out, err := b.run("get", "-t"); err != nil {
		t.Fatalf("go get: %v: %s", err, out)
	}
	b.expect(cell, repeated, "old")
}

// TestUnreadableProject: a kernel starts whatever the project's go.mod is, and says what is wrong with it before a cell.
func TestUnreadableProject(t *testing.T) {
	t.Parallel()
	for name, mod := range map[string]string{"no go.mod": "modul x\n", "no name": "go 1.26\n"} {
		t.Run(name, func(t *testing.T) {
			b := newKernel(t, "p")
			root := filepath.Dir(b.dir)
			b.write(root, "p/go.mod", mod)
			b.starts()
			out, err := b.run("get")
			if err == nil || !strings.Contains(out, filepath.Join(root, "p", "go.mod")) {
				t.Errorf("go get: %v: %s", err, out)
			}
			b.write(root, "p/go.mod", "module example.org/p\n\ngo 1.26\n")
			b.write(root, "p/word/word.go", "package word\n\nfunc Word() string { return \"mended\" }\n")
			if out, err := b.run("get"); err != nil {
				t.Fatalf("go get, mended: %v: %s", err, out)
			}
			b.expect(smallProgram("word.Word()", "example.org/p/word"), "go: no record", "mended")
		})
	}
}

// TestHints: an undefined name is told of with what cells are; other messages are the go command's alone.
func TestHints(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	_, says, err := b.build("package main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(y)\n\tfmt.Prinln()\n}\n")
	if err == nil {
		t.Fatal("it was built")
	}
	want := []string{
		"./main.go:6:14: undefined: y (every cell is a program of its own: what a cell makes below %% is gone when it ends. Declare y above %%, or run the cell that declares it first)",
		"./main.go:7:6: undefined: fmt.Prinln",
	}
	for _, w := range want {
		if !strings.Contains(says, w+"\n") {
			t.Errorf("it says\n%s\nwant the line\n%s", says, w)
		}
	}
	_, says, err = b.build("package main\n\nfunc must[T any](v T, err error) T { return v }\n\nfunc main() {\n\t_ = must(y())\n}\n")
	if err == nil || !strings.Contains(says, "undefined: y (every") || strings.Contains(says, "arguments") {
		t.Errorf("of a call's value it says (%v)\n%s", err, says)
	}
}

// TestSmall: programs have no symbol table unless flags for the linker are given, by the cell or by the user.
func TestSmall(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	size := func() int64 {
		t.Helper()
		if _, says, err := b.build(program("1", "strings") + "\nvar _ = strings.ToUpper\n"); err != nil {
			t.Fatalf("%v: %s", err, says)
		}
		info, err := os.Stat(b.output())
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	without := size()
	b.flags = []string{"-ldflags=-X main.x=y"}
	with := size()
	if without >= with {
		t.Errorf("%d bytes without a symbol table, %d with one", without, with)
	}
	b.flags, b.env = nil, append(b.env, "GOFLAGS=-ldflags=-v=0")
	if got := size(); got != with {
		t.Errorf("with GOFLAGS %d bytes, want %d", got, with)
	}
}
