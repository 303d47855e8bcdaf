package export

import (
	"fmt"
	"go/ast"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/gofumpt/format"
)

const (
	celltestPath = "github.com/dpkit-go/dpnb/notebooks/nb/celltest"
	goFile       = "notebook_test.go"
)

// source collects the lines of a Go file and where each comes from.
type source struct {
	lines   []string
	origins []Position
}

// add appends text. pos is where its first line comes from; none where Cell is 0.
func (s *source) add(pos Position, text string) {
	for i, line := range strings.Split(text, "\n") {
		s.lines = append(s.lines, line)
		at := Position{}
		if pos.Cell > 0 {
			at = Position{pos.Cell, pos.Line + i}
		}
		s.origins = append(s.origins, at)
	}
}

func (s *source) printf(format string, args ...any) { s.add(Position{}, fmt.Sprintf(format, args...)) }

func (s *source) bytes() []byte { return []byte(strings.Join(s.lines, "\n") + "\n") }

// write renders every epoch.
func (x *exporter) write() (*Package, error) {
	p := &Package{Files: map[string][]byte{}, origins: map[string][]Position{}}
	var imports []string
	for _, e := range x.epochs {
		for _, it := range e.mem.items() {
			if it.kind == kindImport && it.alias == "" {
				imports = append(imports, it.path)
			}
		}
	}
	names := packageNames(imports, x.o.PackageNames)
	for i, e := range x.epochs {
		dir := ""
		if i > 0 {
			dir = fmt.Sprintf("e%02d", i+1)
		}
		w := &writer{exporter: x, epoch: e, names: names, pkg: p, dir: dir}
		if err := w.write(); err != nil {
			return nil, err
		}
		p.Notes = append(p.Notes, e.notes...)
	}
	return p, x.err()
}

// writer renders one epoch.
type writer struct {
	*exporter
	*epoch
	names map[string]string // import path → package name
	pkg   *Package
	dir   string
	taken map[string]bool
	items []*item
}

func (w *writer) write() error {
	w.items = w.kept()
	w.taken = map[string]bool{"TestMain": true, "init": true}
	for _, it := range w.items {
		for _, n := range it.names {
			w.taken[n] = true
		}
		if it.kind == kindImport {
			w.taken[w.importName(it)] = true
		}
	}
	testing, celltest, notebook := w.imported("testing", "testing"), w.imported("celltest", celltestPath), w.free("notebook")

	var code source
	location := w.o.Path
	if w.dir != "" && !path.IsAbs(location) {
		location = "../" + location
	}
	code.printf("// %s is declared first: it moves the process to a copy of the notebook's folder before another\n// variable is set.\nvar %s = %s.Start(%q)\n", notebook, notebook, celltest.name, location)
	for _, it := range w.items {
		if it.kind != kindImport {
			code.add(it.pos, it.text)
			code.printf("")
		}
	}
	code.printf("func TestMain(m *%s.M) {", testing.name)
	functions := make([]string, len(w.cells))
	if len(w.cells) == 0 {
		code.printf("\t%s.Main(m, nil)\n}\n", notebook)
	} else {
		code.printf("\t%s.Main(m, map[int]func(){", notebook)
		for i, r := range w.cells {
			functions[i] = w.free(fmt.Sprintf("cell%02d", r.number))
			code.printf("\t\t%d: %s,", r.number, functions[i])
		}
		code.printf("\t})\n}\n")
	}
	for i, r := range w.cells {
		w.test(&code, r, testing.name, celltest.name, notebook)
		code.add(r.pos, "func "+functions[i]+"() {"+r.body+"}")
		code.printf("")
		if r.skip == "" {
			w.pkg.Tests++
		}
	}
	for _, it := range w.items {
		if it.test {
			w.pkg.Tests++
		}
	}

	used, err := w.imports(&code)
	if err != nil {
		return err
	}
	for _, im := range []generated{testing, celltest} {
		if !im.shared || !slices.ContainsFunc(used, func(it *item) bool { return it.path == im.path }) {
			used = append(used, im.item())
		}
	}
	var file source
	w.header(&file)
	w.importBlock(&file, used)
	file.lines, file.origins = append(file.lines, code.lines...), append(file.origins, code.origins...)
	return w.finish(&file)
}

// kept are the items of the epoch, without the test functions of earlier epochs that nothing calls.
func (w *writer) kept() []*item {
	all := w.mem.items()
	mentions := func(name string, by *item) bool {
		return slices.ContainsFunc(all, func(it *item) bool { return it != by && strings.Contains(it.text, name) }) ||
			slices.ContainsFunc(w.cells, func(r *runCell) bool { return strings.Contains(r.body, name) })
	}
	return slices.DeleteFunc(all, func(it *item) bool {
		return it.test && it.pos.Cell < w.from && !mentions(it.names[0], it)
	})
}

// free returns a name that the notebook does not use, and takes it.
func (w *writer) free(name string) string {
	for w.taken[name] {
		name += "_"
	}
	w.taken[name] = true
	return name
}

// generated is an import that the generated code needs.
type generated struct {
	name, path string
	shared     bool // the notebook imports it too, under this name
}

func (w *writer) imported(name, importPath string) generated {
	for _, it := range w.items {
		if it.kind == kindImport && it.path == importPath && it.alias == "" {
			return generated{name, importPath, true}
		}
	}
	return generated{w.free(name), importPath, false}
}

func (g generated) item() *item {
	it := &item{kind: kindImport, path: g.path, text: fmt.Sprintf("%q", g.path)}
	if !strings.HasSuffix(g.path, g.name) {
		it.text = g.name + " " + it.text
	}
	return it
}

func (w *writer) header(file *source) {
	file.printf("// Code generated by \"nb export\" from %s; DO NOT EDIT.\n//", oneLine(w.o.Name))
	file.printf("// SHA-256 of the notebook: %s", hash(w.o.Data))
	if len(w.notes) > 0 {
		file.printf("//\n// Not tested here:")
		for _, n := range w.notes {
			file.printf("//   - %s", oneLine(n.String()))
		}
	}
	file.printf("\npackage main\n")
}

// oneLine makes a text fit for a comment.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\uFEFF' || r == utf8.RuneError {
			return ' '
		}
		return r
	}, s)
}

// importBlock writes the standard library first, then the others.
func (w *writer) importBlock(file *source, list []*item) {
	file.printf("import (")
	for _, std := range []bool{true, false} {
		var group []*item
		for _, it := range list {
			first, _, _ := strings.Cut(it.path, "/")
			if std == !strings.Contains(first, ".") {
				group = append(group, it)
			}
		}
		slices.SortFunc(group, func(a, b *item) int { return strings.Compare(a.path+a.alias, b.path+b.alias) })
		for _, it := range group {
			file.add(it.pos, "\t"+it.text)
		}
		if std && len(group) < len(list) {
			file.printf("")
		}
	}
	file.printf(")\n")
}

// test writes the test of a cell.
func (w *writer) test(code *source, r *runCell, testing, celltest, notebook string) {
	name := fmt.Sprintf("TestCell%02d", r.number)
	if suffix := identifier(r.name); suffix != "" {
		name += "_" + suffix
	}
	var b strings.Builder
	field := func(name, format string, args ...any) { fmt.Fprintf(&b, "\t\t"+name+": "+format+",\n", args...) }
	field("Number", "%d", r.number)
	if len(r.args) > 0 {
		field("Args", "%#v", r.args)
	}
	if len(r.env) > 0 {
		field("Env", "%#v", r.env)
	}
	if r.dir != "" && r.dir != "." {
		field("Dir", "%q", r.dir)
	}
	if r.own {
		field("Main", "true")
	}
	if r.exit != 0 {
		field("Exit", "%d", r.exit)
	}
	if r.timeout != 0 {
		fmt.Fprintf(&b, "\t\tTimeout: %d, // %v\n", int64(r.timeout), r.timeout)
	}
	if r.seed != "" {
		field("Seed", "%q", r.seed)
	}
	if r.slow {
		field("Slow", "true")
	}
	if r.skip != "" {
		field("Skip", "%q", r.skip)
	}
	w.expected(r, field)
	code.printf("func %s(t *%s.T) {\n\t%s.Run(t, %s.Cell{\n%s\t})\n}\n", w.free(name), testing, notebook, celltest, b.String())
}

// expected writes what is compared, and the stored text.
func (w *writer) expected(r *runCell, field func(name, format string, args ...any)) {
	output := r.output
	if r.golden == nil && output != "contains" && output != "regexp" {
		if output != "ignore" && r.skip == "" {
			w.notes = append(w.notes, Note{Position{r.number, 0}, "it was never executed: its output is not compared"})
		}
		output = "ignore"
	}
	if output != "" {
		field("Output", "%q", output)
	}
	if len(r.wanted) > 0 && (output == "contains" || output == "regexp") {
		field("Text", "%#v", r.wanted)
	}
	if output == "approx" {
		field("Tolerance", "%v", r.tolerance)
	}
	switch {
	case output == "ignore":
		return
	case r.golden == nil:
		field("AnyDisplay", "true")
		return
	}
	if len(r.golden.displays) > 0 {
		field("Displays", "%#v", r.golden.displays)
	}
	if r.golden.tail {
		field("Tail", "true")
	}
	if output != "contains" && output != "regexp" && r.skip == "" {
		w.pkg.Files[path.Join(w.dir, "testdata", fmt.Sprintf("cell%02d.txt", r.number))] = []byte(r.golden.text)
	}
}

// identifier makes a part of a Go name of some words.
func identifier(words string) string {
	parts := strings.FieldsFunc(words, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') })
	return strings.Join(parts, "_")
}

// finish formats the file and finds the origin of its lines again.
func (w *writer) finish(file *source) error {
	name := path.Join(w.dir, goFile)
	out, err := format.Source(file.bytes(), format.Options{LangVersion: "go1.26", ModulePath: "nb"})
	if err != nil {
		return fmt.Errorf("nb: the code of the export is not Go: %w", err)
	}
	w.pkg.Files[name] = out
	w.pkg.origins[name] = alignLines(file, out)
	return nil
}

func unresolved(f *ast.File) map[*ast.Ident]bool {
	set := map[*ast.Ident]bool{}
	for _, id := range f.Unresolved { //nolint:staticcheck // the file alone is what is asked about
		set[id] = true
	}
	return set
}
