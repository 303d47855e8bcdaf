package export

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/notebooks/nb"
	"github.com/dpkit-go/dpnb/notebooks/nb/kernel"
)

// What Notebook refuses as a whole.
var (
	ErrLanguage = kernel.ErrLanguage
	ErrNoCode   = kernel.ErrNoCode
)

// Options configures Notebook.
type Options struct {
	Name string // the notebook's file name, for the header
	Data []byte // the notebook's bytes, of which the header states the hash

	// Path leads from the package's folder to the notebook, or is absolute; the tests copy the folder
	// that holds it.
	Path string

	// PackageNames tells the names of imported packages; nil, or a path that it does not return: the
	// name that the path suggests.
	PackageNames func(paths []string) map[string]string
}

// Package is an exported notebook.
type Package struct {
	Files map[string][]byte // path below the package's folder, with slashes → content
	Notes []Note            // what is not tested, and why
	Tests int               // cells that become tests and are not skipped, and Test, Benchmark and Fuzz functions

	origins map[string][]Position // Go file → for each line the cell's, zero where there is none
}

// Note is a remark about a cell.
type Note struct {
	Position
	Text string
}

func (n Note) String() string { return n.Position.String() + ": " + n.Text }

// Origin returns the place in the notebook that a line of a file was made from; file is a key of Files.
func (p *Package) Origin(file string, line int) (Position, bool) {
	lines := p.origins[file]
	if line < 1 || line > len(lines) || lines[line-1].Cell == 0 {
		return Position{}, false
	}
	return lines[line-1], true
}

// runCell is a cell that becomes a test.
type runCell struct {
	*cell
	stored *nb.Cell
	pos    Position // of the body's first line
	body   string
	own    bool // func main is written out
	dir    string
	env    []string
	golden *golden
	skip   string
}

// epoch is one exported package.
type epoch struct {
	first bool
	mem   memory
	cells []*runCell
	notes []Note
	from  int // number of its first cell
}

// tests says whether something of the epoch would be run, so that it must stay as it is.
func (e *epoch) tests() bool {
	return len(e.cells) > 0 || slices.ContainsFunc(e.mem.items(), func(it *item) bool { return it.test && it.pos.Cell >= e.from })
}

// exporter walks through the cells.
type exporter struct {
	problems
	o      Options
	golden goldens
	epochs []*epoch
	env    []string
	dir    string
}

// Notebook reads the cells and writes the package, in memory. The error joins an *Error for each
// problem, or wraps ErrLanguage or ErrNoCode.
func Notebook(n *nb.Notebook, o Options) (*Package, error) {
	if lang := n.Language(); lang != "" && !strings.EqualFold(lang, "go") && lang != "gonb" {
		return nil, fmt.Errorf("nb: %w: its kernel is for %q, want go", ErrLanguage, lang)
	}
	x := &exporter{o: o, golden: newGoldens(n)}
	x.epochs = []*epoch{{first: true, mem: memory{}, from: 1}}
	number := 0
	for _, c := range n.Cells {
		if c.Type == "code" && strings.TrimSpace(c.Source) != "" {
			number++
			x.cell(number, c)
		}
	}
	if number == 0 {
		return nil, fmt.Errorf("nb: %w: the notebook has no code cells", ErrNoCode)
	}
	if err := x.err(); err != nil {
		return nil, err
	}
	return x.write()
}

func (x *exporter) note(pos Position, format string, args ...any) {
	e := x.epochs[len(x.epochs)-1]
	e.notes = append(e.notes, Note{pos, fmt.Sprintf(format, args...)})
}

// cell takes one cell in.
func (x *exporter) cell(number int, stored *nb.Cell) {
	var own problems
	c := readCell(number, stored.Source, &own)
	if c.noEval || stored.HasTag("skip-execution") {
		x.note(Position{number, 0}, "left out: it is not evaluated")
		return
	}
	x.errs = append(x.errs, own.errs...)
	if c.special != "" {
		x.note(Position{number, 0}, "skipped: a %s cell", c.special)
		return
	}
	for _, line := range c.dropped {
		x.note(Position{number, line}, "dropped, as the kernel does with a line that begins with package")
	}
	current := x.epochs[len(x.epochs)-1]
	mem, failed := current.mem.clone(), len(own.errs) > 0
	x.commands(c, mem)
	c.types = mem.types()
	if c.file != nil {
		for name := range typesOf(c.file) {
			c.types[name] = true
		}
	}
	list, main := c.items(&x.problems)
	mem.merge(list)
	if failed {
		x.epochs[len(x.epochs)-1].mem = mem
		return
	}
	mem.clashes(number, &x.problems)
	if current.tests() && (mem.lost(current.mem) || current.changed(list)) {
		current = &epoch{from: number}
		x.epochs = append(x.epochs, current)
	}
	current.mem = mem

	r := &runCell{cell: c, stored: stored, dir: x.dir, env: slices.Clone(x.env)}
	r.golden = x.golden.of(c, stored)
	if stored.HasTag("raises-exception") && r.exit == 0 {
		r.exit = -1
	}
	switch {
	case c.isTest:
		if main != nil {
			x.note(Position{number, c.line(main.Pos())}, "main of a %%test cell: go test does not run it")
		}
		return
	case main != nil:
		r.own = c.opener == ""
		r.body, r.pos = c.between(main.Body.Lbrace+1, main.Body.Rbrace), Position{number, c.line(main.Body.Lbrace)}
	case c.test:
		r.pos = Position{number, 1}
	default:
		return
	}
	if c.skip {
		r.skip = "the cell asks for it"
	}
	current.cells = append(current.cells, r)
}

// changed says whether new declarations could change what the epoch's cells do: a method of a type that
// they know, or an initialiser that does something.
func (e *epoch) changed(list []*item) bool {
	known := e.mem.types()
	return slices.ContainsFunc(list, func(it *item) bool {
		return !e.mem.holds(it) && (it.calls || known[it.receiver])
	})
}

// commands does what a cell's special commands do.
func (x *exporter) commands(c *cell, mem memory) {
	shells := 0
	for _, cmd := range c.commands {
		pos := Position{c.number, cmd.line}
		if cmd.words == nil {
			if shells++; shells == 1 {
				x.note(pos, "shell lines are skipped")
			}
			continue
		}
		switch cmd.words[0] {
		case "env":
			if name, value, ok := envPair(cmd.words); ok {
				x.env = append(x.env, name+"="+value)
			}
		case "cd":
			if len(cmd.words) == 2 {
				x.cd(pos, cmd.words[1])
			}
		case "reset":
			if len(cmd.words) == 1 {
				clear(mem)
			}
		case "rm", "remove":
			for _, key := range cmd.words[1:] {
				if !mem.remove(key) {
					x.note(pos, "%%rm %s: nothing of this name is there", key)
				}
			}
		case "capture":
			x.note(pos, "%%capture is skipped: no file is written")
		}
	}
}

// cd follows a change of folder, which may not leave the copy of the notebook's folder.
func (x *exporter) cd(pos Position, to string) {
	dir := path.Join(x.dir, to)
	if path.IsAbs(to) || strings.HasPrefix(to, "~") || dir == ".." || strings.HasPrefix(dir, "../") {
		x.add(pos.Cell, pos.Line, "%%cd %s leaves the notebook's folder, of which the tests use a copy: want a folder below it", to)
		return
	}
	x.dir = dir
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
