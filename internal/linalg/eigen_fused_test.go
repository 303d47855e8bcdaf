package linalg

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"strings"
	"testing"
)

// someImports imports math, and leaves other packages empty.
type someImports struct{ types.Importer }

func (m someImports) Import(path string) (*types.Package, error) {
	if path == "math" {
		return m.Importer.Import(path)
	}
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// TestNoProductIsFused: in the eigensolver every product of floats is converted, so that no compiler makes one operation of it and a sum
// (arm64, ppc64, s390x and amd64 from v3 on do), and no function of math is called that is in assembly on some machines.
func TestNoProductIsFused(t *testing.T) {
	fset := token.NewFileSet()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	solver := map[*ast.File]bool{}
	for _, p := range paths {
		if strings.HasSuffix(p, "_test.go") || strings.HasPrefix(p, "gen") || p == "kernels_other.go" {
			continue
		}
		f, err := parser.ParseFile(fset, p, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		solver[f] = strings.HasPrefix(p, "eigen")
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	conf := types.Config{Importer: someImports{importer.ForCompiler(fset, "source", nil)}, Error: func(error) {}}
	conf.Check("linalg", fset, files, info) //nolint // of other packages nothing is known
	float := func(e ast.Expr) bool {
		v := info.Types[e]
		if v.Type == nil || v.Value != nil {
			return v.Value == nil // of a type that is not known: suspect
		}
		b, ok := v.Type.Underlying().(*types.Basic)
		return ok && b.Info()&types.IsFloat != 0 || ok && b.Kind() == types.Invalid
	}
	exact := map[string]bool{"Abs": true, "Sqrt": true, "Copysign": true, "Frexp": true, "Ldexp": true}
	products := 0
	for _, f := range files {
		if !solver[f] {
			continue
		}
		converted := map[ast.Expr]bool{}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if name, ok := n.Fun.(*ast.Ident); ok && name.Name == "float64" {
					converted[n.Args[0]] = true
				}
			case *ast.SelectorExpr:
				if pkg, ok := n.X.(*ast.Ident); ok && pkg.Name == "math" && !exact[n.Sel.Name] && !strings.HasPrefix(n.Sel.Name, "Max") {
					t.Errorf("%s: math.%s, which may differ between machines", fset.Position(n.Pos()), n.Sel.Name)
				}
			case *ast.AssignStmt:
				if n.Tok == token.MUL_ASSIGN && float(n.Lhs[0]) {
					t.Errorf("%s: a product that could be fused; write x = float64(x * y)", fset.Position(n.Pos()))
				}
			case *ast.BinaryExpr:
				byConstant := n.Op == token.QUO && info.Types[n.Y].Value != nil // a product, where the inverse is exact
				if n.Op != token.MUL && !byConstant || !float(n) {
					break
				}
				if products++; !converted[n] {
					t.Errorf("%s: a product that could be fused; write float64(x * y)", fset.Position(n.Pos()))
				}
			}
			return true
		})
	}
	if products < 50 {
		t.Fatalf("found %d products of floats", products)
	}
}
