package arch

import (
	"go/ast"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// docLink is what go doc takes for a link if there is such a name: in brackets a name, one of a package's, or one with a method of
// it, also of a pointer.
var docLink = regexp.MustCompile(`\[\*?((?:[a-z][\w/.-]*\.)?[A-Za-z_]\w*(?:\.[A-Z]\w*)?)\]`)

// TestDocLinks: every link in a comment is to a name that its reader finds.
func TestDocLinks(t *testing.T) {
	src := newSources(filepath.Join("..", ".."))
	links := 0
	for _, pkg := range src.packages(t) {
		p := src.load(t, module+pkg)
		for _, f := range p.files {
			links += src.checkLinks(t, f, p)
		}
		tests := src.testsOf(t, p)
		for _, f := range tests.files {
			links += src.checkLinks(t, f, tests, p)
		}
	}
	if links < 500 {
		t.Errorf("found %d links", links)
	}
}

// checkLinks reports the links of a file that lead nowhere from the packages that its reader sees, and counts all.
func (s *sources) checkLinks(t *testing.T, f *ast.File, from ...*source) (links int) {
	for _, g := range f.Comments {
		if strings.HasPrefix(g.Text(), "Output:") || strings.HasPrefix(g.Text(), "Unordered output:") {
			continue // of an example
		}
		for _, c := range g.List {
			for _, to := range linksIn(c.Text) {
				links++
				if !slices.ContainsFunc(from, func(p *source) bool { return s.resolves(t, p, to) }) {
					t.Errorf("%s: [%s] is no name that a reader of this package finds", s.fset.Position(c.Pos()), to)
				}
			}
		}
	}
	return links
}

// linksIn are the names that stand in brackets in a comment, but in its indented blocks: an index or a type's parameters stand
// behind a letter or brackets, and are none.
func linksIn(comment string) []string {
	var all []string
	for line := range strings.Lines(comment) {
		if strings.HasPrefix(line, "//\t") || strings.HasPrefix(line, "\t") {
			continue
		}
		for _, m := range docLink.FindAllStringSubmatchIndex(line, -1) {
			before, _ := utf8.DecodeLastRuneInString(line[:m[0]])
			after, _ := utf8.DecodeRuneInString(line[m[1]:])
			if parts(before) && before != ']' && before != ')' && (parts(after) || m[1] == len(line)) {
				all = append(all, line[m[2]:m[3]])
			}
		}
	}
	return all
}

func parts(r rune) bool { return unicode.IsPunct(r) || unicode.IsSpace(r) }

// resolves says whether a link in a comment of p leads somewhere. What is of another module is believed.
func (s *sources) resolves(t *testing.T, p *source, to string) bool {
	name, rest, _ := strings.Cut(to, ".")
	if p.names[name] {
		return rest == "" || s.hasMember(t, p, name, rest)
	}
	path := ""
	for _, f := range p.files {
		if path = imported(f, name); path != "" {
			break
		}
	}
	if path == "" {
		return false
	}
	if !strings.HasPrefix(path, module) || rest == "" {
		return true
	}
	name, rest, _ = strings.Cut(rest, ".")
	q := s.load(t, path)
	return q.names[name] && ast.IsExported(name) && (rest == "" || s.hasMember(t, q, name, rest))
}

// hasMember says whether a type of this module has a field or a method of that name.
func (s *sources) hasMember(t *testing.T, p *source, typ, member string) bool {
	declared := p.types[typ]
	if declared == nil {
		return false
	}
	if declared.spec.Assign.IsValid() {
		pkg, name, ok := s.named(t, p, declared.file, declared.spec.Type)
		return ok && (!strings.HasPrefix(pkg, module) || s.hasMember(t, s.load(t, pkg), name, member))
	}
	for _, fn := range p.methods[typ] {
		if fn.Name.Name == member {
			return true
		}
	}
	var fields *ast.FieldList
	switch body := declared.spec.Type.(type) {
	case *ast.StructType:
		fields = body.Fields
	case *ast.InterfaceType:
		fields = body.Methods
	default:
		return false
	}
	for _, f := range fields.List {
		for _, n := range f.Names {
			if n.Name == member {
				return true
			}
		}
		if len(f.Names) > 0 {
			continue
		}
		x := f.Type
		if star, is := x.(*ast.StarExpr); is {
			x = star.X
		}
		if pkg, name, ok := s.named(t, p, declared.file, x); ok && strings.HasPrefix(pkg, module) && s.hasMember(t, s.load(t, pkg), name, member) {
			return true
		}
	}
	return false
}

func TestLinksIn(t *testing.T) {
	for _, c := range []struct {
		name, comment string
		want          []string
	}{
		{"a name", "// See [Block].", []string{"Block"}},
		{"a method, a package, a pointer", "// [Block.Rows], [frames.Block] and [*frames.Block].", []string{"Block.Rows", "frames.Block", "frames.Block"}},
		{"a method of another package's type", "// (see [frames.Block.Rows])", []string{"frames.Block.Rows"}},
		{"indices and parameters of types", "// Row i of m[k][i] is f()[j] of a Result[V].", nil},
		{"an interval", "// in [0, 1] and [a, b]", nil},
		{"an indented block", "//\tsee [Block]", nil},
		{"a word", "// [written] has no capital", []string{"written"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := linksIn(c.comment); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
