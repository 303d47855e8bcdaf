package refusals

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind is what a condition does.
type Kind string

const (
	// Refuses is a condition under which there is no release.
	Refuses Kind = "refuses"
	// Charges is a condition on which the price of a release depends.
	Charges Kind = "charges"

	advises = "advises" // nothing rests on it
)

// A Declaration is a condition that a source declares.
type Declaration struct {
	Kind Kind
	Name string
	Why  string
	File string // relative to the folder that was read, with slashes
	Line int    // of the statement
	// Parts are the names of what can be lifted: Name alone, or one for each part of the condition.
	Parts []string

	edits []edit
}

// An edit puts text around a part of a file, or in its place.
type edit struct {
	from, to int // offsets
	part     string
	form     string // of fmt, with the part's name and what was there
}

// Read finds the declarations of all Go files under a folder, tests left out, in the order of their names.
func Read(folder string) ([]Declaration, error) {
	var all []Declaration
	seen := map[string]string{}
	err := eachFile(folder, func(file string, source []byte) error {
		found, err := readFile(file, source)
		for _, d := range found {
			at := fmt.Sprintf("%s:%d", d.File, d.Line)
			if other, twice := seen[d.Name]; twice {
				return fmt.Errorf("%s: %q is declared at %s too", at, d.Name, other)
			}
			seen[d.Name] = at
		}
		all = append(all, found...)
		return err
	})
	slices.SortFunc(all, func(a, b Declaration) int { return cmp.Compare(a.Name, b.Name) })
	return all, err
}

// eachFile hands over the Go files under a folder, tests left out, by their paths in it, with slashes.
func eachFile(folder string, do func(file string, source []byte) error) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		if e.IsDir() {
			if path != folder && (name == "testdata" || name[0] == '.') {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(folder, path)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(rel), source)
	})
}

// A note is a declaration's comment, with the statement not yet found.
type note struct {
	Declaration
	lift string
	line int // of the last comment
	own  bool
}

// readFile finds the declarations of a file.
func readFile(file string, source []byte) ([]Declaration, error) {
	if !strings.Contains(string(source), "//dp:") {
		return nil, nil
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	notes, err := notesOf(set, tree, source)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	var out []Declaration
	for _, n := range notes {
		if n.File = file; n.Kind == advises {
			continue
		}
		if err := n.find(set, tree, source); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", file, n.line, n.Name, err)
		}
		out = append(out, n.Declaration)
	}
	return out, nil
}

// notesOf are the declaring comments of a file.
func notesOf(set *token.FileSet, tree *ast.File, source []byte) (out []note, err error) {
	for _, group := range tree.Comments {
		for _, c := range group.List {
			text, ok := strings.CutPrefix(c.Text, "//dp:")
			if !ok {
				continue
			}
			line := set.Position(c.Pos()).Line
			verb, rest, _ := strings.Cut(text, " ")
			if verb == "lift" {
				if len(out) == 0 || out[len(out)-1].line != line-1 {
					return nil, fmt.Errorf("%d: //dp:lift stands directly after what it lifts", line)
				}
				out[len(out)-1].lift, out[len(out)-1].line = rest, line
				continue
			}
			name, why, _ := strings.Cut(rest, " ")
			if verb == advises {
				name, why = "-", rest
			}
			if kind := Kind(verb); kind != Refuses && kind != Charges && kind != advises || name == "" || strings.TrimSpace(why) == "" {
				return nil, fmt.Errorf("%d: got %q, want //dp:refuses or //dp:charges, a name and what it guards, or //dp:advises and why nothing rests on it", line, c.Text)
			}
			from := set.File(c.Pos()).LineStart(line)
			before := string(source[set.Position(from).Offset:set.Position(c.Pos()).Offset])
			out = append(out, note{
				Declaration: Declaration{Kind: Kind(verb), Name: name, Why: strings.TrimSpace(why)}, line: line, own: strings.TrimSpace(before) == "",
			})
		}
	}
	return out, nil
}

// stand finds the line that a note stands at: its own, or the next one without such a comment.
func (n *note) stand(set *token.FileSet, tree *ast.File, source []byte) {
	n.Line = n.line
	if n.own {
		n.Line++
		for strings.HasPrefix(strings.TrimSpace(lineAt(set, tree, source, n.Line)), "//dp:") {
			n.Line++
		}
	}
}

// find finds the statement that a note stands at, and what of it is lifted.
func (n *note) find(set *token.FileSet, tree *ast.File, source []byte) error {
	n.stand(set, tree, source)
	offset := func(p token.Pos) int { return set.Position(p).Offset }
	var found ast.Node
	ast.Inspect(tree, func(node ast.Node) bool {
		if node == nil || found != nil {
			return false
		}
		switch node.(type) {
		case *ast.IfStmt, *ast.CaseClause, *ast.ReturnStmt, *ast.AssignStmt, *ast.ExprStmt:
			if set.Position(node.Pos()).Line == n.Line {
				found = node
			}
		}
		return found == nil
	})
	if n.lift != "" {
		old, with, ok := strings.Cut(n.lift, " => ")
		from, line := offset(set.File(tree.Pos()).LineStart(n.Line)), lineAt(set, tree, source, n.Line)
		at := strings.Index(line, old)
		if !ok || at < 0 || strings.Count(line, old) != 1 {
			return fmt.Errorf("want //dp:lift OLD => NEW with OLD once on line %d", n.Line)
		}
		n.Parts = []string{n.Name}
		n.edits = []edit{{from + at, from + at + len(old), n.Name, "dpLift(%q, " + strings.ReplaceAll(with, "%", "%%") + ", %s)"}}
		return nil
	}
	var parts []ast.Expr
	form := "(!dpLifted(%q) && (%s))"
	switch of := found.(type) {
	case *ast.IfStmt:
		parts = operands(of.Cond, token.LOR)
	case *ast.CaseClause:
		for _, e := range of.List {
			parts = append(parts, operands(e, token.LOR)...)
		}
	case *ast.ReturnStmt:
		if len(of.Results) == 0 {
			return fmt.Errorf("line %d returns nothing", n.Line)
		}
		last := of.Results[len(of.Results)-1]
		if _, call := last.(*ast.CallExpr); call {
			parts, form = []ast.Expr{last}, "dpLift[error](%q, nil, %s)"
			break
		}
		parts, form = operands(last, token.LAND), "(dpLifted(%q) || (%s))"
	}
	if len(parts) == 0 {
		return fmt.Errorf("no condition begins on line %d, and no //dp:lift says what is lifted", n.Line)
	}
	for i, e := range parts {
		part := n.Name
		if len(parts) > 1 {
			part = fmt.Sprintf("%s/%d", n.Name, i+1)
		}
		n.Parts = append(n.Parts, part)
		n.edits = append(n.edits, edit{offset(e.Pos()), offset(e.End()), part, form})
	}
	return nil
}

// lineAt is a line of a file, "" behind its end.
func lineAt(set *token.FileSet, tree *ast.File, source []byte, line int) string {
	file := set.File(tree.Pos())
	if line > file.LineCount() {
		return ""
	}
	text, _, _ := strings.Cut(string(source[file.Offset(file.LineStart(line)):]), "\n")
	return text
}

// operands are what an operator joins; of ||, also where it stands in a part of an &&.
func operands(e ast.Expr, op token.Token) []ast.Expr {
	switch of := e.(type) {
	case *ast.ParenExpr:
		if inner := operands(of.X, op); len(inner) > 1 {
			return inner
		}
	case *ast.BinaryExpr:
		if of.Op == op {
			return append(operands(of.X, op), operands(of.Y, op)...)
		}
		if op == token.LOR && of.Op == token.LAND {
			var all []ast.Expr
			for _, side := range []ast.Expr{of.X, of.Y} {
				if parts := operands(side, op); len(parts) > 1 {
					all = append(all, parts...)
				}
			}
			if len(all) > 0 {
				return all
			}
		}
	}
	return []ast.Expr{e}
}
