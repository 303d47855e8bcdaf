package export

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
)

type kind string

const (
	kindImport kind = "import"
	kindConst  kind = "const"
	kindType   kind = "type"
	kindVar    kind = "var"
	kindFunc   kind = "func"
)

// item is a declaration that the kernel remembers as one: an import, a const block, a type, a var with
// its whole tuple, a function.
type item struct {
	kind  kind
	keys  []string // what a later declaration replaces it by; the first one carries the rendering
	names []string // what it declares in the package: Name, or Type.Method
	tuple bool     // var: replacing one of the keys removes all of them
	text  string   // Go, with doc comment
	pos   Position // of the first line of text
	decl  int      // line of the declaration itself, below its doc comment

	path, alias string // import
	receiver    string // method: base type
	test        bool   // a function that go test runs
	calls       bool   // var: setting it calls a function
}

// items lists what a cell declares, except main, which is returned apart.
func (c *cell) items(p *problems) (list []*item, main *ast.FuncDecl) {
	if c.file == nil {
		return nil, nil
	}
	for _, d := range c.file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && d.Name.Name == "main" {
				if main != nil {
					p.add(c.number, c.line(d.Pos()), "a second main in the cell, the first is in line %d: the kernel takes one: split the cell", c.line(main.Pos()))
				}
				main = d
				continue
			}
			list = append(list, c.function(d, p))
		case *ast.GenDecl:
			switch d.Tok {
			case token.IMPORT:
				for _, s := range d.Specs {
					list = append(list, c.imported(s.(*ast.ImportSpec)))
				}
			case token.CONST:
				list = append(list, c.constants(d))
			case token.TYPE:
				for _, s := range d.Specs {
					s := s.(*ast.TypeSpec)
					list = append(list, c.item(kindType, d, s.Doc, s, s.Comment, s.Name.Name))
				}
			case token.VAR:
				for _, s := range d.Specs {
					list = append(list, c.variables(d, s.(*ast.ValueSpec), p)...)
				}
			}
		}
	}
	c.checkTwice(list, p)
	return list, main
}

// item makes an item of one spec of a declaration.
func (c *cell) item(k kind, d *ast.GenDecl, doc *ast.CommentGroup, spec ast.Node, after *ast.CommentGroup, names ...string) *item {
	if doc == nil && len(d.Specs) == 1 {
		doc = d.Doc
	}
	end := spec.End()
	if after != nil {
		end = after.End()
	}
	text, line := string(k)+" "+c.between(spec.Pos(), end), c.line(spec.Pos())
	if doc != nil {
		text, line = c.between(doc.Pos(), doc.End())+"\n"+text, c.line(doc.Pos())
	}
	return &item{kind: k, keys: names, names: names, text: text, pos: Position{c.number, line}, decl: c.line(spec.Pos())}
}

func (c *cell) imported(s *ast.ImportSpec) *item {
	it := &item{kind: kindImport, pos: Position{c.number, c.line(s.Pos())}, decl: c.line(s.Pos())}
	it.path = strings.Trim(s.Path.Value, "`\"")
	it.text = s.Path.Value
	if s.Name != nil {
		it.alias = s.Name.Name
		it.text = it.alias + " " + it.text
	}
	key := it.alias
	switch key {
	case "":
		key = lastWord(it.path)
	case ".":
		key = ".~" + it.path
	}
	it.keys = []string{key}
	return it
}

// lastWord is the last run of letters, digits and _ in an import path: the kernel's key for it.
func lastWord(path string) string {
	isWord := func(c byte) bool {
		return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	i := len(path)
	for i > 0 && isWord(path[i-1]) {
		i--
	}
	if i == len(path) {
		return path
	}
	return path[i:]
}

func (c *cell) constants(d *ast.GenDecl) *item {
	it := &item{kind: kindConst, text: c.between(d.Pos(), d.End()), pos: Position{c.number, c.line(d.Pos())}, decl: c.line(d.Pos())}
	if d.Doc != nil {
		it.text, it.pos.Line = c.between(d.Doc.Pos(), d.End()), c.line(d.Doc.Pos())
	}
	for _, s := range d.Specs {
		for _, n := range s.(*ast.ValueSpec).Names {
			it.keys = append(it.keys, n.Name)
			it.names = append(it.names, n.Name)
		}
	}
	return it
}

// variables splits a spec as the kernel does: a tuple where one value sets all, else one item a name.
func (c *cell) variables(d *ast.GenDecl, s *ast.ValueSpec, p *problems) []*item {
	names := make([]string, len(s.Names))
	blank := true
	for i, n := range s.Names {
		names[i] = n.Name
		blank = blank && n.Name == "_"
	}
	calls := false
	for _, v := range s.Values {
		calls = calls || c.calls(v)
	}
	if blank && calls {
		p.add(c.number, c.line(s.Pos()), "var _ = … calls a function, which the kernel runs two to four times: use init_name() { … } or %%%%")
	}
	if len(names) == 1 || len(s.Values) == 1 {
		it := c.item(kindVar, d, s.Doc, s, s.Comment, names...)
		it.tuple, it.calls = len(s.Values) == 1, calls
		return []*item{it}
	}
	list := make([]*item, len(names))
	for i, name := range names {
		it := &item{kind: kindVar, keys: []string{name}, names: []string{name}, calls: calls, decl: c.line(s.Names[i].Pos())}
		it.text, it.pos = "var "+name, Position{c.number, c.line(s.Names[i].Pos())}
		if s.Type != nil {
			it.text += " " + c.between(s.Type.Pos(), s.Type.End())
		}
		if i < len(s.Values) {
			it.text += " = " + c.between(s.Values[i].Pos(), s.Values[i].End())
		}
		list[i] = it
	}
	return list
}

func (c *cell) function(d *ast.FuncDecl, p *problems) *item {
	it := &item{kind: kindFunc, text: c.between(d.Pos(), d.End()), pos: Position{c.number, c.line(d.Pos())}, decl: c.line(d.Pos())}
	name := d.Name.Name
	key := name
	if d.Recv != nil && len(d.Recv.List) > 0 {
		base := d.Recv.List[0].Type
		if star, ok := base.(*ast.StarExpr); ok {
			base = star.X
			key = c.between(base.Pos(), base.End()) + "~" + name
		} else if id, ok := base.(*ast.Ident); ok {
			key = id.Name + "~" + name
		} else {
			key = "unknown~" + name // GoNB keeps one method of a name for all generic value receivers
		}
		switch b := base.(type) {
		case *ast.IndexExpr:
			base = b.X
		case *ast.IndexListExpr:
			base = b.X
		}
		it.receiver = c.between(base.Pos(), base.End())
		it.names = []string{it.receiver + "." + name}
	} else {
		it.names = []string{name}
		it.test = c.testFunction(d, p)
		if name == "init" || strings.HasPrefix(name, "init_") {
			it.names = nil // any number of init functions
			from := c.fset.Position(d.Name.Pos()).Offset - c.fset.Position(d.Pos()).Offset
			it.text = it.text[:from] + "init" + it.text[from+len(name):]
			it.calls = true
		}
	}
	it.keys = []string{key}
	if d.Doc != nil {
		it.text, it.pos.Line = c.between(d.Doc.Pos(), d.Doc.End())+"\n"+it.text, c.line(d.Doc.Pos())
	}
	return it
}

// testFunction says whether go test would run the function; one whose name says so but whose parameter
// does not cannot be compiled into a test.
func (c *cell) testFunction(d *ast.FuncDecl, p *problems) bool {
	name := d.Name.Name
	if name == "TestMain" {
		p.add(c.number, c.line(d.Pos()), "TestMain belongs to the exported package: use init_setup() { … } instead")
		return false
	}
	for prefix, param := range map[string]string{"Test": "*testing.T", "Benchmark": "*testing.B", "Fuzz": "*testing.F"} {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest != "" && rest[0] >= 'a' && rest[0] <= 'z' {
			continue
		}
		list := d.Type.Params.List
		if len(list) == 1 && len(list[0].Names) <= 1 && d.Type.Results == nil && d.Type.TypeParams == nil &&
			strings.HasSuffix(c.between(list[0].Type.Pos(), list[0].Type.End()), param[1:]) {
			return true
		}
		p.add(c.number, c.line(d.Pos()), "go test takes %s for a test, want the one parameter %s: give it another name", name, param)
	}
	return false
}

// calls says whether an expression calls a function. Conversions, builtins and functions of the
// standard library without effect do not count.
func (c *cell) calls(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false // a value; where it is called, the call is seen
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			found = found || !c.harmless(n.Fun)
		}
		return !found
	})
	return found
}

func (c *cell) harmless(fun ast.Expr) bool {
	switch f := fun.(type) {
	case *ast.ParenExpr:
		return c.harmless(f.X)
	case *ast.StarExpr, *ast.ArrayType, *ast.MapType, *ast.FuncType, *ast.ChanType, *ast.InterfaceType:
		return true // a conversion
	case *ast.Ident:
		switch f.Name {
		case "append", "bool", "byte", "cap", "complex", "complex128", "complex64", "error", "float32", "float64",
			"imag", "int", "int16", "int32", "int64", "int8", "len", "make", "max", "min", "new", "real", "rune",
			"string", "uint", "uint16", "uint32", "uint64", "uint8", "uintptr", "any":
			return true
		}
		return c.types[f.Name]
	case *ast.SelectorExpr:
		if pkg, ok := f.X.(*ast.Ident); ok {
			switch pkg.Name {
			case "errors", "math", "regexp", "strconv", "strings", "unicode":
				return true
			}
			return pkg.Name == "fmt" && (f.Sel.Name == "Errorf" || strings.HasPrefix(f.Sel.Name, "Sprint"))
		}
	}
	return false
}

// checkTwice refuses two declarations of one key in a cell: the kernel keeps the last and says nothing.
func (c *cell) checkTwice(list []*item, p *problems) {
	seen := map[string]*item{}
	for _, it := range list {
		for _, key := range it.keys {
			if key == "_" {
				continue
			}
			if old := seen[string(it.kind)+key]; old != nil && (it.kind != kindImport || old.text != it.text) {
				p.add(c.number, it.decl, "%s is declared twice in the cell, first in line %d: the kernel would keep the last one", describe(it, key), old.decl)
			}
			seen[string(it.kind)+key] = it
		}
	}
}

func describe(it *item, key string) string {
	if strings.HasPrefix(key, "unknown~") {
		return fmt.Sprintf("method %s of a generic value receiver (the kernel does not tell their types apart; use a pointer receiver)", strings.TrimPrefix(key, "unknown~"))
	}
	return fmt.Sprintf("%s %s", it.kind, strings.Replace(key, "~", ".", 1))
}

// typesOf returns the names of the types that a file declares.
func typesOf(f *ast.File) map[string]bool {
	names := map[string]bool{}
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
			for _, s := range g.Specs {
				names[s.(*ast.TypeSpec).Name.Name] = true
			}
		}
	}
	return names
}
