package arch

import (
	"bytes"
	"flag"
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the fields and methods into the comments of aliases anew; review it as a diff")

// aliasPackages are the packages whose users read the documentation of types that other packages declare.
var aliasPackages = []string{"dpkit", "dpkit/federated"}

// TestAliasesShowTheirTypes: the comment of every alias of a struct ends with the fields and methods of the struct, as the
// package that declares it has them: go doc shows none of them for an alias.
func TestAliasesShowTheirTypes(t *testing.T) {
	src := newSources(filepath.Join("..", ".."))
	for _, pkg := range aliasPackages {
		face := src.load(t, module+pkg)
		shown := 0
		for _, path := range slices.Sorted(src.filesOf(face)) {
			code, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, n := src.withAliasDocs(t, face, path, code)
			shown += n
			if bytes.Equal(code, want) {
				continue
			}
			if !*update {
				t.Errorf("%s: comments of aliases are not what their types have; run go test ./internal/arch -run TestAliasesShowTheirTypes -update", path)
				continue
			}
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if shown == 0 {
			t.Errorf("%s: found no alias of a struct with fields or methods", pkg)
		}
	}
}

// withAliasDocs is the code of a file of face with the comments of its aliases written anew, and how many show something.
func (s *sources) withAliasDocs(t *testing.T, face *source, path string, code []byte) (out []byte, shown int) {
	type edit struct {
		from, to int
		text     string
	}
	var edits []edit
	offset := func(p token.Pos) int { return s.fset.Position(p).Offset }
	for _, a := range face.aliases {
		if a.file != path {
			continue
		}
		text := s.describe(t, face, a)
		if text != "" {
			shown++
		}
		if a.doc == nil {
			t.Errorf("%s: alias %s has no comment", path, a.spec.Name.Name)
			continue
		}
		indent := strings.Repeat("\t", s.fset.Position(a.doc.Pos()).Column-1)
		lines := handwritten(a.doc)
		if text != "" {
			for line := range strings.Lines(text) {
				lines = append(lines, strings.TrimRight("//"+line, " \n"))
			}
		}
		edits = append(edits, edit{offset(a.doc.Pos()), offset(a.doc.End()), strings.Join(lines, "\n"+indent)})
	}
	out = slices.Clone(code)
	slices.SortFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		out = slices.Concat(out[:e.from], []byte(e.text), out[e.to:])
	}
	return out, shown
}

const (
	fieldsTitle  = "Its fields:"
	methodsTitle = "Its methods:"
)

// handwritten are the lines of a comment before the part that is written here.
func handwritten(doc *ast.CommentGroup) []string {
	var lines []string
	for _, c := range doc.List {
		if c.Text == "// "+fieldsTitle || c.Text == "// "+methodsTitle {
			break
		}
		lines = append(lines, c.Text)
	}
	for len(lines) > 0 && lines[len(lines)-1] == "//" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

func TestHandwritten(t *testing.T) {
	for _, c := range []struct {
		name, comment, want string
	}{
		{"nothing generated", "// A is a.", "// A is a."},
		{"fields", "// A is a.\n//\n// Its fields:\n//\n//\tX int", "// A is a."},
		{"methods", "// A is a.\n//\n// More.\n//\n// Its methods:\n//\n//\tX()", "// A is a.\n//\n// More."},
		{"prose of fields", "// A is a. Its fields: x.\n//", "// A is a. Its fields: x."},
	} {
		t.Run(c.name, func(t *testing.T) {
			doc := &ast.CommentGroup{}
			for _, line := range strings.Split(c.comment, "\n") {
				doc.List = append(doc.List, &ast.Comment{Text: line})
			}
			if got := strings.Join(handwritten(doc), "\n"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
