package bundle

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// acts reports whether finding the value of an expression may do something that shows: call, wait, panic. A function that is only
// named or written down is none of that.
func acts(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit, nil:
			return false
		case *ast.CallExpr:
			found = found || !callsNew(n)
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.BinaryExpr: // of a division or a shift by a variable
			found = found || slices.Contains([]token.Token{token.QUO, token.REM, token.SHL, token.SHR}, n.Op)
		case *ast.IndexExpr, *ast.IndexListExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = true
		}
		return !found
	})
	return found
}

// variables are those that a file declares.
func variables(file *ast.File) map[string]bool {
	vars := map[string]bool{}
	for _, d := range file.Decls {
		if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.VAR {
			for _, s := range g.Specs {
				for _, n := range s.(*ast.ValueSpec).Names {
					vars[n.Name] = true
				}
			}
		}
	}
	return vars
}

// reads reports whether the value of an expression may hang on a variable, of the program or of a package: what is done before main begins may have
// changed it, if it is done before.
func (r *reader) reads(e ast.Expr) (found bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			if callsNew(n) {
				return false
			}
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			found = found || ok && r.imports[pkg.Name] != ""
		case *ast.Ident:
			found = found || r.vars[n.Name]
		}
		return !found
	})
	return found
}

// callsNew reports a call of errors.New.
func callsNew(c *ast.CallExpr) bool {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	pkg, ok := s.X.(*ast.Ident)
	return ok && pkg.Name == "errors" && s.Sel.Name == "New"
}

// registering are packages of the standard library of which an import shows elsewhere: formats, hashes, handlers, time zones.
var registering = []string{"crypto", "expvar", "hash", "image", "net/http/pprof", "time/tzdata", "database/sql", "encoding/gob"}

// core is this project's module. Its packages register in themselves alone what they know: kinds of events, steps and mechanisms.
const core = "github.com/dpkit-go/dpnb/"

// others are modules of their own below it.
var others = []string{"beam", "parquet", "sqlsource"}

// quiet reports whether a program that imports a package in vain does what it does without.
func quiet(path string) bool {
	if rest, ok := strings.CutPrefix(path, core); ok {
		first, _, _ := strings.Cut(rest, "/")
		return !slices.Contains(others, first)
	}
	first, _, _ := strings.Cut(path, "/")
	if strings.Contains(first, ".") { // of another module
		return false
	}
	return !slices.ContainsFunc(registering, func(r string) bool { return path == r || strings.HasPrefix(path, r+"/") })
}
