package export

import (
	"slices"
	"strings"
	"testing"
)

// TestEpochs: what opens a new package, and what its code holds.
func TestEpochs(t *testing.T) {
	const run = "%%\nprintln(1)"
	for _, tc := range []struct {
		name   string
		cells  []string
		epochs int
		has    string // in the last package
		hasNot string
	}{
		{"function again", []string{"func f() {}", run, "func f() { println() }"}, 2, "func f() { println() }", "func f() {}"},
		{"nothing ran before", []string{"func f() {}", "func f() { println() }", run}, 1, "func f() { println() }", "func f() {}"},
		{"same again", []string{"func f() {}\nvar a, b = 1, 2", run, "var a, b = 1, 2\nfunc f() {}", run}, 1, "", ""},
		{"new declaration", []string{"var a = 1", run, "var b = 1\nfunc f() {}"}, 1, "var b", ""},
		{"removed", []string{"var a = 1\nvar b = 2", run, "%rm a\n%remove c"}, 2, "var b", "var a"},
		{"reset", []string{"var a = 1", run, "%reset"}, 2, "", "var a"},
		{"reset of go.mod", []string{"var a = 1", run, "%reset go.mod"}, 1, "var a", ""},
		{"tuple goes as a whole", []string{"func f() (int, int) { return 1, 2 }\nvar a, b = f()", run, "var b = 3"}, 2, "var b = 3", "a, b"},
		{"two values are no tuple", []string{"var a, b = 1, 2", run, "var b = 3"}, 2, "var a = 1", "var b = 2"},
		{"first of a tuple removed", []string{"func f() (int, int) { return 1, 2 }\nvar a, b = f()", run, "%rm a"}, 2, "", "a, b"},
		{"second of a tuple stays", []string{"func f() (int, int) { return 1, 2 }\nvar a, b = f()", run, "%rm b"}, 1, "var a, b = f()", ""},
		{"const block as a whole", []string{"const (\n\tA = iota\n\tB\n\tC\n)", run, "const (\n\tA = iota + 1\n\tB\n)"}, 2, "A = iota + 1", "\tC"},
		{"method by receiver", []string{"type S struct{}\nfunc (s S) M() {}", run, "func (s *S) M() { println() }"}, 2, "func (s *S) M()", "func (s S) M()"},
		{"method of an earlier type", []string{"type S struct{}", run, "func (s S) String() string { return \"\" }"}, 2, "func (s S) String", ""},
		{"type with its method", []string{run, "type S struct{}\nfunc (s S) M() {}"}, 1, "func (s S) M()", ""},
		{"initialiser that calls", []string{"func f() int { return 1 }", run, "var x = f()"}, 2, "var x = f()", ""},
		{"conversion", []string{"type S int", run, "var x = S(len(\"a\"))"}, 1, "var x", ""},
		{"init", []string{run, "func init_x() { println() }"}, 2, "func init() { println() }", "init_x"},
		{"two init functions", []string{"func init_b() { println(2) }\nfunc init_a() { println(1) }", run}, 1, "func init() { println(1) }\n\nfunc init() { println(2) }", ""},
		{"import of another path", []string{"import \"math/rand\"", "%%\nrand.Int()", "import \"crypto/rand\"\nvar r = rand.Reader"}, 2, `"crypto/rand"`, `"math/rand"`},
		{"alias", []string{"import s \"strings\"", "%%\nprintln(s.ToUpper(\"x\"))"}, 1, `s "strings"`, ""},
		{"unused import", []string{"import \"os\"", run}, 1, "", `"os"`},
		{"import of a later cell", []string{"%%\nos.Exit(0)", "import \"os\""}, 1, `"os"`, ""},
		{"shadowed import", []string{"import \"os\"", "%%\nos := struct{ Exit func(int) }{}\nos.Exit(0)"}, 1, "", `"os"`},
		{"blank import", []string{"import _ \"embed\"", run}, 1, `_ "embed"`, ""},
		{"version in the path", []string{"import \"math/rand/v2\"\n%%\nrand.IntN(1)"}, 1, `"math/rand/v2"`, ""},
		{"names of the export are taken", []string{"var notebook, celltest, testing, cell02 = 1, 2, 3, 4", "%%\nprintln(notebook, celltest, testing, cell02)"}, 1, "var notebook_ = celltest_.Start", ""},
		{"dropped package line", []string{"package main\n%%\npackages := 3\nprintln(1)"}, 1, "println(1)", "packages"},
		{"old tests stay behind", []string{"import \"testing\"\nfunc f() {}\nfunc TestA(t *testing.T) { f() }", "func f() { println() }\n" + run}, 2, "func f() { println() }", "TestA"},
		{"%exec", []string{"func f() { println() }\n%exec f a"}, 1, "func cell01() { f() }", ""},
		{"%exec alone runs nothing", []string{"func f() {}", "%exec f"}, 1, "", "cell02"},
		{"only commands run nothing", []string{"%%"}, 1, "", "cell01"},
		{"left out", []string{"//| eval: false\nvar x = 1", run}, 1, "", "var x"},
		{"directive test", []string{"//| test\nvar x = 1"}, 1, "func cell01() {}", ""},
		{"name", []string{"//| name: a b-c é\n" + run}, 1, "func TestCell01_a_b_c_é(t", ""},
		{"comments stay", []string{"// T is a type.\ntype T struct {\n\tA int // a field\n}\n\n// f does.\nfunc f() {} // after\n" + run}, 1, "// T is a type.\ntype T struct {\n\tA int // a field\n}", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := Notebook(cells(tc.cells...), Options{Name: "n.ipynb", Path: "../n.ipynb"})
			if err != nil {
				t.Fatal(err)
			}
			var files []string
			for name := range p.Files {
				if strings.HasSuffix(name, ".go") {
					files = append(files, name)
				}
			}
			slices.Sort(files)
			if len(files) != tc.epochs {
				t.Fatalf("wrote %q, want %d packages", files, tc.epochs)
			}
			last := files[0]
			if tc.epochs > 1 {
				last = "e02/notebook_test.go"
			}
			code := string(p.Files[last])
			if !strings.Contains(code, tc.has) || tc.hasNot != "" && strings.Contains(code, tc.hasNot) {
				t.Errorf("want %q and not %q in\n%s", tc.has, tc.hasNot, code)
			}
		})
	}
}

func TestSplitWords(t *testing.T) {
	for _, tc := range []struct {
		in   string
		want []string
	}{
		{"%  a\tb ", []string{"%", "a", "b"}},
		{`args "a b" c"d e"f ""`, []string{"args", "a b", "cd ef", ""}},
		{`args "a\"b\n\t\\" c\d`, []string{"args", "a\"b\n\t\\", `c\d`}},
		{`"open \`, []string{"open "}},
		{"é", []string{"Ã©"}}, // as the kernel
		{"  ", nil},
	} {
		if got := splitWords(tc.in); !slices.Equal(got, tc.want) {
			t.Errorf("splitWords(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestAssumedName(t *testing.T) {
	for path, want := range map[string]string{
		"fmt": "fmt", "math/rand/v2": "rand", "gopkg.in/yaml.v3": "yaml", "example.com/go-name": "name",
		"example.com/x/v10": "x", "example.com/a-b": "a", "v2": "v2",
	} {
		if got := assumedName(path); got != want {
			t.Errorf("assumedName(%q) = %q, want %q", path, got, want)
		}
	}
}

func TestLexer(t *testing.T) {
	for _, tc := range []struct{ line, place string }{
		{"a := `", "raw string"},
		{"a := \"`\"", ""},
		{"a := '`'", ""},
		{"a := \"\\\"`", ""}, // not closed: ends with the line
		{"// `", ""},
		{"/* `", "comment"},
		{"/* */ `", "raw string"},
		{"a := `/*` /* ", "comment"},
	} {
		var l lexer
		if l.line(tc.line); l.place() != tc.place {
			t.Errorf("after %q the text is in %q, want %q", tc.line, l.place(), tc.place)
		}
	}
}
