package arch

import (
	"go/ast"
	"go/build"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestComments: every exported name has a comment, but for methods that an interface explains.
func TestComments(t *testing.T) {
	src := newSources(filepath.Join("..", ".."))
	known, used := src.explanations(t), map[string]bool{}
	names := 0
	for _, pkg := range src.packages(t) {
		var missing []string
		src.load(t, module+pkg).exported(func(name, method string, at token.Pos, commented bool) {
			names++
			if commented || method != "" && standard[method] != "" {
				return
			}
			explained := false
			for _, e := range known {
				if method != "" && e.of.MatchString(method) {
					used[e.by], explained = true, true
				}
			}
			if !explained {
				missing = append(missing, src.fset.Position(at).String()+": "+name)
			}
		})
		if len(missing) > 0 {
			t.Errorf("%s: no comment: say what it does, in which shapes and units, and what errors it has:\n\t%s", pkg, strings.Join(missing, "\n\t"))
		}
	}
	for _, e := range known {
		if !used[e.by] {
			t.Errorf("%s explains no method that has no comment of its own: take it off the list", e.by)
		}
	}
	if names < 2000 {
		t.Errorf("found %d exported names", names)
	}
}

// packages are the directories of the packages of this module.
func (s *sources) packages(t *testing.T) []string {
	var all []string
	err := filepath.WalkDir(s.root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		if path != s.root && notOurs(e.Name()) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(s.root, path)
		if err != nil {
			return err
		}
		if p, err := build.ImportDir(path, 0); err == nil && len(p.GoFiles) > 0 {
			all = append(all, filepath.ToSlash(rel))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// exported calls fn of every exported name of a package: what it is called, its signature if it is a method, its place, and
// whether a comment stands at it.
func (p *source) exported(fn func(name, method string, at token.Pos, commented bool)) {
	for _, f := range p.files {
		if f.Name.Name == "main" {
			continue // a command, or a generator beside a package
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				name, method := d.Name.Name, ""
				if d.Recv != nil {
					base := receiver(d)
					if !base.IsExported() {
						continue
					}
					name, method = base.Name+"."+name, signature(d.Name.Name, d.Type)
				}
				if d.Name.IsExported() {
					fn(name, method, d.Pos(), d.Doc != nil)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					exportedOf(d, spec, fn)
				}
			}
		}
	}
}

func exportedOf(d *ast.GenDecl, spec ast.Spec, fn func(name, method string, at token.Pos, commented bool)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			if n.IsExported() {
				fn(n.Name, "", n.Pos(), d.Doc != nil || spec.Doc != nil || spec.Comment != nil)
			}
		}
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return
		}
		commented := d.Doc != nil || spec.Doc != nil || spec.Comment != nil
		fn(spec.Name.Name, "", spec.Pos(), commented)
		methods := methodsOf(spec)
		for _, m := range methods {
			if n := m.Names[0]; n.IsExported() {
				fn(spec.Name.Name+"."+n.Name, signature(n.Name, m.Type.(*ast.FuncType)), n.Pos(), explains(m, methods, commented))
			}
		}
	}
}

// methodsOf are the methods that an interface lists, without those of the interfaces that it embeds; none of another type.
func methodsOf(spec *ast.TypeSpec) []*ast.Field {
	body, is := spec.Type.(*ast.InterfaceType)
	if !is {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(body.Methods.List), func(f *ast.Field) bool { return len(f.Names) == 0 })
}

// explains says whether a method of an interface has its explanation: at it, or at the interface whose only method it is.
func explains(m *ast.Field, of []*ast.Field, commented bool) bool {
	return m.Doc != nil || m.Comment != nil || len(of) == 1 && commented
}
