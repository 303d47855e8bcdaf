package attack

import (
	"cmp"
	"math"
	"slices"
)

// fill gives cells of the domain to the rows of a stored pair that are absent: they may be there in a pair that is made of it.
func (d *drawer) fill(p Pair) Pair {
	p = p.clone()
	for i := range p.Rows {
		r := &p.Rows[i]
		switch {
		case r.EmptyA && r.EmptyB:
			r.A = d.row(styles[0], 0)
			r.B = slices.Clone(r.A)
		case r.EmptyA:
			r.A = slices.Clone(r.B)
		case r.EmptyB:
			r.B = slices.Clone(r.A)
		}
	}
	return p
}

// legal says whether the cells of a pair are those of the domain.
func (d *drawer) legal(p Pair) bool {
	fits := func(row []float64) bool {
		for j, c := range d.columns {
			v := row[j]
			switch {
			case math.IsNaN(v):
				if !c.Missing {
					return false
				}
			case len(c.Levels) > 0:
				if v < 0 || v >= float64(len(c.Levels)) || v != math.Trunc(v) {
					return false
				}
			case v != held(v, c):
				return false
			}
		}
		return true
	}
	return !slices.ContainsFunc(p.Rows, func(r Row) bool { return !fits(r.A) || !fits(r.B) })
}

// place draws where the free row stands, in what order the others do, and in what blocks they are scanned.
func (d *drawer) place(p *Pair) {
	n := p.Len()
	if p.At = [3]int{0, n - 1, d.IntN(n)}[d.IntN(3)]; d.one(6) {
		d.sort(p)
	}
	p.Blocks = nil
	switch most := max(1, n/2); {
	case d.one(2):
	case d.one(2):
		p.Blocks = []int{1 + d.IntN(most)}
	case d.one(2):
		p.Blocks = []int{1}
	default:
		p.Blocks = []int{1 + d.IntN(most), 1 + d.IntN(most), 1 + d.IntN(3)}
	}
}

// sort puts the rows in the order of one column, on side A.
func (d *drawer) sort(p *Pair) {
	j, sign := d.IntN(len(d.columns)), 1-2*d.IntN(2)
	compare := func(a, b Row) int { return sign * cmp.Compare(a.A[j], b.A[j]) }
	slices.SortStableFunc(p.Rows[1:], compare)
	p.At = 0
	for _, r := range p.Rows[1:] {
		if compare(r, p.Rows[0]) < 0 {
			p.At += r.Times
		}
	}
	p.Made += ", in order"
}
