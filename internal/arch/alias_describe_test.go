package arch

import (
	"fmt"
	"go/ast"
	"go/doc"
	"go/format"
	"go/types"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plumbing are methods that the language, the encodings and the text of plans call, and no reader of a type.
var plumbing = regexp.MustCompile(`^(String|GoString|Format|Error|Text|Was|WasText|(Un)?[Mm]arshal[A-Z]\w*|Gob(En|De)code)$`)

// A describer writes a type of another package in the words of a user of face.
type describer struct {
	*sources
	t    *testing.T
	face *source
	on   map[[2]string]string // the package and name of a type, and what users of face call it: its alias there, or on another face
}

// describe is what stands below an alias's own comment, each line without its slashes; "" where the alias is of no struct
// or where there is nothing to say.
func (s *sources) describe(t *testing.T, face *source, a alias) string {
	d := describer{s, t, face, map[[2]string]string{}}
	for _, pkg := range aliasPackages {
		other := s.load(t, module+pkg)
		if other != face {
			d.add(other, path.Base(pkg)+".")
		}
	}
	d.add(face, "")
	pkg, name, ok := s.named(t, face, face.types[a.spec.Name.Name].file, a.spec.Type)
	if !ok || !strings.HasPrefix(pkg, module) {
		return ""
	}
	fields, methods, is := d.members(s.load(t, pkg), name)
	if !is {
		return ""
	}
	out := ""
	if fields != "" {
		code, err := format.Source([]byte("package p\n\ntype t struct {\n" + fields + "}\n"))
		if err != nil {
			t.Fatalf("fields of %s: %v", a.spec.Name.Name, err)
		}
		_, body, _ := strings.Cut(string(code), "struct {\n")
		out += "\n " + fieldsTitle + "\n\n" + strings.TrimSuffix(body, "}\n")
	}
	if len(methods) > 0 {
		slices.Sort(methods)
		out += "\n " + methodsTitle + "\n\n" + strings.Join(methods, "")
	}
	return out
}

// add notes the aliases of a package, each under its name with a prefix.
func (d *describer) add(face *source, prefix string) {
	for _, b := range face.aliases {
		if pkg, name, ok := d.named(d.t, face, face.types[b.spec.Name.Name].file, b.spec.Type); ok {
			d.on[[2]string{pkg, name}] = prefix + b.spec.Name.Name
		}
	}
}

// members are the exported fields of a struct, as lines of its declaration, and its exported methods. Those of an embedded
// struct that face has no name for are its own.
func (d *describer) members(p *source, name string) (fields string, methods []string, is bool) {
	declared := p.types[name]
	if declared == nil {
		return "", nil, false
	}
	body, is := declared.spec.Type.(*ast.StructType)
	if !is {
		return "", nil, false
	}
	parameters := declared.spec.TypeParams
	end := 0
	for _, f := range body.Fields.List {
		line := d.fset.Position(f.Pos()).Line
		if f.Doc != nil {
			line = d.fset.Position(f.Doc.Pos()).Line
		}
		text := ""
		if len(f.Names) == 0 {
			inlined, more, known := d.embedded(p, declared.file, f)
			text, methods = inlined, append(methods, more...)
			if !known {
				text = ""
			}
		} else {
			text = d.field(p, declared.file, parameters, f)
		}
		if text == "" {
			continue
		}
		if fields != "" && line > end+1 {
			fields += "\n"
		}
		fields += text
		end = d.fset.Position(f.End()).Line
	}
	for _, fn := range p.methods[name] {
		if text := d.method(p, fn); text != "" {
			methods = append(methods, text)
		}
	}
	return fields, methods, true
}

func (d *describer) embedded(p *source, f *ast.File, field *ast.Field) (text string, methods []string, known bool) {
	x := field.Type
	if star, is := x.(*ast.StarExpr); is {
		x = star.X
	}
	if pkg, name, ok := d.named(d.t, p, f, x); ok && strings.HasPrefix(pkg, module) && d.name(pkg, name) == "" {
		return d.members(d.load(d.t, pkg), name)
	}
	shown, ok := d.typed(p, f, nil, field.Type)
	if !ok {
		return "", nil, false
	}
	return d.comment(p, field.Doc) + shown + d.trailing(p, field.Comment) + "\n", nil, true
}

func (d *describer) field(p *source, f *ast.File, parameters *ast.FieldList, field *ast.Field) string {
	var names []string
	for _, n := range field.Names {
		if n.IsExported() {
			names = append(names, n.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	shown, ok := d.typed(p, f, parameters, field.Type)
	if !ok {
		d.t.Errorf("%s: the exported field %s of %s has a type that users of %s cannot name: give it an alias there",
			d.fset.Position(field.Pos()), names[0], p.path, d.face.path)
		return ""
	}
	return d.comment(p, field.Doc) + strings.Join(names, ", ") + " " + shown + d.trailing(p, field.Comment) + "\n"
}

func (d *describer) comment(p *source, g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	out := ""
	for _, c := range g.List {
		out += d.reworded(p, c.Text) + "\n"
	}
	return out
}

func (d *describer) trailing(p *source, g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	return " " + strings.TrimSuffix(d.comment(p, g), "\n")
}

// method is the signature of an exported method and the first sentence of its comment; "" where users of face have no use
// for it: where they cannot name a type of its signature, or where the comment does not begin with the method's name. Such
// methods are those that an interface asks for and explains.
func (d *describer) method(p *source, fn *ast.FuncDecl) string {
	if !fn.Name.IsExported() || plumbing.MatchString(fn.Name.Name) || !strings.HasPrefix(fn.Doc.Text(), fn.Name.Name+" ") {
		return ""
	}
	var parameters *ast.FieldList
	recv := fn.Recv.List[0].Type
	if star, is := recv.(*ast.StarExpr); is {
		recv = star.X
	}
	if x, is := recv.(*ast.IndexExpr); is {
		if id, is := x.Index.(*ast.Ident); is {
			parameters = &ast.FieldList{List: []*ast.Field{{Names: []*ast.Ident{id}}}}
		}
	}
	signature, ok := d.typed(p, p.fileOf[fn], parameters, fn.Type)
	if !ok {
		return ""
	}
	out := "\t" + fn.Name.Name + strings.TrimPrefix(signature, "func") + "\n"
	for _, line := range wrapped(d.reworded(p, new(doc.Package).Synopsis(fn.Doc.Text())), 120) {
		out += "\t\t" + line + "\n"
	}
	return out
}

// name is what users of face call a type of this module, "" if they cannot name it.
func (d *describer) name(pkg, name string) string {
	if alias := d.on[[2]string{pkg, name}]; alias != "" {
		return alias
	}
	switch {
	case !ast.IsExported(name):
		return ""
	case pkg == d.face.path:
		return name
	case strings.Contains(pkg+"/", "/internal/"):
		return ""
	}
	return path.Base(pkg) + "." + name
}

// typed is a type as users of face write it; ok is false where they cannot.
func (d *describer) typed(p *source, f *ast.File, parameters *ast.FieldList, x ast.Expr) (text string, ok bool) {
	ok = true
	var show func(x ast.Expr) string
	show = func(x ast.Expr) string {
		switch x := x.(type) {
		case *ast.Ident:
			if types.Universe.Lookup(x.Name) != nil && p.types[x.Name] == nil || declares(parameters, x.Name) {
				return x.Name
			}
			return d.shownName(p, f, x, &ok)
		case *ast.SelectorExpr:
			return d.shownName(p, f, x, &ok)
		case *ast.StarExpr:
			return "*" + show(x.X)
		case *ast.ParenExpr:
			return "(" + show(x.X) + ")"
		case *ast.Ellipsis:
			return "..." + show(x.Elt)
		case *ast.ArrayType:
			n := ""
			if lit, is := x.Len.(*ast.BasicLit); is {
				n = lit.Value
			} else if x.Len != nil {
				ok = false
			}
			return "[" + n + "]" + show(x.Elt)
		case *ast.MapType:
			return "map[" + show(x.Key) + "]" + show(x.Value)
		case *ast.IndexExpr:
			return show(x.X) + "[" + show(x.Index) + "]"
		case *ast.IndexListExpr:
			var all []string
			for _, a := range x.Indices {
				all = append(all, show(a))
			}
			return show(x.X) + "[" + strings.Join(all, ", ") + "]"
		case *ast.FuncType:
			return "func(" + listed(x.Params, show) + ")" + results(x.Results, show)
		case *ast.InterfaceType:
			if len(x.Methods.List) == 0 {
				return "interface{}"
			}
		case *ast.StructType:
			if len(x.Fields.List) == 0 {
				return "struct{}"
			}
		}
		d.t.Errorf("%s: a type that this test cannot write (%T): teach it", d.fset.Position(x.Pos()), x)
		ok = false
		return ""
	}
	text = show(x)
	return text, ok
}

func (d *describer) shownName(p *source, f *ast.File, x ast.Expr, ok *bool) string {
	pkg, name, is := d.named(d.t, p, f, x)
	if !is || pkg == "" {
		*ok = false
		return ""
	}
	if !strings.HasPrefix(pkg, module) {
		return path.Base(pkg) + "." + name
	}
	shown := d.name(pkg, name)
	*ok = *ok && shown != ""
	return shown
}

func declares(parameters *ast.FieldList, name string) bool {
	return parameters != nil && slices.ContainsFunc(parameters.List, func(f *ast.Field) bool {
		return slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == name })
	})
}

func listed(l *ast.FieldList, show func(ast.Expr) string) string {
	if l == nil {
		return ""
	}
	var all []string
	for _, f := range l.List {
		var names []string
		for _, n := range f.Names {
			names = append(names, n.Name)
		}
		all = append(all, strings.TrimLeft(strings.Join(names, ", ")+" "+show(f.Type), " "))
	}
	return strings.Join(all, ", ")
}

func results(l *ast.FieldList, show func(ast.Expr) string) string {
	switch text := listed(l, show); {
	case text == "":
		return ""
	case len(l.List) == 1 && len(l.List[0].Names) == 0:
		return " " + text
	default:
		return " (" + text + ")"
	}
}

// nameInComment is a name in a comment, a link in brackets or of a package of this module without them.
var nameInComment = regexp.MustCompile(`(^|[^\w\]])(\[\*?(?:([a-z]\w*)\.)?([A-Z]\w*)((?:\.\w+)?)\]|\b([a-z]\w*)\.([A-Z]\w*))`)

// reworded is a comment of package p with the names that face has: nothing in an indented block is a link.
func (d *describer) reworded(p *source, text string) string {
	return nameInComment.ReplaceAllStringFunc(text, func(match string) string {
		m := nameInComment.FindStringSubmatch(match)
		pkg, name, rest := m[3]+m[6], m[4]+m[7], m[5]
		switch {
		case pkg == "" && !p.names[name] && !d.face.names[name]:
			return match // brackets that are no link
		case pkg == "":
			if alias := d.on[[2]string{p.path, name}]; alias != "" {
				name = alias
			}
			return m[1] + name + rest
		case d.isRoom(pkg) && d.face.names[name], pkg == path.Base(d.face.path):
			return m[1] + name + rest
		}
		for k, alias := range d.on {
			if path.Base(k[0]) == pkg && k[1] == name {
				return m[1] + alias + rest
			}
		}
		return m[1] + fmt.Sprintf("%s.%s%s", pkg, name, rest)
	})
}

// isRoom says whether an alias on face is of a type in an inner package of that name.
func (d *describer) isRoom(pkg string) bool {
	for k := range d.on {
		if path.Base(k[0]) == pkg && strings.Contains(k[0], "/internal/") {
			return true
		}
	}
	return false
}

// wrapped is text in lines of at most width bytes, where words allow it.
func wrapped(text string, width int) []string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if n := len(lines); n > 0 && len(lines[n-1])+1+len(word) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}
