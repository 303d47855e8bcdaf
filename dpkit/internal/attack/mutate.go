package attack

import (
	"math"
	"slices"
	"strings"
)

// changed is said of a pair that is no longer as it was drawn.
const changed = ", changed since"

// mutate returns a changed copy of a pair of as many rows; size is how far numbers move, in parts of their column's width.
func (d *drawer) mutate(p Pair, size float64) Pair {
	q := p.clone()
	if !strings.HasSuffix(q.Made, changed) {
		q.Made += changed
	}
	if d.one(12) {
		d.place(&q)
	}
	for range 1 + d.IntN(3) {
		i := d.IntN(len(q.Rows))
		if d.one(3) {
			i = 0
		}
		if i > 0 && d.one(6) {
			d.regroup(&q, i)
			continue
		}
		r := &q.Rows[i]
		was := Row{A: slices.Clone(r.A), B: slices.Clone(r.B)}
		if i == 0 && d.one(2) {
			d.change(&q, r.B, size)
		} else {
			d.change(&q, r.A, size)
		}
		if i > 0 {
			d.follow(r, was)
		}
		if d.subject.Empty && d.one(6) {
			r.EmptyA = !r.EmptyA
		}
		d.settle(r, i == 0, false)
	}
	return q
}

// follow lets side B of a common row go where side A went, its displacement with it, or draws another.
func (d *drawer) follow(r *Row, was Row) {
	if len(d.subject.Displaced) == 0 {
		return
	}
	if d.one(2) {
		d.displace(r)
		return
	}
	next := slices.Clone(r.A)
	for _, name := range d.subject.Displaced {
		j, ok := d.subject.Schema.FeatureIndex(name)
		if shift := was.B[j] - was.A[j]; ok && !math.IsNaN(shift) && !math.IsNaN(next[j]) && d.features[j].Block == "" {
			next[j] = held(next[j]+shift, d.features[j])
		}
	}
	r.B = next
	d.blocks(func(from, to int) {
		if sameCells(r.A[from:to], was.A[from:to]) {
			copy(r.B[from:to], was.B[from:to])
		} else {
			d.displaceBlock(r, from, to, 1)
		}
	})
}

// change changes cells of a row.
func (d *drawer) change(p *Pair, cells []float64, size float64) {
	switch d.IntN(8) {
	case 0:
		copy(cells, d.row(styles[d.IntN(len(styles))], 0.3))
		return
	case 1: // a tie
		copy(cells, p.Rows[d.IntN(len(p.Rows))].A)
		return
	case 2, 3: // all numbers, a little
		for j, c := range d.columns {
			if len(c.Levels) == 0 && !math.IsNaN(cells[j]) && c.Block == "" {
				cells[j] = held(cells[j]+size*(c.Hi-c.Lo)*d.NormFloat64(), c)
			}
		}
		return
	}
	j := d.IntN(len(cells))
	c := d.columns[j]
	switch v := cells[j]; {
	case c.Missing && d.one(4):
		if cells[j] = math.NaN(); math.IsNaN(v) {
			cells[j] = d.cell(c)
			for k := range d.features {
				if c.Block != "" && d.features[k].Block == c.Block {
					cells[k] = 0
				}
			}
		}
	case len(c.Levels) > 0 || math.IsNaN(v) || d.one(3):
		cells[j] = d.cell(c)
		if c.Missing && math.IsNaN(v) && d.one(2) {
			cells[j] = v
		}
	case d.one(3):
		cells[j] = held(v*math.Exp(d.NormFloat64()), c)
	case d.one(6):
		cells[j] = held(math.Nextafter(v, c.Hi), c)
	default:
		cells[j] = held(v+size*(c.Hi-c.Lo)*d.NormFloat64(), c)
	}
	d.mend(cells)
}

// regroup moves some of a group's rows to another, or to a group of their own.
func (d *drawer) regroup(p *Pair, i int) {
	times := 1
	if p.Rows[i].Times > 2 {
		times = 1 + d.IntN(p.Rows[i].Times/2)
	}
	to := 1 + d.IntN(len(p.Rows)-1)
	switch {
	case p.Rows[i].Times > 1 && len(p.Rows) < 14 && d.one(3):
		own := p.Rows[i]
		own.A, own.B, own.Times = slices.Clone(own.A), slices.Clone(own.B), times
		p.Rows[i].Times -= times
		p.Rows = append(p.Rows, own)
	case to != i && p.Rows[i].Times > times:
		p.Rows[i].Times -= times
		p.Rows[to].Times += times
	}
}
