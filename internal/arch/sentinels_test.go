package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// otherMeanings are names of exported errors that stand for several things, each with the packages whose error is a value of its own. A
// user who finds one of them by name finds another error than that of the other packages: there is to be no more of them.
var otherMeanings = map[string][]string{
	"ErrOrder":     {"accountant", "dpkit/stage"},                     // a Rényi order that is none; a step at a wrong place of a chain
	"ErrMissing":   {"accountant/ledger", "frames"},                   // a ledger's file; a cell
	"ErrKey":       {"accountant/ledger", "sqlsource/internal/fault"}, // a ledger's key; the key of a query
	"ErrStale":     {"accountant/ledger", "notebooks/nb/export"},      // a copy of a ledger; a notebook's output
	"ErrParameter": {"internal/sentinel", "notebooks/nb"},             // of a function; of a notebook
}

// TestOneErrorOfAName: exported errors of one name are one value in all packages, so that errors.Is finds it by whichever name a user
// finds first. Names in otherMeanings have several values, one in each of the packages that stand there and no other.
func TestOneErrorOfAName(t *testing.T) {
	declared := exportedErrors(t)
	roots, names := map[string][]string{}, map[string]int{}
	for at := range declared {
		root := at
		for declared[root] != "" {
			if root = declared[root]; root == at {
				t.Fatalf("%s is declared by itself", at)
			}
		}
		if _, ok := declared[root]; !ok {
			t.Errorf("%s is %s, which is not declared", at, root)
		}
		name := at[strings.LastIndex(at, ".")+1:]
		if public := !strings.Contains(at, "internal/"); public {
			names[name]++
		} else if !publicName(declared, at) {
			continue
		}
		if pkg := strings.TrimSuffix(root, "."+name); !slices.Contains(roots[name], pkg) {
			roots[name] = append(roots[name], pkg)
		}
	}
	for name, pkgs := range roots {
		slices.Sort(pkgs)
		want := otherMeanings[name]
		if want == nil && len(pkgs) > 1 {
			t.Errorf("%s is another error in each of %v: declare one as the other, or give it another name", name, pkgs)
		}
		if want != nil && !slices.Equal(pkgs, want) {
			t.Errorf("%s has values in %v, want %v", name, pkgs, want)
		}
	}
	for name := range otherMeanings {
		if roots[name] == nil {
			t.Errorf("otherMeanings: no error %s", name)
		}
	}
	for name, packages := range map[string]int{"ErrBudget": 3, "ErrParameter": 8, "ErrOptions": 2, "ErrType": 3, "ErrColumn": 2} {
		if names[name] != packages || len(roots[name]) == 0 {
			t.Errorf("%s has %d public names, want %d", name, names[name], packages)
		}
	}
}

// publicName says whether an error of an internal package has a name in a public one.
func publicName(declared map[string]string, at string) bool {
	for name, as := range declared {
		if as == at && (!strings.Contains(name, "internal/") || publicName(declared, name)) {
			return true
		}
	}
	return false
}

// exportedErrors are the exported errors of all packages, as "folder.Name", each with the one that it is declared as; "" for a value of its own.
func exportedErrors(t *testing.T) map[string]string {
	root, declared, fset := filepath.Join("..", ".."), map[string]string{}, token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			if path != root && (notOurs(e.Name()) || e.Name() == "zz") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil || f.Name.Name == "main" {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		imported := map[string]string{}
		for _, i := range f.Imports {
			of, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			as := of[strings.LastIndex(of, "/")+1:]
			if i.Name != nil {
				as = i.Name.Name
			}
			imported[as] = strings.TrimPrefix(of, module)
		}
		folder := filepath.ToSlash(rel)
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				for i, name := range v.Names {
					if !strings.HasPrefix(name.Name, "Err") || i >= len(v.Values) {
						continue
					}
					as := ""
					switch e := v.Values[i].(type) {
					case *ast.SelectorExpr:
						as = imported[e.X.(*ast.Ident).Name] + "." + e.Sel.Name
					case *ast.Ident:
						as = folder + "." + e.Name
					}
					declared[folder+"."+name.Name] = as
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(declared) < 60 {
		t.Fatalf("found %d exported errors", len(declared))
	}
	return declared
}
