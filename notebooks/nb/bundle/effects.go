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
			s, ok := n.Fun.(*ast.SelectorExpr)
			if ok {
				pkg, ok := s.X.(*ast.Ident)
				if ok && pkg.Name == "errors" && s.Sel.Name == "New" {
					return true
				}
			}
			found = true
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
