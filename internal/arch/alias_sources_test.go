package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"maps"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sources are the packages of this module that were asked for, parsed.
type sources struct {
	root string
	fset *token.FileSet
	read map[string]*source
}

// A source is a package without its tests.
type source struct {
	path    string
	files   map[string]*ast.File
	types   map[string]*declaredType
	names   map[string]bool // everything that is declared at the top, but for methods
	methods map[string][]*ast.FuncDecl
	fileOf  map[*ast.FuncDecl]*ast.File
	aliases []alias
}

type declaredType struct {
	spec      *ast.TypeSpec
	file      *ast.File
	commented bool
}

// An alias is the declaration of one, with its comment.
type alias struct {
	spec *ast.TypeSpec
	doc  *ast.CommentGroup
	file string
}

func newSources(root string) *sources {
	return &sources{root: root, fset: token.NewFileSet(), read: map[string]*source{}}
}

func (s *sources) filesOf(p *source) iter.Seq[string] { return maps.Keys(p.files) }

// load parses a package of this module.
func (s *sources) load(t *testing.T, importPath string) *source {
	if p := s.read[importPath]; p != nil {
		return p
	}
	rel, ours := strings.CutPrefix(importPath, module)
	if !ours {
		t.Fatalf("package %s is not of this module", importPath)
	}
	p := s.parse(t, importPath, rel, func(path string) bool { return !strings.HasSuffix(path, "_test.go") })
	if len(p.files) == 0 {
		t.Fatalf("package %s has no files", importPath)
	}
	s.read[importPath] = p
	return p
}

// testsOf parses the tests of a package, inner and outer ones as one.
func (s *sources) testsOf(t *testing.T, p *source) *source {
	return s.parse(t, p.path, strings.TrimPrefix(p.path, module), func(path string) bool { return strings.HasSuffix(path, "_test.go") })
}

func (s *sources) parse(t *testing.T, importPath, dir string, keep func(path string) bool) *source {
	paths, err := filepath.Glob(filepath.Join(s.root, filepath.FromSlash(dir), "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	p := &source{
		path: importPath, files: map[string]*ast.File{}, types: map[string]*declaredType{}, names: map[string]bool{},
		methods: map[string][]*ast.FuncDecl{}, fileOf: map[*ast.FuncDecl]*ast.File{},
	}
	for _, path := range paths {
		if !keep(path) {
			continue
		}
		f, err := parser.ParseFile(s.fset, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		p.files[path] = f
		for _, d := range f.Decls {
			p.declare(path, f, d)
		}
	}
	return p
}

func (p *source) declare(path string, f *ast.File, d ast.Decl) {
	if fn, is := d.(*ast.FuncDecl); is {
		if fn.Recv == nil {
			p.names[fn.Name.Name] = true
		} else if base := receiver(fn); base != nil {
			p.methods[base.Name] = append(p.methods[base.Name], fn)
			p.fileOf[fn] = f
		}
		return
	}
	gen := d.(*ast.GenDecl)
	for _, spec := range gen.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for _, n := range spec.Names {
				p.names[n.Name] = true
			}
		case *ast.TypeSpec:
			p.names[spec.Name.Name] = true
			p.types[spec.Name.Name] = &declaredType{spec, f, gen.Doc != nil || spec.Doc != nil || spec.Comment != nil}
			if spec.Assign.IsValid() && spec.Name.IsExported() {
				doc := spec.Doc
				if doc == nil {
					doc = gen.Doc
				}
				p.aliases = append(p.aliases, alias{spec, doc, path})
			}
		}
	}
}

// receiver is the name of the type that a method is of.
func receiver(fn *ast.FuncDecl) *ast.Ident {
	x := fn.Recv.List[0].Type
	if star, is := x.(*ast.StarExpr); is {
		x = star.X
	}
	id, _ := withoutArguments(x).(*ast.Ident)
	return id
}

// withoutArguments is a type's name without the types that it is given.
func withoutArguments(x ast.Expr) ast.Expr {
	switch x := x.(type) {
	case *ast.IndexExpr:
		return x.X
	case *ast.IndexListExpr:
		return x.X
	}
	return x
}

// imported is the path of the package that a file knows by a name, "" if by none.
func imported(f *ast.File, name string) string {
	for _, imp := range f.Imports {
		p, err := strconv.Unquote(imp.Path.Value)
		if err != nil {
			continue
		}
		if imp.Name == nil && path.Base(p) == name || imp.Name != nil && imp.Name.Name == name {
			return p
		}
	}
	return ""
}

// named is the package and the name that an expression in a file of p names, aliases of this module being followed; ok
// is false where it is no name.
func (s *sources) named(t *testing.T, p *source, f *ast.File, x ast.Expr) (pkg, name string, ok bool) {
	switch x := withoutArguments(x).(type) {
	case *ast.Ident:
		pkg, name = p.path, x.Name
	case *ast.SelectorExpr:
		id, is := x.X.(*ast.Ident)
		if !is {
			return "", "", false
		}
		pkg, name = imported(f, id.Name), x.Sel.Name
	default:
		return "", "", false
	}
	if !strings.HasPrefix(pkg, module) {
		return pkg, name, true
	}
	if q := s.load(t, pkg); q.types[name] != nil && q.types[name].spec.Assign.IsValid() {
		if toPkg, to, is := s.named(t, q, q.types[name].file, q.types[name].spec.Type); is {
			return toPkg, to, true
		}
	}
	return pkg, name, true
}
