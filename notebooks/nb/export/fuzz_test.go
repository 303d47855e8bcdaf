package export

import (
	"errors"
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// FuzzCell: any two cells are either refused with positions inside them, or exported as Go.
func FuzzCell(f *testing.F) {
	for _, seed := range [][2]string{
		{"import \"fmt\"\nvar a, b = 1, 2", "%% -x \"y\nz\" \\\n more\nfmt.Println(a)"},
		{"//gonb:%exec f a\nfunc f() {}", "func f() { println(`\n%x`) }"},
		{"const (\n_ = iota\nA\n)\npackage x", "const A = 1"},
		{"%%bash\nx", "! \\\n"},
		{"//| output: approx=1e-3\n%main", "// | exit: any\n%rm a\n%reset\n%cd x/..\n%env A B"},
		{"type T[K any] struct{}\nfunc (T[K]) M() {}", "func (*T[K]) M() {}\nvar _ = T[int]{}"},
		{"/* %\n%x */", "\"\\\n'`'"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, first, second string) {
		n := cells(first, second)
		p, err := Notebook(n, Options{Name: "n.ipynb", Path: "../n.ipynb"})
		if errors.Is(err, ErrNoCode) {
			return
		}
		if err != nil {
			list, ok := err.(interface{ Unwrap() []error })
			if !ok {
				t.Fatalf("an error without positions: %v", err)
			}
			var sources []string
			for _, s := range []string{first, second} {
				if strings.TrimSpace(s) != "" {
					sources = append(sources, s)
				}
			}
			for _, e := range list.Unwrap() {
				var at *Error
				if !errors.As(e, &at) || at.Cell < 1 || at.Cell > len(sources) || at.Line < 1 || at.Line > 1+strings.Count(sources[at.Cell-1], "\n") {
					t.Fatalf("a position outside the notebook: %v", e)
				}
			}
			return
		}
		for name, data := range p.Files {
			if !strings.HasSuffix(name, ".go") {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ParseComments); err != nil {
				t.Fatalf("%s: %v\n%s", name, err, data)
			}
		}
	})
}
