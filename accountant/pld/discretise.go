package pld

import "math"

// lawError bounds the relative error of a law's tails, of the masses that are taken from them, and of
// the losses, taken together. If f is a profile and g is computed with |g − f| ≤ ζ P(L > l), then
// f(l) ≤ (1 + 2ζ) g(l − 2ζ) : where e^l Q(L > l) ≥ ½ P(L > l) the profile falls with l at that rate, and
// elsewhere f(l) ≥ ½ P(L > l).
const lawError = 0x1p-44

// A mesh lays nodes at offset + width·k. They are width apart near the centre and, from distance
// 1/growth on, growth times the distance to it: the error of a cell is relative to where it is.
type mesh struct {
	offset, width  float64
	center, growth float64
	tilt           float64 // what second moments count for, at the most
}

func (m mesh) at(k int64) float64 { return m.offset + m.width*float64(k) }

// nodes covers [lo, hi], but for rounding, and at most a width more.
func (m mesh) nodes(lo, hi float64) []int64 {
	k0 := int64(math.Round((min(hi, max(lo, m.center)) - m.offset) / m.width))
	walk := func(sign int64, end float64) (ks []int64) {
		for k := k0; ; {
			// The distance to the end in widths, less the rounding that laws on a lattice allow for.
			rest := (float64(sign)*(end-m.at(k)) - 0x1p-51*(math.Abs(end)+math.Abs(m.offset))) / m.width
			if !(rest > 0) {
				return ks
			}
			step := max(1, int64(min(math.Ceil(rest), m.growth*float64(sign*(k-k0)))))
			k += sign * step
			ks = append(ks, k)
		}
	}
	left := walk(-1, lo)
	right := walk(1, hi)
	ks := make([]int64, 0, len(left)+1+len(right))
	for i := len(left) - 1; i >= 0; i-- {
		ks = append(ks, left[i])
	}
	return append(append(ks, k0), right...)
}

// lattice is a discretised law: mass p at the losses of nodes, and the rest.
type lattice struct {
	mesh
	node     []int64
	p        []float64
	infinite float64 // mass at +∞
	slack    float64 // optimistic: mass that is possibly too much
}

// pessimistic moves each loss to the nodes around it so that P and Q of the cell are kept: its
// profile is that of the law at the nodes and linear in e^ε between them, hence above it by convexity
// (Doroshenko, Ghazi, Kamath, Kumar, Manurangsi 2022, "Connect the dots"). For mass p, q of (a, b] the
// right node gets (p − e^a q)/(1 − e^{a−b}). Losses below the first node move up to it, those
// above the last to +∞.
func pessimistic(law Law, m mesh, tail float64) lattice {
	d := lattice{mesh: m, node: m.nodes(law.Range(tail))}
	d.p = make([]float64, len(d.node))
	t := law.Tails(m.at(d.node[0]))
	d.p[0] = t.PBelow
	for i := 1; i < len(d.node); i++ {
		next := law.Tails(m.at(d.node[i]))
		width := m.width * float64(d.node[i]-d.node[i-1])
		p, q := mass(t, next, width)
		right := min(p, max(0, (p-q)/-math.Expm1(-width)))
		d.p[i-1] += p - right
		d.p[i] += right
		t = next
	}
	d.infinite = law.Infinite() + t.PAbove
	return d
}

// optimistic merges losses: those of a cell (b, b'] become one at a node x. With p, q their masses this is a
// lower bound where p ≥ e^x q, for the test that sees only the cell has the loss ln(p/q) ≥ x there, and a
// smaller loss is a smaller divergence. Going down from the top, each cell ends near the middle of the gap to
// the next node, where p is hardly more than e^x q, or higher where it must: a cell that ends at its node always
// has p ≥ e^x q. The sums of p and q of many cells telescope, so that the rounding of the tails counts once.
// Losses below the last cell are dropped. An atom may be left at a node well below it: see lift.
func optimistic(law Law, m mesh, tail float64) lattice {
	d := lattice{mesh: m, node: m.nodes(law.Range(tail)), infinite: law.Infinite()}
	d.p = make([]float64, len(d.node))
	drops := make([]float64, len(d.node)) // p − e^x q
	end, above := math.Inf(1), Tails{}
	// How far the last cell's end is above the middle, and what that is together for two cells in a row where
	// the loss of each is its node: in gaps, it changes slowly.
	off, both := 0.0, 0.0
	for i := len(d.node) - 1; i >= 0; i-- {
		x, gap := d.at(d.node[i]), d.width
		if i > 0 {
			gap = d.gap(i - 1)
		}
		// An atom at the node belongs to it, but for the rounding of both.
		least := x - 0x1p-46*(math.Abs(x)+2*math.Abs(d.offset))
		b := min(x-gap/2+gap*max(-0.25, min(0.25, both-off+0x1p-20)), least)
		// cell returns what the cell from b on holds, with p − e^x q, and the gaps above b where that is 0, for losses of
		// even density.
		cell := func(b float64) (t Tails, p, drop, miss float64) {
			t = law.Tails(b)
			p, q := t.PAbove, t.QAbove
			if i < len(d.node)-1 {
				p, q = mass(t, above, end-b)
			}
			drop = p - math.Exp(x-b)*q
			return t, p, drop, -2 * drop * (min(end, x+gap) - b) / (p * gap * gap)
		}
		t, p, drop, miss := cell(b)
		for step := 0.0; drop < 0 && b < least; {
			step = max(2*step, 0x1p-20, 1.05*miss)
			b = min(b+step*gap, least)
			t, p, drop, miss = cell(b)
		}
		if miss < -0x1p-6 {
			lower := max(b+0.97*miss*gap, x-0.75*gap)
			if u, pu, du, mu := cell(lower); du >= 0 {
				b, t, p, drop, miss = lower, u, pu, du, mu
			}
		}
		last := off
		d.p[i], drops[i], end, above = p, max(0, drop), b, t
		off, both = (b-x)/gap+0.5, 0
		if p > 0 {
			both = off + last + max(-0.5, min(0, miss))
		}
	}
	for i := len(d.node) - 3; i >= 0; i-- {
		if drops[i] > -0x1p-6*d.p[i]*math.Expm1(-d.gap(i)) {
			d.lift(i, drops)
		}
	}
	return d
}

// lift merges the losses of node i, which are above it, with losses above the next node so that their loss is that
// node, if that costs less: the mass moves by the way up, against the variance of the merger times half the tilt.
// Part of a mass is as good as the whole.
func (d *lattice) lift(i int, drops []float64) {
	gap := d.gap(i)
	to := d.at(d.node[i+1])
	need := (d.p[i]-drops[i])*math.Exp(gap) - d.p[i] - drops[i+1]
	limit := drops[i] / ((1 + d.tilt) * max(need, 0x1p-30*drops[i]))
	last, share := i+1, 1.0
	for need > 0 {
		if last++; last == len(d.p) || d.at(d.node[last])-to > limit {
			return
		}
		back := math.Exp(to - d.at(d.node[last]))
		gain := d.p[last]*(1-back) + drops[last]*back
		if gain > need {
			share = need / gain * (1 + 0x1p-50)
		}
		need -= gain
	}
	for j := i; j <= last; j++ {
		part := d.p[j]
		if j == last && j > i+1 {
			part *= min(1, share)
		}
		if j != i+1 {
			d.p[j] -= part
			d.p[i+1] += part
			drops[j] *= 1 - min(1, share)
		}
	}
	drops[i], drops[i+1] = 0, 0
}

// aligned returns the offset for the optimistic mesh with a node at what the middle half of the losses merge to:
// if they lie in one cell, as those of a small sampling rate do, they lose nothing.
func (m mesh) aligned(law Law) float64 {
	at, _ := law.Range(0.5)
	last := at
	for range 3 {
		a, b := law.Tails(at-m.width/2), law.Tails(at+m.width/2)
		p, q := mass(a, b, m.width)
		if !(p > 0 && q > 0) {
			break
		}
		last, at = at, min(at+m.width/2, max(at-m.width/2, at-m.width/2+math.Log(p/q)))
	}
	at -= min(m.width/4, 2*math.Abs(at-last)+0x1p-45*math.Abs(at))
	return at - m.width*math.Round(at/m.width)
}

// gap is the distance from node i to the next.
func (d *lattice) gap(i int) float64 { return d.width * float64(d.node[i+1]-d.node[i]) }
