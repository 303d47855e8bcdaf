package pld

import "math"

// tangents is another optimistic discretisation, better where the density of the losses is smooth. It merges the losses around each node. With m a point in each cell between nodes x (on the scale e^ε)
// let T_m be the tangent of the profile at m; the value y at each node is the lower of the two
// tangents beside it. The chords lie below the tangents, hence below the profile. Their slopes are
// those of −Q, so that with D = p − x q for the mass in (m, m'] around x, and u, v the distance
// of y from the tangents at both ends of a cell, the node has the mass
//
//	x q + (u − v)/(e^d − 1) − (u' − v')/(1 − e^{−d'})
//
// where d, u, v belong to the cell on its right and d', u', v' to that on its left. The points are the
// middles of the cells, but the last one is such that D ≥ 0. A node where the chords are not convex is
// removed, which lowers them further. Losses below the first cell are dropped.
func tangents(law Law, m mesh, tail float64) lattice {
	d := lattice{mesh: m, node: m.nodes(law.Range(tail)), infinite: law.Infinite()}
	last := d.lastPoint(law)
	n := len(d.node)
	d.p = make([]float64, n)
	drop := make([]float64, n) // D
	t := law.Tails(m.at(d.node[0]) - m.width/2)
	left := m.width / 2
	for i := range n {
		var p, q, right float64
		switch i {
		case n - 1:
			p, q = t.PAbove, t.QAbove
		case n - 2:
			right = last
			next := law.Tails(m.at(d.node[i]) + right)
			p, q = mass(t, next, left+right)
			t = next
		default:
			right = d.gap(i) / 2
			next := law.Tails(m.at(d.node[i]) + right)
			p, q = mass(t, next, left+right)
			t = next
		}
		q *= math.Exp(left) // it was scaled at the cell's left end
		drop[i], d.p[i] = p-q, q
		if i < n-1 {
			left = d.gap(i) - right
		}
	}
	for i, v := range drop {
		switch {
		case v > 0 && i == 0:
			d.p[i] += v // the cell on the left reaches to e^ε = 0
		case v > 0: // v' = D
			d.p[i] += v / -math.Expm1(-d.gap(i-1))
			d.p[i-1] -= v / math.Expm1(d.gap(i-1))
		case i == n-1:
			d.slack -= v // rounding
		default: // u = −D
			d.p[i] -= v / math.Expm1(d.gap(i))
			d.p[i+1] += v / -math.Expm1(-d.gap(i))
		}
	}
	d.convex()
	return d
}

// lastPoint returns the distance of the last tangent point from the last node but one: half the cell, or
// more if losses above it would be merged into a node that is above their mean. It removes nodes that
// have too few losses at or above them.
func (d *lattice) lastPoint(law Law) float64 {
	// Whether D ≥ 0, up to rounding, at node i+1 if all losses from u cells above node i on were merged there.
	fits := func(i int, u float64) bool {
		if i < 0 {
			return true
		}
		gap := d.gap(i)
		t := law.Tails(d.at(d.node[i]) + u*gap)
		return t.PAbove > 0 && t.PAbove*(1+0x1p-45) >= math.Exp((1-u)*gap)*t.QAbove
	}
	for len(d.node) > 1 {
		i := len(d.node) - 2
		if fits(i-1, 0.5) {
			if fits(i, 0.5) {
				return d.gap(i) / 2
			}
			if lo, hi := 0.5, 1-0x1p-30; fits(i, hi) { // an atom, mostly
				for range 30 {
					if mid := (lo + hi) / 2; fits(i, mid) {
						hi = mid
					} else {
						lo = mid
					}
				}
				return hi * d.gap(i)
			}
		}
		d.node = d.node[:i+1]
	}
	return 0
}

// convex removes nodes of negative mass: it goes to the neighbours so that P and Q are kept.
func (d *lattice) convex() {
	n := len(d.p)
	prev, next := make([]int, n), make([]int, n)
	for i := range n {
		prev[i], next[i] = i-1, i+1
	}
	for i := 0; i < n; {
		if d.p[i] >= 0 {
			i = next[i]
			continue
		}
		a, b, p := prev[i], next[i], d.p[i]
		d.p[i] = 0
		switch {
		case b == n:
			d.slack -= p
		case a < 0:
			// Too far right is too low.
			d.p[b] += p * math.Exp(d.width*float64(d.node[b]-d.node[i]))
		default:
			da, db := d.width*float64(d.node[i]-d.node[a]), d.width*float64(d.node[b]-d.node[i])
			w := -math.Expm1(-da) / -math.Expm1(-da-db) // of p·e^{db}·(…): keeps Σp and Σ p e^{−l}
			d.p[b] += p * w
			d.p[a] += p * (1 - w)
		}
		if a >= 0 {
			next[a] = b
		}
		if b < n {
			prev[b] = a
		}
		if a >= 0 {
			i = a // its mass fell
		} else {
			i = b
		}
	}
}
