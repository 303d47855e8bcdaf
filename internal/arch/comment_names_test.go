package arch

import (
	"go/ast"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// plainName is a package's name, or one with a method or a field of it, without brackets: as rooms name what stands above them,
// which they cannot import.
var plainName = regexp.MustCompile(`(?:^|[^\w./\["-])([a-z]\w*)\.([A-Z]\w*)(?:\.([A-Z]\w*))?`)

// TestNamesInComments: what a comment names of a package of this module is there, with or without brackets.
func TestNamesInComments(t *testing.T) {
	src := newSources(filepath.Join("..", ".."))
	packages := map[string][]*source{}
	var all []*source
	for _, pkg := range src.packages(t) {
		p := src.load(t, module+pkg)
		packages[path.Base(pkg)] = append(packages[path.Base(pkg)], p)
		all = append(all, p, src.testsOf(t, p))
	}
	names := 0
	for _, p := range all {
		for _, f := range p.files {
			names += src.checkNames(t, packages, f)
		}
	}
	if names < 50 {
		t.Errorf("found %d names", names)
	}
}

// checkNames reports the names of a file's comments that no package has, and counts those that are of packages of this module.
func (s *sources) checkNames(t *testing.T, packages map[string][]*source, f *ast.File) (names int) {
	for _, g := range f.Comments {
		for _, c := range g.List {
			for line := range strings.Lines(c.Text) {
				if strings.HasPrefix(line, "//\t") || strings.HasPrefix(line, "\t") {
					continue
				}
				for _, m := range plainName.FindAllStringSubmatch(line, -1) {
					of := packages[m[1]]
					if len(of) == 0 {
						continue
					}
					names++
					if !slices.ContainsFunc(of, func(p *source) bool { return p.names[m[2]] && (m[3] == "" || s.hasMember(t, p, m[2], m[3])) }) {
						t.Errorf("%s: %s names nothing: say what it is called now", s.fset.Position(c.Pos()), strings.TrimSuffix(m[1]+"."+m[2]+"."+m[3], "."))
					}
				}
			}
		}
	}
	return names
}
