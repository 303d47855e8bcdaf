package bundle

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strconv"
	"strings"
)

// cell is the program of one cell.
type cell struct {
	text      []byte
	decls     []decl
	methods   map[string]map[string]bool // of every type that it declares
	imports   map[string]string          // path by name; "_ path" is the name of an import for its effect
	unnamed   map[string]bool            // imports whose name is assumed
	keys      map[string]bool            // of composite literals, fields or values: names that it does not declare
	effects   []string                   // declarations that may do something before main begins, and those that may read what it did, in order
	sensitive []string                   // what all cells of a program must have, sorted: imports that may do something, names in place of Go's own
	body      string                     // of main, with its braces
}

// decl is a declaration that stands for itself: a function, a variable or several of one value, a type, constants in one block.
type decl struct {
	keys  []string // what it declares: names, "Type.Method"
	text  string
	acts  bool // before main begins, it may do something
	reads bool // its value may hang on what others did
}

var errAlone = errors.New("bundle: to be built alone")

// read reads a program, or says that it is to be built alone.
func read(text []byte) (*cell, error) {
	if bytes.Contains(text, []byte("//go:")) || bytes.Contains(text, []byte("+build")) || bytes.Contains(text, []byte("//line ")) || bytes.Contains(text, []byte("/*line ")) {
		return nil, errAlone // a directive
	}
	r := reader{fset: token.NewFileSet(), cell: &cell{text: text, methods: map[string]map[string]bool{}, imports: map[string]string{}, unnamed: map[string]bool{}, keys: map[string]bool{}}}
	file, err := parser.ParseFile(r.fset, "main.go", text, 0)
	if err != nil {
		return nil, err
	}
	if file.Name.Name != "main" || !r.imported(file) || !r.declared(file) || !r.named(file) {
		return nil, errAlone
	}
	slices.Sort(r.cell.sensitive)
	return r.cell, nil
}

type reader struct {
	*cell
	fset *token.FileSet
	vars map[string]bool // that the program declares
}

func (r *reader) between(from, to token.Pos) string {
	return string(r.text[r.fset.Position(from).Offset:r.fset.Position(to).Offset])
}

// imported reads the imports. Packages that tell a program what it was built of keep it alone.
func (r *reader) imported(file *ast.File) bool {
	for _, s := range file.Imports {
		path, err := strconv.Unquote(s.Path.Value)
		if err != nil || slices.Contains([]string{"C", "unsafe", "runtime/debug", "plugin"}, path) {
			return false
		}
		name := assumedName(path)
		if s.Name != nil {
			name = s.Name.Name
		} else if r.unnamed[name] = true; name == "" {
			return false
		}
		switch name {
		case ".":
			return false
		case "_":
			name = "_ " + path
		}
		if _, twice := r.imports[name]; twice {
			return false
		}
		r.imports[name] = path
		if name[0] == '_' || !quiet(path) {
			r.sensitive = append(r.sensitive, "import "+name+" "+path)
		}
		if types.Universe.Lookup(name) != nil {
			r.sensitive = append(r.sensitive, "name "+name)
		}
	}
	return true
}

// assumedName is the name of a package by its path, "" where the path does not tell for sure: the program of the group imports it without a
// name too, and does not compile where it is another one.
func assumedName(p string) string {
	base := path.Base(p)
	if len(base) > 1 && base[0] == 'v' && strings.Trim(base[1:], "0123456789") == "" && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	if !token.IsIdentifier(base) {
		return ""
	}
	return base
}

// declared reads the declarations.
func (r *reader) declared(file *ast.File) bool {
	mains, seen := 0, map[string]bool{}
	r.vars = variables(file)
	for _, d := range file.Decls {
		var list []decl
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "main" {
				if mains++; d.Body == nil || mains > 1 || len(d.Type.Params.List) > 0 || d.Type.Results != nil || d.Type.TypeParams != nil {
					return false
				}
				r.body = r.between(d.Body.Pos(), d.Body.End())
				continue
			}
			key, ok := r.function(d)
			if !ok {
				return false
			}
			one := decl{keys: []string{key}, text: r.between(d.Pos(), d.End())}
			if key == "init" { // any number of them
				one.keys[0], one.acts = "init "+one.text, true
			}
			list = []decl{one}
		case *ast.GenDecl:
			if list = r.general(d); list == nil && d.Tok != token.IMPORT {
				return false
			}
		default:
			return false
		}
		for _, l := range list {
			for _, key := range l.keys {
				if seen[key] || key == "_" || r.imports[key] != "" {
					return false
				}
				seen[key] = true
				if types.Universe.Lookup(key) != nil {
					r.sensitive = append(r.sensitive, "name "+key)
				}
			}
		}
		r.decls = append(r.decls, list...)
	}
	if slices.ContainsFunc(r.decls, func(d decl) bool { return d.acts }) {
		for _, d := range r.decls {
			if d.acts || d.reads {
				r.effects = append(r.effects, d.text)
			}
		}
	}
	return mains == 1
}

// function names a function or a method, and notes the method.
func (r *reader) function(d *ast.FuncDecl) (key string, ok bool) {
	if d.Body == nil {
		return "", false
	}
	if d.Recv == nil {
		return d.Name.Name, true
	}
	base := d.Recv.List[0].Type
	if star, ok := base.(*ast.StarExpr); ok {
		base = star.X
	}
	switch b := base.(type) {
	case *ast.IndexExpr:
		base = b.X
	case *ast.IndexListExpr:
		base = b.X
	}
	id, ok := base.(*ast.Ident)
	if !ok {
		return "", false
	}
	r.hasMethods(id.Name)[d.Name.Name] = true
	return id.Name + "." + d.Name.Name, true
}

func (r *reader) hasMethods(typ string) map[string]bool {
	if r.methods[typ] == nil {
		r.methods[typ] = map[string]bool{}
	}
	return r.methods[typ]
}

// general splits a declaration of variables or types; a block of constants is one, as they may count on each other.
func (r *reader) general(d *ast.GenDecl) (list []decl) {
	if d.Tok == token.CONST {
		block := decl{text: r.between(d.Pos(), d.End())}
		for _, s := range d.Specs {
			for _, n := range s.(*ast.ValueSpec).Names {
				block.keys = append(block.keys, n.Name)
			}
		}
		if len(block.keys) > 0 {
			list = []decl{block}
		}
		return list
	}
	for _, s := range d.Specs {
		one := decl{text: d.Tok.String() + " " + r.between(s.Pos(), s.End())}
		switch s := s.(type) {
		case *ast.TypeSpec:
			one.keys = []string{s.Name.Name}
			r.hasMethods(s.Name.Name)
		case *ast.ValueSpec:
			for _, n := range s.Names {
				one.keys = append(one.keys, n.Name)
			}
			for _, v := range s.Values {
				one.acts, one.reads = one.acts || acts(v), one.reads || r.reads(v)
			}
		default:
			continue
		}
		list = append(list, one)
	}
	return list
}

// named reports whether every name is one that the program itself declares, imports or has of Go, and every import is used: else the
// program does not compile, and only alone it says so. A main that calls main is another's in a group. Keys of composite literals are names of fields
// or of values, which the parser cannot tell from one another: those that are not declared may be another cell's.
func (r *reader) named(file *ast.File) bool {
	used := map[string]bool{}
	for _, id := range file.Unresolved { //nolint:staticcheck // the file alone is what is asked about
		if r.imports[id.Name] != "" {
			used[id.Name] = true
		} else if types.Universe.Lookup(id.Name) == nil {
			return false
		}
	}
	for name := range r.imports {
		if name[0] != '_' && !used[name] {
			return false
		}
	}
	calls := false
	ast.Inspect(file, func(n ast.Node) bool {
		if pair, ok := n.(*ast.KeyValueExpr); ok {
			if id, ok := pair.Key.(*ast.Ident); ok && id.Obj == nil { //nolint:staticcheck // as above
				r.keys[id.Name] = true
			}
		}
		id, ok := n.(*ast.Ident)
		calls = calls || ok && id.Name == "main" && id != file.Name && id.Obj != nil && id.Obj.Kind == ast.Fun && !r.declares(file, id)
		return !calls
	})
	for _, d := range r.decls {
		for _, key := range d.keys {
			delete(r.keys, key)
		}
	}
	return !calls
}

// declares reports whether an identifier is the name in a declaration of a function.
func (r *reader) declares(file *ast.File, id *ast.Ident) bool {
	return slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, ok := d.(*ast.FuncDecl)
		return ok && f.Name == id
	})
}
