package arch

import (
	"encoding/json"
	"go/ast"
	"go/doc"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// face is the package that users import, and faceSize how many lines go doc -short may print of it: what a reader takes in. Three of
// them are Together, what it takes and what it releases, ten say what is made of a person's rows, eleven are tables and conditions, two are
// Choice and what it is among, one is the Ranking of groups, two bound what a person contributes, five are
// scores of models and what is read off one, one is a matrix of correlations and one a
// series.
const (
	face     = "dpkit"
	faceSize = 157
)

// TestFaceIsSmall counts what go doc -short prints of the face: types with the functions that make them, other functions,
// groups of constants and of variables.
func TestFaceIsSmall(t *testing.T) {
	src := newSources(filepath.Join("..", ".."))
	p := src.load(t, module+face)
	var files []*ast.File
	for _, path := range slices.Sorted(src.filesOf(p)) {
		files = append(files, p.files[path])
	}
	d, err := doc.NewFromFiles(src.fset, files, p.path)
	if err != nil {
		t.Fatal(err)
	}
	lines := len(d.Consts) + len(d.Vars) + len(d.Funcs) + len(d.Types)
	for _, typ := range d.Types {
		lines += len(typ.Consts) + len(typ.Vars) + len(typ.Funcs)
	}
	if lines > faceSize {
		t.Errorf("go doc -short ./%s prints %d lines, want at most %d: move what users never write to the room or the package that has it", face, lines, faceSize)
	}
	if len(d.Types) == 0 {
		t.Error("found no type")
	}
}

// methodsOfFace are the types of the face whose methods users call in chains and on what comes back.
var methodsOfFace = []string{"Pipeline", "Session", "Plan", "Result", "Cost"}

// TestFaceIsUsed: every exported name of the face stands in a compiled Example, in a notebook or in a tutorial, so that whoever
// reads it in go doc finds how it is used. An Example that has the name in its own, as ExampleCost has, counts too: go doc
// shows it there.
func TestFaceIsUsed(t *testing.T) {
	root := filepath.Join("..", "..")
	src := newSources(root)
	p := src.load(t, module+face)
	used, missing := usesOfFace(t, root), map[string]bool{}
	for name := range p.names {
		if ast.IsExported(name) && !used["dpkit."+name] {
			missing[name] = true
		}
	}
	for _, typ := range methodsOfFace {
		for _, m := range src.methodsOn(t, p, typ) {
			if !used["."+m] && !used["dpkit."+typ+"_"+m] {
				missing[typ+"_"+m] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		t.Errorf("dpkit.%s is used in no Example, notebook or tutorial: show how it is used, or take it off the face", name)
	}
}

// methodsOn are the exported methods of a type of the face, or of an interface there; plumbing is left out.
func (s *sources) methodsOn(t *testing.T, p *source, typ string) []string {
	d := p.types[typ]
	if d == nil {
		t.Fatalf("package %s has no type %s", p.path, typ)
	}
	if pkg, name, ok := s.named(t, p, d.file, d.spec.Type); ok && d.spec.Assign.IsValid() {
		p, typ = s.load(t, pkg), name
	}
	var names []*ast.Ident
	for _, fn := range p.methods[typ] {
		names = append(names, fn.Name)
	}
	if i, is := p.types[typ].spec.Type.(*ast.InterfaceType); is {
		for _, f := range i.Methods.List {
			names = append(names, f.Names...)
		}
	}
	var out []string
	for _, n := range names {
		if n.IsExported() && !plumbing.MatchString(n.Name) {
			out = append(out, n.Name)
		}
	}
	return out
}

// usesOfFace is what Examples, notebooks and tutorials use: "dpkit.X" of the package, ".M" of a method that is called or
// a field that is read.
func usesOfFace(t *testing.T, root string) map[string]bool {
	used := map[string]bool{}
	examples, cells := 0, 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := e.Name()
		switch {
		case e.IsDir() && path != root && notOurs(name):
			return filepath.SkipDir
		case strings.HasSuffix(name, "_test.go") && strings.HasPrefix(name, "example"):
			code, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			examples++
			noteUses(code, used)
		case strings.HasSuffix(name, ".ipynb"):
			for _, code := range codeCells(t, path) {
				cells++
				noteUses([]byte(code), used)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if examples == 0 || cells == 0 {
		t.Fatalf("read %d files of Examples and %d cells", examples, cells)
	}
	return used
}

// noteUses notes the selectors of Go code, which need not be whole files: cells of notebooks are not.
func noteUses(code []byte, used map[string]bool) {
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(code))
	s.Init(file, code, func(token.Position, string) {}, 0) // what is no Go, such as %commands, names nothing
	var before [2]string                                   // the two tokens before
	for {
		_, tok, lit := s.Scan()
		if tok == token.EOF {
			return
		}
		if tok == token.IDENT {
			switch {
			case before[1] == "." && before[0] == face:
				used["dpkit."+lit] = true
			case before[1] == ".":
				used["."+lit] = true
			case before[1] == "func" && strings.HasPrefix(lit, "Example"):
				used["dpkit."+strings.TrimPrefix(lit, "Example")] = true
			}
		} else {
			lit = tok.String()
		}
		before = [2]string{before[1], lit}
	}
}

// codeCells are the sources of a notebook's code cells.
func codeCells(t *testing.T, path string) []string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n struct {
		Cells []struct {
			Type   string          `json:"cell_type"`
			Source json.RawMessage `json:"source"`
		} `json:"cells"`
	}
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	var out []string
	for _, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		var lines []string
		if err := json.Unmarshal(c.Source, &lines); err != nil {
			var one string
			if err := json.Unmarshal(c.Source, &one); err != nil {
				t.Fatalf("%s: source of a cell: %v", path, err)
			}
			lines = []string{one}
		}
		out = append(out, strings.Join(lines, ""))
	}
	return out
}
