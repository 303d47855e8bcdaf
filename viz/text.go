package viz

import (
	"fmt"
	"math"
	"strings"
)

// textWriter collects lines.
type textWriter struct{ strings.Builder }

func (w *textWriter) line(s string) { w.WriteString(strings.TrimRight(s, " ") + "\n") }

func renderText(title string, blocks []block) string {
	w := &textWriter{}
	if title != "" {
		for _, l := range wrap(title, lineWidth) {
			w.line(l)
		}
	}
	for i, b := range blocks {
		if _, ok := b.(folded); ok {
			continue
		}
		if title != "" || i > 0 {
			w.line("")
		}
		b.text(w)
	}
	return w.String()
}

func (b banner) text(w *textWriter) {
	for _, l := range wrap(b.Head+": "+b.Body, lineWidth-3) {
		w.line("!! " + l)
	}
}

func (p para) text(w *textWriter) {
	for _, l := range wrap(p.Text, lineWidth) {
		w.line(l)
	}
}

func (f facts) text(w *textWriter) {
	name := 0
	for _, x := range f {
		name = max(name, columns(x.Name))
	}
	for _, x := range f {
		for i, l := range wrap(x.Value, max(20, lineWidth-name-2)) {
			head := ""
			if i == 0 {
				head = x.Name
			}
			w.line(pad(head, name, false) + "  " + l)
		}
	}
}

func (m meter) text(w *textWriter) { w.line(m.line(40)) }

// line is the meter as a bar of so many characters and its label.
func (m meter) line(cells int) string {
	full := int(math.Ceil(m.share() * float64(cells)))
	return fmt.Sprintf("[%s%s] %s", strings.Repeat("#", full), strings.Repeat("-", cells-full), m.Label)
}

const gap = "  "

func (g grid) text(w *textWriter) {
	if g.Caption != "" {
		para{g.Caption}.text(w)
	}
	parts := g.parts()
	for i, p := range parts {
		if len(parts) > 1 {
			if i > 0 {
				w.line("")
			}
			w.line(fmt.Sprintf("(columns %d to %d of %d)", p.from+1, p.from+len(p.Columns), len(g.Columns)))
		}
		p.table(w)
	}
}

// part is a grid of some of the columns.
type part struct {
	grid
	from int
}

// parts are groups of columns that fit a line each.
func (g grid) parts() []part {
	var out []part
	for from := 0; from < len(g.Columns); {
		used, to := -len(gap), from
		for ; to < len(g.Columns); to++ {
			need := g.need(to)
			if c := g.Columns[to]; !c.Right { // a whole word may stick out
				need = min(need, max(c.Least, 10))
			}
			if to > from && used+len(gap)+need > lineWidth {
				break
			}
			used += len(gap) + need
		}
		p := part{grid: grid{Columns: g.Columns[from:to], Foot: g.Foot}, from: from}
		for _, r := range g.Rows {
			p.Rows = append(p.Rows, r[from:to])
		}
		out, from = append(out, p), to
	}
	return out
}

// need is the width of column j.
func (g grid) need(j int) int {
	n := max(1, columns(g.Columns[j].Head))
	for _, r := range g.Rows {
		for _, l := range strings.Split(r[j], "\n") {
			n = max(n, columns(l))
		}
	}
	return n
}

// table prints all columns side by side.
func (g grid) table(w *textWriter) {
	widths := g.widths()
	rule := 0
	for _, n := range widths {
		rule += n
	}
	rule += len(gap) * max(0, len(widths)-1)
	heads := make([]string, len(g.Columns))
	for j, c := range g.Columns {
		heads[j] = c.Head
	}
	if strings.Join(heads, "") != "" {
		g.row(w, heads, widths)
		w.line(strings.Repeat("-", rule))
	}
	for i, r := range g.Rows {
		if g.Foot && i == len(g.Rows)-1 && i > 0 {
			w.line(strings.Repeat("-", rule))
		}
		g.row(w, r, widths)
	}
	if len(g.Rows) == 0 {
		w.line("(no rows)")
	}
}

// row prints one row, whose cells may take several lines.
func (g grid) row(w *textWriter, cells []string, widths []int) {
	lines := make([][]string, len(widths))
	height := 1
	for j := range widths {
		lines[j] = wrap(cells[j], widths[j])
		height = max(height, len(lines[j]))
	}
	for i := range height {
		parts := make([]string, len(widths))
		for j, n := range widths {
			s := ""
			if i < len(lines[j]) {
				s = lines[j][i]
			}
			parts[j] = pad(s, n, g.Columns[j].Right)
		}
		w.line(strings.Join(parts, gap))
	}
}

// widths gives every column what it needs, then narrows the widest ones until the row fits.
func (g grid) widths() []int {
	widths, total := make([]int, len(g.Columns)), len(gap)*max(0, len(g.Columns)-1)
	for j := range g.Columns {
		widths[j] = g.need(j)
		total += widths[j]
	}
	for ; total > lineWidth; total-- {
		widest := -1
		for j, c := range g.Columns {
			least := max(c.Least, 10)
			if !c.Right && !c.Whole && widths[j] > least && (widest < 0 || widths[j] > widths[widest]) {
				widest = j
			}
		}
		if widest < 0 {
			break
		}
		widths[widest]--
	}
	return widths
}
