package attack

import (
	"math"
	"slices"
)

// settle makes a row one that the subject's pairs may have: where it may be empty, and in which columns its sides differ.
func (d *drawer) settle(r *Row, free, fresh bool) {
	switch {
	case free && d.subject.Neighbours.String() == addRemove:
		if r.EmptyA == r.EmptyB || fresh { // there on one side only
			r.EmptyA, r.EmptyB = false, true
		}
	case free && d.subject.Empty && fresh:
		r.EmptyA = d.one(4)
	case d.subject.Empty && fresh && !free:
		r.EmptyA = d.one(5)
	}
	if free {
		return
	}
	r.EmptyB = r.EmptyA
	if len(d.subject.Displaced) == 0 {
		r.B = r.A
		return
	}
	if fresh {
		d.displace(r)
	}
}

// displace moves the displaced cells of a common row on side B, by much, by little or not at all, or to the other side of a point.
func (d *drawer) displace(r *Row) {
	r.B = slices.Clone(r.A)
	by := []float64{0, 1, 0.5, math.Pow(10, -6*d.Float64()), 1e-15}[d.IntN(5)]
	other, across := d.row(styles[d.IntN(2)], 0), d.one(6)
	for _, name := range d.subject.Displaced {
		j, ok := d.subject.Schema.FeatureIndex(name)
		if !ok || math.IsNaN(r.A[j]) || d.features[j].Block != "" {
			continue
		}
		c := d.features[j]
		if p := d.points[name]; across && len(p) > 0 {
			at, hair := p[d.IntN(len(p))], hairs[d.IntN(len(hairs))]
			r.A = slices.Clone(r.A)
			r.A[j], r.B[j] = beside(at, c, -d.IntN(2), hair), beside(at, c, 1, hair)
			continue
		}
		r.B[j] = held(r.B[j]+by*(other[j]-r.B[j]), c)
	}
	d.blocks(func(from, to int) { d.displaceBlock(r, from, to, by) })
}

// displaceBlock moves so large a part of the mass of a block's displaced columns to one of them: what was on the simplex stays there.
func (d *drawer) displaceBlock(r *Row, from, to int, by float64) {
	var moves []int
	mass := 0.0
	for j := from; j < to; j++ {
		if r.B[j] = r.A[j]; slices.Contains(d.subject.Displaced, d.features[j].Name) && !math.IsNaN(r.A[j]) {
			moves, mass = append(moves, j), mass+r.A[j]
		}
	}
	if len(moves) == 0 {
		return
	}
	hot := moves[d.IntN(len(moves))]
	for _, j := range moves {
		aim := 0.0
		if j == hot {
			aim = mass
		}
		r.B[j] = held(r.A[j]+by*(aim-r.A[j]), d.features[j])
	}
}
