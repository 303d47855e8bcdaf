package export

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// imports returns those imports of the epoch that the code uses, and reports names that nothing declares.
func (w *writer) imports(code *source) ([]*item, error) {
	fset := token.NewFileSet()
	const clause = "package main\n"
	file, err := parser.ParseFile(fset, "", clause+string(code.bytes()), 0)
	if err != nil {
		return nil, fmt.Errorf("nb: the code of the export is not Go: %w", err)
	}
	open := unresolved(file)
	needed := map[string]Position{}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := s.X.(*ast.Ident); ok && open[id] {
				if _, known := needed[id.Name]; !known {
					needed[id.Name] = code.origins[fset.Position(id.Pos()).Line-2]
				}
			}
		}
		return true
	})
	var used []*item
	by := map[string]*item{}
	dots := false
	for _, it := range w.items {
		if it.kind != kindImport {
			continue
		}
		name := w.importName(it)
		if name == "_" || name == "." {
			dots = dots || name == "."
			used = append(used, it)
			continue
		}
		if _, ok := needed[name]; !ok {
			continue
		}
		if old := by[name]; old != nil {
			if old.path != it.path {
				w.add(it.pos.Cell, it.pos.Line, "%q and %q (%v) are both packages %s: give one another name", it.path, old.path, old.pos, name)
			}
			continue
		}
		by[name] = it
		used = append(used, it)
	}
	for name, pos := range needed {
		if by[name] == nil && pos.Cell > 0 && !dots && types.Universe.Lookup(name) == nil {
			w.add(pos.Cell, pos.Line, "%s is neither declared nor imported: import it in this cell or an earlier one (the kernel guesses imports, an export does not)", name)
		}
	}
	return used, nil
}

// importName is the name by which the code knows an import.
func (w *writer) importName(it *item) string {
	if it.alias != "" {
		return it.alias
	}
	return w.names[it.path]
}

// packageNames asks for the names of packages and guesses those that nobody tells.
func packageNames(paths []string, ask func([]string) map[string]string) map[string]string {
	names := map[string]string{}
	var others []string
	for _, p := range paths {
		names[p] = assumedName(p)
		if first, _, _ := strings.Cut(p, "/"); strings.Contains(first, ".") {
			others = append(others, p)
		}
	}
	if ask != nil && len(others) > 0 {
		for p, name := range ask(others) {
			if name != "" {
				names[p] = name
			}
		}
	}
	return names
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// assumedName is the package name that an import path suggests: math/rand/v2 is rand, gopkg.in/yaml.v3
// is yaml, example.com/go-name is name.
func assumedName(p string) string {
	base := path.Base(p)
	if majorVersion.MatchString(base) && path.Dir(p) != "." {
		base = path.Base(path.Dir(p))
	}
	base = strings.TrimPrefix(base, "go-")
	if i := strings.IndexFunc(base, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') }); i > 0 {
		base = base[:i]
	}
	return base
}

func isLetter(r rune) bool { return r == '_' || unicode.IsLetter(r) }
