package bundle

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Program is a program of several cells.
type Program struct {
	Source []byte
	Mark   string // begins the text in the program that ends in Digits digits: the cell that a process is, counted from 1; 0 in Source
	Cells  []int  // indices of the sources, in the order of the count
}

// Digits is how many digits follow a [Program.Mark] in a program.
const Digits = 4

// Join joins sources, each of a program of one file. What is in no program of the result, or is there with nothing else, has to be
// built alone. Equal sources count once.
//
// Cells are joined that have the same
//   - declarations of every name that they share, and methods of every type that they share;
//   - initialisers that may do something, in the same order (a call is one), and functions init;
//   - imports but for packages of which one knows that importing them does nothing that another package sees;
//   - names that stand in for Go's own ones.
//
// A cell is built alone where it does not parse, names something that it does not declare, imports what it does not use, or can tell by
// which program it is built.
func Join(sources [][]byte) []Program {
	var groups []*group
	seen := map[string]bool{}
	for i, text := range sources {
		c, err := read(text)
		if err != nil || seen[string(text)] {
			continue
		}
		seen[string(text)] = true
		at := slices.IndexFunc(groups, func(g *group) bool { return g.takes(c) })
		if at < 0 {
			groups = append(groups, newGroup(c))
			at = len(groups) - 1
		}
		groups[at].add(i, c)
	}
	var out []Program
	for _, g := range groups {
		if len(g.cells) > 1 && len(g.cells) < 10_000 {
			out = append(out, g.program())
		}
	}
	return out
}

// group is cells that may be one program.
type group struct {
	decls     map[string]string          // text of a declaration by what it declares
	methods   map[string]map[string]bool // by type
	imports   map[string]string          // path by name
	unnamed   map[string]bool            // imports whose name some cell assumes
	keys      map[string]bool            // of composite literals, which some cell does not declare
	order     []decl
	effects   []string
	sensitive []string
	cells     []*cell
	indices   []int
}

func newGroup(c *cell) *group {
	return &group{
		decls: map[string]string{}, methods: map[string]map[string]bool{}, imports: map[string]string{},
		unnamed: map[string]bool{}, keys: map[string]bool{}, effects: c.effects, sensitive: c.sensitive,
	}
}

func (g *group) takes(c *cell) bool {
	if !slices.Equal(g.effects, c.effects) || !slices.Equal(g.sensitive, c.sensitive) {
		return false
	}
	for _, d := range c.decls {
		for _, key := range d.keys {
			if text, ok := g.decls[key]; ok && text != d.text {
				return false
			}
			if _, ok := g.imports[key]; ok || g.keys[key] {
				return false
			}
		}
	}
	for key := range c.keys {
		if _, ok := g.decls[key]; ok {
			return false
		}
	}
	for typ, methods := range c.methods {
		if known, ok := g.methods[typ]; ok && !sameKeys(known, methods) {
			return false
		}
	}
	for name, path := range c.imports {
		if known, ok := g.imports[name]; ok && known != path {
			return false
		}
		if _, ok := g.decls[name]; ok {
			return false
		}
	}
	return true
}

func sameKeys(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

func (g *group) add(i int, c *cell) {
	for _, d := range c.decls {
		if _, ok := g.decls[d.keys[0]]; !ok {
			g.order = append(g.order, d)
		}
		for _, key := range d.keys {
			g.decls[key] = d.text
		}
	}
	for typ, methods := range c.methods {
		g.methods[typ] = methods
	}
	for name, path := range c.imports {
		g.imports[name] = path
	}
	maps.Copy(g.unnamed, c.unnamed)
	maps.Copy(g.keys, c.keys)
	g.cells, g.indices = append(g.cells, c), append(g.indices, i)
}

// program writes the group's source. The mark is in an array, which the compiler keeps in the program's data as it is.
func (g *group) program() Program {
	var body bytes.Buffer
	name := g.free("cell")
	for _, d := range g.order {
		fmt.Fprintf(&body, "%s\n\n", d.text)
	}
	for i, c := range g.cells {
		fmt.Fprintf(&body, "func %s%d() %s\n\n", name, i+1, c.body)
	}
	sum := sha256.Sum256(body.Bytes())
	p := Program{Mark: fmt.Sprintf("dpnb-cell-%x-", sum[:12]), Cells: g.indices}
	var out bytes.Buffer
	out.WriteString("package main\n\nimport (\n")
	for _, name := range sortedKeys(g.imports) {
		path := g.imports[name]
		if strings.HasPrefix(name, "_ ") {
			name = "_"
		}
		if g.unnamed[name] {
			name = ""
		}
		fmt.Fprintf(&out, "\t%s %q\n", name, path)
	}
	fmt.Fprintf(&out, ")\n\n%svar %sMark = [...]byte{", body.Bytes(), name)
	for _, b := range []byte(p.Mark + strings.Repeat("0", Digits)) {
		fmt.Fprintf(&out, "%d, ", b)
	}
	fmt.Fprintf(&out, "}\n\nfunc main() {\n\t%sNumber := 0\n\tfor _, b := range %sMark[%d:] {\n\t\t%sNumber = 10*%sNumber + int(b) - 48\n\t}\n\tswitch %sNumber {\n", name, name, len(p.Mark), name, name, name)
	for i := range g.cells {
		fmt.Fprintf(&out, "\tcase %d:\n\t\t%s%d()\n", i+1, name, i+1)
	}
	fmt.Fprintf(&out, "\tdefault:\n\t\tpanic(%q)\n\t}\n}\n", "the program of several cells was not told which one to run")
	p.Source = out.Bytes()
	return p
}

// free is a beginning of names that no cell uses.
func (g *group) free(name string) string {
	for slices.ContainsFunc(g.cells, func(c *cell) bool { return bytes.Contains(c.text, []byte(name)) }) {
		name += "_"
	}
	return name
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
