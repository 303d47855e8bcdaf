package nb

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// ErrParameter is wrapped by every error about a notebook's parameters.
var ErrParameter = errors.New("the parameter cannot be set")

// tagParameters marks the cells whose constants and variables SetParameters sets, as in papermill.
const tagParameters = "parameters"

// SetParameters gives the constants and variables of the cells tagged "parameters" other values: it
// rewrites, in the cells' source, what stands behind the = or :=. It finds `const name = …` and
// `var name = …` on the top level, and these and `name := …` among the first statements of func main,
// be it opened by %% or written out.
//
// A value is Go. Where the cell holds text, it is text: quotes are added where it has none. Where the
// cell holds a number or a truth value, it has to be one too, of the declared type.
//
// All errors wrap ErrParameter; the notebook is as it was then. An unknown name names the known ones.
func SetParameters(n *Notebook, values map[string]string) error {
	if len(values) == 0 {
		return nil
	}
	known, tagged, err := findParameters(n)
	if err != nil {
		return err
	}
	if tagged == 0 {
		return fmt.Errorf("nb: %w: no cell has the tag %q: add it to the cell that declares the parameters (in Jupyter under cell tags; in the file: \"metadata\": {\"tags\": [%[2]q]})", ErrParameter, tagParameters)
	}
	by := map[string]*parameter{}
	for _, p := range known {
		if _, asked := values[p.name]; asked && by[p.name] != nil {
			old := by[p.name]
			return fmt.Errorf("nb: %w: %s is declared twice, in cell %d line %d and in cell %d line %d: give one another name",
				ErrParameter, p.name, old.number, old.line, p.number, p.line)
		}
		by[p.name] = p
	}
	var chosen []*parameter
	for _, name := range slices.Sorted(maps.Keys(values)) {
		p := by[name]
		if p == nil {
			return fmt.Errorf("nb: %w: unknown name %q, want %s", ErrParameter, name, listOf(slices.Sorted(maps.Keys(by))))
		}
		text, err := p.accept(values[name])
		if err != nil {
			return fmt.Errorf("nb: %w: %s: %w (cell %d line %d)", ErrParameter, name, err, p.number, p.line)
		}
		q := *p
		q.text = text
		chosen = append(chosen, &q)
	}
	// From the end to the beginning, so that the places of the others stay.
	slices.SortFunc(chosen, func(a, b *parameter) int { return cmp.Compare(b.from, a.from) })
	for _, p := range chosen {
		p.cell.Source = p.cell.Source[:p.from] + p.before + p.text + p.cell.Source[p.to:]
	}
	return nil
}

func listOf(names []string) string {
	if len(names) == 0 {
		return "a constant or variable: the tagged cells declare none with a value"
	}
	return strings.Join(names, ", ")
}

// parameter is a name that a tagged cell gives a value.
type parameter struct {
	cell         *Cell
	number, line int
	name, typ    string // typ is "" where none is written
	constant     bool   // const without a type: its value may be of another kind of number
	value        string // Go, "" where there is none yet
	from, to     int    // of the value, in the source
	before       string // put before the value: " = " where there is none yet
	text         string // the new value
}

// findParameters lists the parameters of all tagged cells.
func findParameters(n *Notebook) (list []*parameter, tagged int, err error) {
	number := 0
	for _, c := range n.Cells {
		if c.Type != "code" || strings.TrimSpace(c.Source) == "" {
			continue
		}
		number++
		if !c.HasTag(tagParameters) {
			continue
		}
		tagged++
		f := &parameterFinder{cell: c, number: number}
		if err := f.find(); err != nil {
			return nil, tagged, err
		}
		list = append(list, f.list...)
	}
	return list, tagged, nil
}

// parameterFinder reads one tagged cell.
type parameterFinder struct {
	cell   *Cell
	number int
	list   []*parameter
	fset   *token.FileSet
	text   string // what is parsed
	shift  int    // place in the source minus place in text
}

func (f *parameterFinder) find() error {
	c, ok := ParseGoCell(f.cell.Source)
	if !ok {
		return fmt.Errorf("nb: %w: cell %d is tagged %q and is no Go", ErrParameter, f.number, tagParameters)
	}
	const open, main = "package p\n", "package p\nfunc main() {\n"
	for _, part := range []struct {
		text  string
		shift int
	}{
		{open + string(c.Code[:c.Opener]), -len(open)},
		{main + string(c.Code[c.Body:]) + "\n}\n", c.Body - len(main)},
	} {
		f.fset, f.text, f.shift = token.NewFileSet(), part.text, part.shift
		file, err := parser.ParseFile(f.fset, "", part.text, parser.SkipObjectResolution)
		if err != nil {
			return f.refuse(err)
		}
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				f.declaration(d)
			case *ast.FuncDecl:
				if d.Name.Name == "main" && d.Recv == nil && d.Body != nil {
					f.statements(d.Body.List)
				}
			}
		}
	}
	return nil
}

// refuse turns a parser's error into one with the line of the cell.
func (f *parameterFinder) refuse(err error) error {
	message, line := err.Error(), 1
	for _, e := range scannerErrors(err) {
		at := min(max(e.Pos.Offset+f.shift, 0), len(f.cell.Source))
		message, line = e.Msg, 1+strings.Count(f.cell.Source[:at], "\n")
		break
	}
	return fmt.Errorf("nb: %w: cell %d line %d, tagged %q: %s", ErrParameter, f.number, line, tagParameters, message)
}

func (f *parameterFinder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.DeclStmt:
			if d, ok := s.Decl.(*ast.GenDecl); ok {
				f.declaration(d)
			}
		case *ast.AssignStmt:
			if s.Tok != token.DEFINE || len(s.Lhs) != len(s.Rhs) {
				continue
			}
			for i, left := range s.Lhs {
				if id, ok := left.(*ast.Ident); ok {
					f.add(id, nil, s.Rhs[i], false)
				}
			}
		}
	}
}

func (f *parameterFinder) declaration(d *ast.GenDecl) {
	if d.Tok != token.CONST && d.Tok != token.VAR {
		return
	}
	for _, s := range d.Specs {
		s, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		switch {
		case len(s.Values) == len(s.Names):
			for i, id := range s.Names {
				f.add(id, s.Type, s.Values[i], d.Tok == token.CONST && s.Type == nil)
			}
		case len(s.Values) == 0 && len(s.Names) == 1 && s.Type != nil && d.Tok == token.VAR:
			f.add(s.Names[0], s.Type, nil, false)
		}
	}
}

func (f *parameterFinder) add(id *ast.Ident, typ, value ast.Expr, constant bool) {
	if id.Name == "_" {
		return
	}
	text := func(e ast.Expr) (string, int, int) {
		from, to := f.fset.Position(e.Pos()).Offset, f.fset.Position(e.End()).Offset
		return f.text[from:to], from + f.shift, to + f.shift
	}
	p := &parameter{cell: f.cell, number: f.number, name: id.Name, constant: constant}
	at := f.fset.Position(id.Pos()).Offset + f.shift
	p.line = 1 + strings.Count(f.cell.Source[:at], "\n")
	if typ != nil {
		p.typ, _, p.to = text(typ)
	}
	if value != nil {
		p.value, p.from, p.to = text(value)
	} else {
		p.from, p.before = p.to, " = "
	}
	f.list = append(f.list, p)
}
