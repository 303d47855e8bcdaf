package attack

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Cells, rows and pairs are drawn from families of structure: what bounds break on is seldom random.

// drawer draws pairs for one subject.
type drawer struct {
	*rand.Rand
	subject  Subject
	features []frames.Column
	columns  []frames.Column // features, then the label
	label    bool
	points   Points
	base     []float64 // of the pair that is drawn: its rows lie a hair apart in the style of near ties
	hair     float64
}

func newDrawer(r *rand.Rand, s Subject) *drawer {
	d := &drawer{Rand: r, subject: s, features: s.Schema.Features(), points: Points{}}
	d.columns = slices.Clone(d.features)
	if l, ok := s.Schema.Label(); ok {
		d.columns, d.label = append(d.columns, l), true
	}
	for _, c := range d.columns {
		if isNumber(c) {
			d.points.add(c, 0)
			for _, v := range s.Points {
				d.points.add(c, v)
				d.points.add(c, -v)
			}
		}
	}
	return d
}

func (d *drawer) one(in int) bool { return d.IntN(in) == 0 }

// magnitudes are what blocks of columns are scaled by: their squares, products and quotients under- and overflow at different places.
var magnitudes = []float64{1e-3, 1e-8, 1e-16, 1e-30, 1e-61, 1e-62, 1e-80, 1e-123, 1e-160}

// tiny numbers, subnormals among them.
var tiny = []float64{5e-324, 1e-310, 1e-200, 1e-162, 1e-123, 1e-90, 1e-62, 1e-30, 1e-16, 1e-8}

// cell draws a value of a column.
func (d *drawer) cell(c frames.Column) float64 {
	if len(c.Levels) > 0 {
		return float64(d.IntN(len(c.Levels)))
	}
	var v float64
	switch d.IntN(12) {
	case 0, 1, 2:
		v = c.Lo
	case 3, 4, 5:
		v = c.Hi
	case 6: // beside a boundary
		v = math.Nextafter(c.Lo, c.Hi)
	case 7:
		v = math.Nextafter(c.Hi, c.Lo)
	case 8:
		v = tiny[d.IntN(len(tiny))] * float64(1-2*d.IntN(2))
	case 9:
		v = c.Lo + (c.Hi-c.Lo)*float64(d.IntN(5))/4 // a few values that repeat
		if point, ok := d.near(c); ok && d.one(2) {
			v = point
		}
	default:
		v = c.Lo + (c.Hi-c.Lo)*d.Float64()
	}
	return held(v, c)
}

func held(v float64, c frames.Column) float64 { return min(max(v, c.Lo), c.Hi) }

// style is how the rows of one pair are drawn.
type style struct {
	name  string
	cells func(d *drawer, row []float64)
}

var styles = []style{
	{"any cells", func(d *drawer, row []float64) { d.each(row, d.cell) }},
	{"corners", func(d *drawer, row []float64) {
		d.each(row, func(c frames.Column) float64 { return []float64{c.Lo, c.Hi}[d.IntN(2)] })
	}},
	{"opposite extremes", func(d *drawer, row []float64) {
		low := d.one(2)
		d.each(row, func(c frames.Column) float64 {
			if low {
				return c.Lo
			}
			return c.Hi
		})
	}},
	{"a grid", func(d *drawer, row []float64) {
		d.each(row, func(c frames.Column) float64 { return c.Lo + (c.Hi-c.Lo)*float64(d.IntN(3))/2 })
	}},
	{"one line", func(d *drawer, row []float64) { // collinear rows
		at := []float64{-1, 1, 0, 0.5, d.Float64(), 1e-9, 5e-324}[d.IntN(7)]
		d.each(row, func(c frames.Column) float64 { return at * max(math.Abs(c.Lo), math.Abs(c.Hi)) })
	}},
	{"an affine line", func(d *drawer, row []float64) {
		at := []float64{0, 1, 0.5, d.Float64()}[d.IntN(4)]
		d.each(row, func(c frames.Column) float64 { return c.Lo + at*(c.Hi-c.Lo) })
	}},
	{"one column", func(d *drawer, row []float64) {
		only, at := d.IntN(len(d.columns)), 0
		d.each(row, func(c frames.Column) float64 {
			if at++; at-1 == only {
				return d.cell(c)
			}
			return 0
		})
	}},
	{"blocks of different magnitude", func(d *drawer, row []float64) {
		m := 1.0
		d.each(row, func(c frames.Column) float64 {
			if d.one(2) {
				m = magnitudes[d.IntN(len(magnitudes))]
			}
			return m * d.cell(c)
		})
	}},
	{"the middle, and a hair beside it", func(d *drawer, row []float64) {
		d.each(row, func(c frames.Column) float64 {
			v := c.Lo + (c.Hi-c.Lo)/2
			for range d.IntN(3) {
				v = math.Nextafter(v, c.Hi)
			}
			return v
		})
	}},
	{"near ties", func(d *drawer, row []float64) {
		d.each(row, d.cell)
		for j, c := range d.columns {
			if isNumber(c) {
				row[j] = beside(d.base[j], c, d.IntN(5)-2, d.hair)
			}
		}
	}},
	{"the step's own numbers, and a hair beside them", func(d *drawer, row []float64) {
		d.each(row, func(c frames.Column) float64 {
			if v, ok := d.near(c); ok {
				return v
			}
			return d.cell(c)
		})
	}},
}

// each fills a row by column, within the domain.
func (d *drawer) each(row []float64, draw func(frames.Column) float64) {
	for j, c := range d.columns {
		if len(c.Levels) > 0 && c.Kind != frames.KindNumeric {
			row[j] = float64(d.IntN(len(c.Levels)))
			continue
		}
		row[j] = held(draw(c), c)
	}
}

// row draws a row of the style, in which so large a share of the cells that may be is missing.
func (d *drawer) row(s style, missing float64) []float64 {
	row := make([]float64, len(d.columns))
	s.cells(d, row)
	for j, c := range d.features {
		if c.Missing && d.Float64() < missing {
			row[j] = math.NaN()
		}
	}
	d.mend(row)
	if d.one(4) {
		d.share(row)
	}
	return row
}

// pair draws n rows.
func (d *drawer) pair(n int) Pair {
	s := styles[d.IntN(len(styles))]
	d.base, d.hair = d.row(styles[0], 0), hairs[d.IntN(len(hairs))]
	missing := []float64{0, 0.3, 0.7, 1}[d.IntN(4)]
	draw := func() []float64 { return d.row(s, missing) }
	rows, made := d.common(n-1, draw)
	free := Row{A: draw(), B: draw(), Times: 1}
	if d.one(3) { // extremes against each other
		free.A, free.B = d.row(styles[2], 0), d.row(styles[2], 0)
		made += ", the free row at ends"
	}
	if d.one(4) && len(rows) > 0 {
		free.A = slices.Clone(rows[d.IntN(len(rows))].A)
		made += ", the free row as another"
	}
	if d.one(4) { // one cell differs, which may be missing on one side
		free.B = slices.Clone(free.A)
		j := d.IntN(len(d.columns))
		free.B[j] = draw()[j]
		d.mend(free.B)
		made += ", in one cell"
	}
	p := Pair{Rows: append([]Row{free}, rows...), Made: s.name + ", " + made}
	holes := false
	for i := range p.Rows {
		d.settle(&p.Rows[i], i == 0, true)
		holes = holes || slices.ContainsFunc(p.Rows[i].A, math.IsNaN)
	}
	if holes {
		p.Made += ", with missing cells"
	}
	d.place(&p)
	return p
}

// common draws the common rows: their family says how they resemble each other.
func (d *drawer) common(n int, draw func() []float64) (rows []Row, made string) {
	group := func(cells []float64, times int) {
		if times > 0 {
			rows = append(rows, Row{A: cells, B: cells, Times: times})
		}
	}
	switch d.IntN(6) {
	case 0:
		group(draw(), n)
		return rows, "repeated rows"
	case 1:
		group(draw(), n-1)
		group(draw(), min(1, n))
		return rows, "a single outlier"
	case 2:
		group(draw(), n/2)
		group(draw(), n-n/2)
		return rows, "two groups"
	case 3: // columns that are constant, beside others
		base := draw()
		for range min(n, 12) {
			next := slices.Clone(base)
			j := d.IntN(len(next))
			next[j] = draw()[j]
			d.mend(next)
			group(next, 1)
		}
		group(base, n-len(rows))
		return rows, "equal columns"
	case 4: // ties
		few := [][]float64{draw(), draw(), draw()}
		left := n
		for k := 0; left > 0; k++ {
			times := min(left, 1+d.IntN(max(1, n/2)))
			group(slices.Clone(few[k%3]), times)
			left -= times
		}
		return rows, "a few rows, often"
	default:
		for range min(n, 12) {
			group(draw(), 1)
		}
		if rest := n - len(rows); rest > 0 {
			rows[0].Times += rest
		}
		return rows, "different rows"
	}
}
