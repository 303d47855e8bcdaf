package frames

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
)

// PublicFrame shows the rows of a frame that its caller declared public.
type PublicFrame struct{ f *Frame }

// Public opens a frame. The caller vouches that every row is public (synthetic, published, or
// their own): nothing read through the result is covered by any guarantee.
func Public(f *Frame) *PublicFrame { return &PublicFrame{f} }

// Frame returns the frame that was opened.
func (p *PublicFrame) Frame() *Frame { return p.f }

// Schema is the schema of the frame.
func (p *PublicFrame) Schema() Schema { return p.f.Schema() }

// Rows is the number of rows.
func (p *PublicFrame) Rows() int { return p.f.Rows() }

// Names returns the names of the columns of a Row: the schema's without the ignored ones and the person, of whom a frame keeps a hash.
func (p *PublicFrame) Names() []string {
	var out []string
	for _, c := range p.f.Schema().Columns() {
		if c.Kind != KindIgnored && c.Kind != KindPerson {
			out = append(out, c.Name)
		}
	}
	return out
}

// Row returns the cells of row i, 0 <= i < Rows, in the order of Names: numbers in their shortest
// decimal form, days as files have them, levels by name, "NA" for a missing cell.
func (p *PublicFrame) Row(i int) []string {
	t := p.f.data()
	var out []string
	j := 0
	for _, c := range t.schema.s.cols {
		switch {
		case c.Kind == KindLabel:
			out = append(out, cellText(c, t.value(i, -1)))
		case c.feature():
			out = append(out, cellText(c, t.value(i, j)))
			j++
		}
	}
	return out
}

// Missing returns how many cells of each column are missing, in the order of Names.
func (p *PublicFrame) Missing() []int {
	t := p.f.data()
	var out []int
	j := 0
	for _, c := range t.schema.s.cols {
		n := 0
		switch {
		case c.feature():
			for i := range p.Rows() {
				if math.IsNaN(t.value(i, j)) {
					n++
				}
			}
			j++
		case c.Kind == KindIgnored, c.Kind == KindPerson:
			continue
		}
		out = append(out, n)
	}
	return out
}

// Head is a plain text table of the first n rows.
func (p *PublicFrame) Head(n int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(p.Names(), "\t"))
	for i := range min(n, p.Rows()) {
		fmt.Fprintln(w, strings.Join(p.Row(i), "\t"))
	}
	w.Flush() // a strings.Builder does not fail
	return b.String()
}

// String is the row count and the first five rows.
func (p *PublicFrame) String() string {
	return fmt.Sprintf("frame of %d rows (public)\n%s", p.Rows(), p.Head(5))
}

// column is that of feature j, of the label for j = -1.
func (t *table) column(j int) *cells {
	if j < 0 {
		return t.label()
	}
	return &t.columns[j]
}

// value is a cell of column j.
func (t *table) value(i, j int) float64 { return t.column(j).at(i) }

func cellText(c Column, v float64) string {
	switch {
	case math.IsNaN(v):
		return "NA"
	case c.classes():
		return c.Levels[int(v)]
	case c.IsDate():
		return c.DayText(v)
	case c.Kind == KindText:
		text, _ := c.TextOf(v)
		return text
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
