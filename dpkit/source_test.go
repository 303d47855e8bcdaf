package dpkit

import (
	"go/ast"
	"go/doc"
	goparser "go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A sourceOf is the source of a package: the face, or a room behind it.
type sourceOf struct {
	fset  *token.FileSet
	files []*ast.File
}

// sources are the face, first, and the rooms behind it, without tests.
var sources = sync.OnceValue(func() []sourceOf {
	byDir := map[string]*sourceOf{}
	var dirs []string
	err := filepath.WalkDir(".", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && slices.Contains([]string{"testdata", "federated", "local", "stage/stagetest", "attack"}, path) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		dir := filepath.Dir(path)
		if byDir[dir] == nil {
			byDir[dir] = &sourceOf{fset: token.NewFileSet()}
			dirs = append(dirs, dir)
		}
		f, err := goparser.ParseFile(byDir[dir].fset, path, nil, goparser.ParseComments)
		byDir[dir].files = append(byDir[dir].files, f)
		return err
	})
	if err != nil {
		panic(err)
	}
	slices.SortFunc(dirs, func(a, b string) int { return strings.Compare(a, b) }) // "." is first
	var out []sourceOf
	for _, dir := range dirs {
		out = append(out, *byDir[dir])
	}
	return out
})

// packageDocs are the comments of the face, first, and of the rooms.
var packageDocs = sync.OnceValue(func() []*doc.Package {
	var out []*doc.Package
	for _, s := range sources() {
		p, err := doc.NewFromFiles(s.fset, s.files, "github.com/dpkit-go/dpnb/dpkit", doc.PreserveAST)
		if err != nil {
			panic(err)
		}
		out = append(out, p)
	}
	return out
})
