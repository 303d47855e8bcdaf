package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestChangedDuringTheBuild: a local file that is replaced after it was compiled, by one of the same size and as old, is not
// what was built, and no clock tells so.
func TestChangedDuringTheBuild(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	word := func(word string) string { return "package dep\n\nfunc Word() string { return \"" + word + "\" }\n" }
	file, later := filepath.Join(b.dep, "dep.go"), filepath.Join(filepath.Dir(b.dep), "later.go")
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(later, []byte(word("new")), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(later, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	real, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	// A go command that puts itself between the real one and cellgo's -toolexec, and replaces the file then: the go command asks for the
	// linker only when all is compiled.
	behind := t.TempDir()
	front := filepath.Join(behind, "go")
	b.write(b.bin, "front.go", fmt.Sprintf(`package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	program, args := %[3]q, os.Args[1:]
	if filepath.IsAbs(args[0]) { // cellgo, as -toolexec
		program, args = args[0], args[1:]
		if strings.HasSuffix(args[0], "link") && args[len(args)-1] != "-V=full" {
			if data, err := os.ReadFile(%[1]q); err == nil { // cp -p, which leaves the folder's time alone
				info, _ := os.Stat(%[1]q)
				if os.WriteFile(%[2]q, data, 0o644) != nil || os.Chtimes(%[2]q, info.ModTime(), info.ModTime()) != nil || os.Remove(%[1]q) != nil {
					panic("not swapped")
				}
			}
		}
	}
	for i, a := range args {
		if tool, ok := strings.CutPrefix(a, "-toolexec="); ok {
			args[i] = "-toolexec=" + %[4]q + " " + tool
		}
	}
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if cmd.Run() != nil {
		os.Exit(1)
	}
}
`, later, file, real, front))
	if out, err := exec.Command(real, "build", "-o", front, filepath.Join(b.bin, "front.go")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b.env = append(b.env, "PATH="+b.bin+string(filepath.ListSeparator)+behind)
	b.expect(program("dep.Word(), 1", depPath), "go: no record\nnot recorded: "+b.dep+" changed during the build", "old 1")
	if _, err := os.Stat(later); !os.IsNotExist(err) {
		t.Fatal("the file was not replaced")
	}
	b.expect(program("dep.Word(), 2", depPath), "go: no record", "new 2")
	b.expect(program("dep.Word(), 3", depPath), repeated, "new 3")
}

// TestReplacing: the folders of a go.mod.
func TestReplacing(t *testing.T) {
	for _, c := range []struct{ name, mod, want string }{
		{"one", "replace a.org/b => ../b\n", "[../b]"},
		{"a block", "replace (\n\ta.org/b => ./b // why\n\ta.org/c v1.0.0 => /abs/c\n\ta.org/d => a.org/e v1.0.0\n)\n", "[./b /abs/c]"},
		{"quoted", "replace a.org/b => \"../a folder\"\nreplace a.org/c => `../c d`\n", "[../a folder ../c d]"},
		{"itself", "replace a.org/b => .\nreplace a.org/c => ..\n", "[. ..]"},
		{"none", "module nb\n\ngo 1.26\n", "[]"},
		{"nothing behind", "replace a =>\n", "[.]"},
	} {
		if got, err := replacing(c.mod); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%s: got %v (%v), want %s", c.name, got, err, c.want)
		}
	}
}
