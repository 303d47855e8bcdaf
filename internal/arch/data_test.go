package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readsData matches what .ci/run looks for in the tests of dpkit that it runs again without real data: the variable, or a function of
// package datasets that makes up no rows (Synthetic…). This file is not to match.
var readsData = regexp.MustCompile(`"DPNB_` + `DATA"|datasets\.[A-RT-Z]`)

// TestReadersOfDataAreTests: what reads data in dpkit's tests is a test, or serves those of files in which .ci/run sees it: no other test
// depends on whether there is data.
func TestReadersOfDataAreTests(t *testing.T) {
	script := readAll(t, filepath.Join("..", "..", ".ci", "run"))
	if !strings.Contains(script, `git grep -lE '`+readsData.String()+`' -- 'dpkit/*_test.go'`) {
		t.Fatalf(".ci/run does not look for %s", readsData)
	}
	var readers, others []string
	for _, file := range goFiles(t, filepath.Join("..", "..", "dpkit")) {
		switch {
		case !strings.HasSuffix(file, "_test.go"):
		case readsData.MatchString(readAll(t, file)):
			readers = append(readers, file)
		default:
			others = append(others, file)
		}
	}
	if len(readers) < 5 || len(others) < 100 {
		t.Fatalf("%d files of tests read data, %d do not", len(readers), len(others))
	}
	for _, file := range readers {
		text := readAll(t, file)
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, file, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if !readsData.MatchString(text[set.Position(d.Pos()).Offset:set.Position(d.End()).Offset]) {
				continue
			}
			for _, name := range declared(d) {
				if strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Example") {
					continue
				}
				use := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
				for _, other := range others {
					if use.MatchString(readAll(t, other)) {
						t.Errorf("%s: %s reads data, and %s names it: a test that needs it belongs to a file that names package datasets", file, name, other)
					}
				}
			}
		}
	}
}

// declared are the names of a declaration, without those of imports.
func declared(d ast.Decl) (names []string) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		names = append(names, d.Name.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if v, ok := s.(*ast.ValueSpec); ok {
				for _, n := range v.Names {
					names = append(names, n.Name)
				}
			}
		}
	}
	return names
}
