package refusals

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
)

// Undeclared are the places under a folder, tests left out, where an error is made that wraps a sentinel of that name, and that no
// statement around it declares; made counts all of them.
func Undeclared(folder, sentinel string) (places []string, made int, err error) {
	err = eachFile(folder, func(file string, source []byte) error {
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, source, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		notes, err := notesOf(set, tree, source)
		if err != nil {
			return fmt.Errorf("%s:%w", file, err)
		}
		declared := map[int]bool{}
		for _, n := range notes {
			n.stand(set, tree, source)
			declared[n.Line] = true
		}
		var around []ast.Node
		ast.Inspect(tree, func(node ast.Node) bool {
			if node == nil {
				around = around[:len(around)-1]
				return true
			}
			around = append(around, node)
			call, ok := node.(*ast.CallExpr)
			if !ok || !wraps(call, sentinel) {
				return true
			}
			made++
			for _, n := range around {
				switch n.(type) {
				case *ast.IfStmt, *ast.CaseClause, *ast.ReturnStmt:
					if declared[set.Position(n.Pos()).Line] {
						return true
					}
				}
			}
			places = append(places, set.Position(call.Pos()).String())
			return true
		})
		return nil
	})
	return places, made, err
}

// wraps reports a call of Errorf with a sentinel, of this package or of another.
func wraps(call *ast.CallExpr, sentinel string) bool {
	if f, ok := call.Fun.(*ast.SelectorExpr); !ok || f.Sel.Name != "Errorf" {
		return false
	}
	for _, arg := range call.Args {
		switch of := arg.(type) {
		case *ast.Ident:
			if of.Name == sentinel {
				return true
			}
		case *ast.SelectorExpr:
			if of.Sel.Name == sentinel {
				return true
			}
		}
	}
	return false
}
