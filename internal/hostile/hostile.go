package hostile

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// Row is one of the table: a number X within [0, 10], a category C of the levels a and b, and a class Y of no and yes. Nil is a missing cell.
type Row struct {
	X    *float64
	C, Y *string
}

// Case is a table whose third row may not be let in.
type Case struct {
	Name   string
	Row    Row
	Column string  // whose cell is bad
	Is     []error // what the error is, one of them
	cell   string  // what it may not repeat
}

// Cases are all of them.
func Cases() []Case {
	number := func(v float64) Row { r := Good(); r.X = &v; return r }
	level := func(v *string) Row { r := Good(); r.C = v; return r }
	class := func(v *string) Row { r := Good(); r.Y = v; return r }
	text := func(s string) *string { return &s }
	missing := Good()
	missing.X = nil
	bounds, notNumber, unknown, none := []error{frames.ErrBounds}, []error{frames.ErrNumber, frames.ErrBounds, frames.ErrMissing}, []error{frames.ErrLevel, frames.ErrNumber}, []error{frames.ErrMissing, frames.ErrLevel, frames.ErrNumber}
	return []Case{
		{"a number above its bounds", number(731.25), "x", bounds, "731"},
		{"a number below them", number(-731.25), "x", bounds, "731"},
		{"one just above", number(math.Nextafter(10, 11)), "x", bounds, "10.00000"},
		{"a huge number", number(7e300), "x", bounds, "7e"},
		{"NaN", number(math.NaN()), "x", notNumber, ""},
		{"infinity", number(math.Inf(1)), "x", notNumber, ""},
		{"negative infinity", number(math.Inf(-1)), "x", notNumber, ""},
		{"no number", missing, "x", none, ""},
		{"an unknown level", level(text("zebra")), "c", unknown, "zebra"},
		{"a level in capitals", level(text("A")), "c", unknown, ""},
		{"a level behind a blank", level(text(" a")), "c", unknown, ""},
		{"no level", level(nil), "c", none, ""},
		{"an unknown class", class(text("maybe")), "y", unknown, "maybe"},
		{"no class", class(nil), "y", none, ""},
	}
}

// Good is a row that is let in.
func Good() Row {
	x, c, y := 5.0, "a", "no"
	return Row{&x, &c, &y}
}

// Schema is that of the table, where a source has no categories without c.
func Schema(t testing.TB, categories bool) frames.Schema {
	t.Helper()
	cols := []frames.Column{frames.Numeric("x", 0, 10), frames.Category("c", "a", "b"), frames.Label("y", "no", "yes")}
	if !categories {
		cols = slices.Delete(cols, 1, 2)
	}
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Source is how a test reads rows by a source.
type Source struct {
	Read  func(t testing.TB, s frames.Schema, rows []Row) error // makes what the source reads of the rows, and reads it whole
	Place func(row int) string                                  // what its errors say of the place of a row, from 1
	// Without are the cases, by name, that cannot come from there, and why.
	Without      map[string]string
	NoCategories bool
}

// temporary are the paths of tests: random digits, which may be those of a cell, and no part of what an error tells of one.
var temporary = regexp.MustCompile(regexp.QuoteMeta(os.TempDir()) + `[^\s:"]*`)

// Run reads the table by a source: as it should be, and with each bad row.
func Run(t *testing.T, in Source) {
	t.Helper()
	s := Schema(t, !in.NoCategories)
	zero, b, yes := math.Copysign(0, -1), "b", "yes"
	good := []Row{Good(), {&zero, &b, &yes}, Good(), Good(), Good()}
	if err := in.Read(t, s, good); err != nil {
		t.Errorf("good rows: %v", err)
	}
	used := 0
	for _, c := range Cases() {
		if in.NoCategories && c.Column == "c" {
			continue
		}
		if in.Without[c.Name] != "" {
			used++
			continue
		}
		rows := slices.Clone(good)
		rows[2] = c.Row
		err := in.Read(t, s, rows)
		switch {
		case err == nil:
			t.Errorf("%s: was let in", c.Name)
		case !slices.ContainsFunc(c.Is, func(is error) bool { return errors.Is(err, is) }):
			t.Errorf("%s: got %v, want one of %v", c.Name, err, c.Is)
		case !strings.Contains(err.Error(), fmt.Sprintf("%q", c.Column)) || !strings.Contains(err.Error(), in.Place(3)):
			t.Errorf("%s: got %v, want column %q and %s", c.Name, err, c.Column, in.Place(3))
		case c.cell != "" && strings.Contains(temporary.ReplaceAllString(err.Error(), ""), c.cell):
			t.Errorf("%s: the error repeats the cell: %v", c.Name, err)
		}
	}
	if used < len(in.Without) {
		t.Errorf("some of what is left out is no case: %v", slices.Collect(maps.Keys(in.Without)))
	}
}

// Covers fails for a source that a package exports, a function or method that returns rows, which is neither among the tested nor excused, and for a name
// that is none.
func Covers[S any](t *testing.T, folder string, tested map[string]S, excused map[string]string) {
	t.Helper()
	found, err := Sources(folder)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		t.Errorf("found no source in %s", folder)
	}
	for _, name := range found {
		if _, ok := tested[name]; !ok && excused[name] == "" {
			t.Errorf("%s returns rows and is not held to what every source is held to: give it an entry", name)
		}
	}
	for _, name := range slices.Concat(slices.Collect(maps.Keys(tested)), slices.Collect(maps.Keys(excused))) {
		if !slices.Contains(found, name) {
			t.Errorf("%s has an entry and is no source of the package", name)
		}
	}
}

// rowTypes are what rows come as.
var rowTypes = []string{"Frame", "File", "Checked", "Source", "Sharded"}

// Sources are the functions and methods that a package exports and that return rows.
func Sources(folder string) (names []string, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || !f.Name.IsExported() || f.Type.Results == nil || !slices.Contains(rowTypes, typeName(f.Type.Results.List[0].Type)) {
				continue
			}
			name := f.Name.Name
			if f.Recv != nil {
				of := typeName(f.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
				name = of + "." + name
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// typeName is the name of a type, or of what a pointer points to, without its package.
func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	case *ast.Ident:
		return e.Name
	}
	return ""
}
