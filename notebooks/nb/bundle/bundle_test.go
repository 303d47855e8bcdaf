package bundle

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// program is a program as a kernel writes it.
func program(imports, decls, body string) string {
	out := "package main\n\nimport (\n"
	for _, path := range strings.Fields(imports) {
		out += fmt.Sprintf("\t%q\n", path)
	}
	return out + ")\n\n" + decls + "\n\nfunc main() {\n" + body + "\n}\n"
}

// joined is Join in words: the numbers of the cells of each program.
func joined(sources ...string) string {
	var texts [][]byte
	for _, s := range sources {
		texts = append(texts, []byte(s))
	}
	var words []string
	for _, p := range Join(texts) {
		words = append(words, fmt.Sprint(p.Cells))
	}
	return strings.Join(words, " ")
}

// TestJoin: what is built together, and what is not as it would show.
func TestJoin(t *testing.T) {
	const f, g = "func f() int { return 1 }", "func g() int { return f() }"
	const count = "var n int\nfunc f() int { n++; return n }"
	hello := program("fmt", "", "fmt.Println(1)")
	for _, tc := range []struct {
		name    string
		sources []string
		want    string
	}{
		{"one", []string{hello}, ""},
		{"equal ones", []string{hello, hello}, ""},
		{"declarations pile up", []string{program("", f, "f()"), program("", f+"\n"+g, "g()"), program("fmt", g+"\n"+f, "fmt.Println(g())")}, "[0 1 2]"},
		{"a function anew", []string{program("", f, "f()"), program("", "func f() int { return 2 }", "f()"), program("", f, "println(f())"), program("", "func f() int { return 2 }", "println(f())")}, "[0 2] [1 3]"},
		{"another kind", []string{program("", f, "f()"), program("", "var f = 1", "println(f)")}, ""},
		{"a part of a block of constants", []string{program("", "const (\n\ta = iota\n\tb\n)", "println(a)"), program("", "const b = 1", "println(b)")}, ""},
		{"a method more", []string{program("", "type T int", "println(T(1))"), program("", "type T int\nfunc (t *T) String() string { return \"\" }", "println(T(1))"), program("", "type T int", "println(T(2))")}, "[0 2]"},
		{"a generic method more", []string{program("", "type T[K any] struct{}", "_ = T[int]{}"), program("", "type T[K any] struct{}\nfunc (t T[K]) Error() string { return \"\" }", "_ = T[int]{}")}, ""},
		{"an initialiser that calls", []string{program("", f, "f()"), program("", f+"\nvar x = f()", "println(x)"), program("", f+"\nvar (\n\tx = f()\n\ty = 2\n)", "println(x+y)")}, "[1 2]"},
		{"initialisers in another order", []string{program("", f+"\nvar x = f()\nvar y = f()", "println(x)"), program("", f+"\nvar y = f()\nvar x = f()", "println(y)")}, ""},
		{"an initialiser that waits", []string{program("", "", "println(1)"), program("", "var c chan int\nvar x = <-c", "println(x)")}, ""},
		{"an initialiser that may panic", []string{program("", "var z int", "println(z)"), program("", "var z int\nvar x = 1 / z", "println(x)"), program("", "var z []int\nvar x = z[1]", "println(x)")}, ""},
		{"initialisers that do nothing", []string{program("errors", "var e = errors.New(\"e\")", "println(e)"), program("", "var x, y = []int{1, -2}, map[string]func() int{\"a\": func() int { return panics() }}\nfunc panics() int { panic(1) }", "println(x, y)")}, "[0 1]"},
		{"init", []string{program("", "", "println(1)"), program("", "func init() { println(2) }", "println(1)"), program("", "func init() { println(2) }", "println(3)")}, "[1 2]"},
		{"a name of a later cell", []string{program("", "", "println(f())"), program("", f, "println(f())"), program("", f, "println(f(), 2)")}, "[1 2]"},
		{"an import of another cell", []string{program("", "", "fmt.Println(2)"), hello, program("fmt", "", "fmt.Println(3)")}, "[1 2]"},
		{"an import in vain", []string{program("fmt", "", "println(1)"), hello, program("fmt os", "", "fmt.Println(os.Args)")}, "[1 2]"},
		{"two packages of a name", []string{program("math/rand", "", "rand.Int()"), program("math/rand/v2", "", "rand.Int()"), program("fmt math/rand", "", "fmt.Println(rand.Int())")}, "[0 2]"},
		{"a function of a package's name", []string{program("math", "", "println(math.Pi)"), program("", "func math() {}", "math()")}, ""},
		{"a package of a function's name", []string{program("", "func math() {}", "math()"), program("math", "", "println(math.Pi)")}, ""},
		{"a name of Go's own", []string{program("", "", "println(max(1, 2))"), program("", "func max(a, b int) int { return a }", "println(max(1, 2))"), program("", "func max(a, b int) int { return a }", "println(max(2, 2))")}, "[1 2]"},
		{"an import that registers", []string{program("image/png", "", "_ = png.Decode"), hello, program("image/png", "", "_ = png.Encode")}, "[0 2]"},
		{"an import for its effect", []string{strings.Replace(hello, "\"fmt\"", "\"fmt\"\n_ \"image/png\"", 1), hello, strings.Replace(program("fmt", "", "fmt.Println(5)"), "\"fmt\"", "\"fmt\"\n_ \"image/png\"", 1)}, "[0 2]"},
		{"another module's package", []string{program("example.org/a", "", "a.F()"), hello, program("example.org/a fmt", "", "fmt.Println(a.F())")}, "[0 2]"},
		{"packages of this project", []string{program(core+"dpkit", "", "dpkit.F()"), hello, program(core+"sqlsource", "", "sqlsource.F()")}, "[0 1]"},
		{"a package that tells of the build", []string{program("runtime/debug", "", "debug.PrintStack()"), program("runtime/debug fmt", "", "fmt.Println(debug.ReadBuildInfo())")}, ""},
		{"a name that the path does not tell", []string{program("example.org/go-a", "", "a.F()"), program("example.org/go-a", "", "println(a.F())")}, ""},
		{"a key of another cell", []string{program("", "", "println(len(map[string]int{x: 1}))"), program("", "const x = \"a\"", "println(x)"), program("", "", "println([...]int{x: 1}[0])")}, "[0 2]"},
		{"another cell's key", []string{program("", "const x = \"a\"", "println(x)"), program("", "", "println(len(map[string]int{x: 1}))"), program("", "const x = \"a\"", "println(len(map[string]int{x: 1}))")}, "[0 2]"},
		{"keys that are its own, and fields", []string{program("", "type T struct{ a int }\nconst x = \"a\"", "println(len(map[string]T{x: {a: 1}}))"), program("", "const x = \"a\"", "println(len(map[string]int{x: 1}))")}, "[0 1]"},
		{"what is read before a call and behind it", []string{program("", count+"\nvar x = f()", "println(x)"), program("", count+"\nvar a = n\nvar x = f()", "println(a)"), program("", count+"\nvar x = f()\nvar a = n", "println(a)")}, ""},
		{"what is read where nothing is done", []string{program("", "var n = 1", "println(n)"), program("", "var n = 1\nvar a = n", "println(a)")}, "[0 1]"},
		{"a package's variable behind a call", []string{program("", f+"\nvar x = f()", "println(x)"), program("os", f+"\nvar x = f()\nvar a = os.Args", "println(a)")}, ""},
		{"a dot", []string{"package main\nimport . \"fmt\"\nfunc main() { Println() }", "package main\nimport . \"fmt\"\nfunc main() { Println(1) }"}, ""},
		{"a directive", []string{"//go:build linux\n\n" + hello, hello, program("", "//go:noinline\n"+f, "f()")}, ""},
		{"main calls main", []string{program("os", "", "if len(os.Args) > 5 {\nmain()\n}"), program("", "", "println(1)")}, ""},
		{"no Go", []string{"package main\n\nfunc {", hello}, ""},
		{"no main", []string{"package main\n\nvar x = 1", hello}, ""},
		{"a variable without a name", []string{program("", f+"\nvar _ = f()", "println(1)"), program("", f+"\nvar _ = f()", "println(2)")}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := joined(tc.sources...); got != tc.want {
				t.Errorf("joined %q, want %q", got, tc.want)
			}
		})
	}
}

// TestProgram: a program runs the cell that it is told, once compiled, with what each cell had alone.
func TestProgram(t *testing.T) {
	const decls = "type T struct{ cell_ int }\n\nfunc (t T) String() string { return fmt.Sprint(\"T\", t.cell_) }\n\nvar begun = begin()\n\nfunc begin() int {\n\tfmt.Println(\"begin\")\n\treturn 7\n}\n\n"
	var texts [][]byte
	want := []string{"begin\nT1 main.T\n", "begin\n7 [x]\n", "begin\n3.14\n"}
	for i, source := range []string{
		program("fmt", decls, "fmt.Println(T{1}, fmt.Sprintf(\"%T\", T{}))"),
		program("fmt strings", decls+"const pi = 3.14", "begun := begun\nfmt.Println(begun, strings.Fields(\" x \"))"),
		program("fmt", decls+"const pi = 3.14", "defer func() { fmt.Println(recover()) }()\npanic(pi)"),
	} {
		texts = append(texts, []byte(source))
		if i == 1 {
			texts = append(texts, []byte(source)) // the same again
		}
	}
	list := Join(texts)
	if len(list) != 1 || !slices.Equal(list[0].Cells, []int{0, 1, 3}) {
		t.Fatalf("joined %+v", list)
	}
	dir := t.TempDir()
	file, built := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, list[0].Source, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", built, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s\n%s", err, out, list[0].Source)
	}
	data, err := os.ReadFile(built)
	if err != nil || bytes.Count(data, []byte(list[0].Mark)) != 1 {
		t.Fatalf("the mark is there %d times (%v), want once", bytes.Count(data, []byte(list[0].Mark)), err)
	}
	if out, err := exec.Command(built).CombinedOutput(); err == nil || !bytes.Contains(out, []byte("was not told which one")) {
		t.Errorf("told nothing it says %s (%v)", out, err)
	}
	for i, want := range want {
		copy(data[bytes.Index(data, []byte(list[0].Mark))+len(list[0].Mark):], fmt.Sprintf("%0*d", Digits, i+1))
		told := fmt.Sprintf("%s%d", built, i)
		if err := os.WriteFile(told, data, 0o700); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(told).CombinedOutput(); err != nil || string(out) != want {
			t.Errorf("cell %d prints %q (%v), want %q", i+1, out, err, want)
		}
	}
}

// TestAssumedNames: a package is imported by the name that it has, not by the one that its path tells: else a cell compiles that does not alone.
func TestAssumedNames(t *testing.T) {
	one, other := program("example.org/foo", "", "foo.F()"), program("example.org/foo", "", "println(foo.F())")
	named := strings.Replace(program("", "", "foo.F()"), "import (", "import (\n\tfoo \"example.org/foo\"", 1)
	for _, tc := range []struct{ sources, want string }{
		{one + "|" + other, "\t \"example.org/foo\""},
		{named + "|" + other, "\t \"example.org/foo\""},
		{named + "|" + strings.Replace(named, "F()", "F(1)", 1), "\tfoo \"example.org/foo\""},
	} {
		var texts [][]byte
		for s := range strings.SplitSeq(tc.sources, "|") {
			texts = append(texts, []byte(s))
		}
		list := Join(texts)
		if len(list) != 1 || !bytes.Contains(list[0].Source, []byte(tc.want)) {
			t.Errorf("%s: got %+v, want one that imports %s", tc.sources, list, tc.want)
		}
	}
}
