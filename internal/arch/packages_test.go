package arch

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentation: every package that others can import has its comment in doc.go, and an example with an output that go
// test compares.
func TestDocumentation(t *testing.T) {
	root := filepath.Join("..", "..")
	files := map[string][]*ast.File{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != root && notOurs(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			files[filepath.Dir(path)] = append(files[filepath.Dir(path)], f)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	packages := 0
	for dir, all := range files {
		library, documented, exported := false, false, false
		var tests []*ast.File
		for _, f := range all {
			name := filepath.Base(fset.File(f.Package).Name())
			if strings.HasSuffix(name, "_test.go") {
				tests = append(tests, f)
				continue
			}
			if f.Name.Name == "main" {
				continue // a command, or a generator beside a package
			}
			library = true
			documented = documented || name == "doc.go" && f.Doc != nil
			exported = exported || ast.FileExports(f)
		}
		if !library {
			continue
		}
		packages++
		if !documented {
			t.Errorf("%s has no doc.go with the package's comment", dir)
		}
		examples := 0
		for _, e := range doc.Examples(tests...) {
			if e.Output != "" || e.EmptyOutput {
				examples++
			}
		}
		// The rooms of dpkit and of modules of their own are nobody's to import: examples of what they hold are those of the face.
		room := strings.Contains(filepath.ToSlash(dir), "dpkit/internal/") || strings.Contains(filepath.ToSlash(dir), "sqlsource/internal/")
		if exported && examples == 0 && !room {
			t.Errorf("%s has no example with an output", dir)
		}
	}
	if packages < 20 {
		t.Fatalf("found %d packages", packages)
	}
}
