package rows

import (
	"slices"
)

// kdTree finds the points near a point (Bentley 1975): a balanced tree of bounding boxes over points
// that lie together in memory. Node k has the children 2k and 2k+1. Coordinates are integers of at
// most 2^50 in absolute value: squared distances up to 2^52 are then exact, and larger ones stay
// larger, so that every comparison with a squared radius r2 ≤ 2^50 is exact.
type kdTree struct {
	d      int
	x      []float64 // points, reordered
	id     []int32   // their numbers
	leaves int       // number of leaves, a power of two; they are the nodes leaves, …, 2·leaves − 1
	boxes  []float64 // of node k at 2dk: lower corner, upper corner
}

const kdLeaf = 16 // points in a leaf, at most

// newKDTree builds the tree of the rows of x, d coordinates each. It keeps x and reorders it.
func newKDTree(x []float64, d int) *kdTree {
	n := len(x) / d
	t := &kdTree{d: d, x: x, id: make([]int32, n), leaves: 1}
	for t.leaves*kdLeaf < n {
		t.leaves *= 2
	}
	t.boxes = make([]float64, 4*d*t.leaves)
	for i := range t.id {
		t.id[i] = int32(i)
	}
	t.build(1, 0, n)
	return t
}

func (t *kdTree) point(i int) []float64 { return t.x[i*t.d : (i+1)*t.d : (i+1)*t.d] }

func (t *kdTree) box(k int) (lo, hi []float64) {
	b := t.boxes[2*t.d*k : 2*t.d*(k+1)]
	return b[:t.d:t.d], b[t.d:]
}

// build makes the node k of the points from..to.
func (t *kdTree) build(k, from, to int) {
	lo, hi := t.box(k)
	if from < to {
		copy(lo, t.point(from))
		copy(hi, t.point(from))
	}
	for i := from; i < to; i++ {
		for j, v := range t.point(i) {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	if k >= t.leaves {
		return
	}
	widest := 0
	for j := range lo {
		if hi[j]-lo[j] > hi[widest]-lo[widest] {
			widest = j
		}
	}
	mid := (from + to) / 2
	t.partition(widest, from, to, mid)
	t.build(2*k, from, mid)
	t.build(2*k+1, mid, to)
}

// partition moves the smallest points in coordinate j before position mid (Hoare's selection).
func (t *kdTree) partition(j, from, to, mid int) {
	for to-from > 1 {
		a, b, c := t.x[from*t.d+j], t.x[(from+to)/2*t.d+j], t.x[(to-1)*t.d+j]
		pivot := max(min(a, b), min(max(a, b), c))
		i, k := from, to-1
		for i <= k {
			for t.x[i*t.d+j] < pivot {
				i++
			}
			for t.x[k*t.d+j] > pivot {
				k--
			}
			if i <= k {
				t.swap(i, k)
				i++
				k--
			}
		}
		switch {
		case mid <= k:
			to = k + 1
		case mid >= i:
			from = i
		default:
			return
		}
	}
}

func (t *kdTree) swap(i, k int) {
	t.id[i], t.id[k] = t.id[k], t.id[i]
	p, q := t.point(i), t.point(k)
	for j := range p {
		p[j], q[j] = q[j], p[j]
	}
}

// span returns the points of leaf k.
func (t *kdTree) span(k int) (from, to int) {
	from, to = 0, len(t.id)
	for bit := t.leaves / 2; bit > 0; bit /= 2 { // the path to the leaf, as build took it
		mid := (from + to) / 2
		if k&bit == 0 {
			to = mid
		} else {
			from = mid
		}
	}
	return from, to
}

// distance2 is the squared distance, or a number above stop once it is known to exceed it.
func distance2(a, b []float64, stop float64) float64 {
	var s float64
	for j, v := range a {
		s += (v - b[j]) * (v - b[j])
		if s > stop {
			return s
		}
	}
	return s
}

// nearest2 and farthest2 are the squared distances of p to the nearest and the farthest point of a
// box; both stop above stop.
func nearest2(p, lo, hi []float64, stop float64) float64 {
	var s float64
	for j, v := range p {
		if gap := max(lo[j]-v, v-hi[j]); gap > 0 {
			if s += gap * gap; s > stop {
				return s
			}
		}
	}
	return s
}

func farthest2(p, lo, hi []float64, stop float64) float64 {
	var s float64
	for j, v := range p {
		gap := max(v-lo[j], hi[j]-v)
		if s += gap * gap; s > stop {
			return s
		}
	}
	return s
}

// between reports whether a point is at a squared distance in (inner, outer] from p.
func (t *kdTree) between(p []float64, inner, outer float64) bool {
	return t.betweenAt(1, p, inner, outer)
}

func (t *kdTree) betweenAt(k int, p []float64, inner, outer float64) bool {
	lo, hi := t.box(k)
	if nearest2(p, lo, hi, outer) > outer || farthest2(p, lo, hi, inner) <= inner {
		return false
	}
	if k < t.leaves {
		return t.betweenAt(2*k, p, inner, outer) || t.betweenAt(2*k+1, p, inner, outer)
	}
	from, to := t.span(k)
	for i := from; i < to; i++ {
		if s := distance2(p, t.point(i), outer); s > inner && s <= outer {
			return true
		}
	}
	return false
}

// within appends the positions of the points at a squared distance of at most r2 from p.
func (t *kdTree) within(out []int32, p []float64, r2 float64) []int32 {
	return t.withinAt(out, 1, p, r2)
}

func (t *kdTree) withinAt(out []int32, k int, p []float64, r2 float64) []int32 {
	lo, hi := t.box(k)
	if nearest2(p, lo, hi, r2) > r2 {
		return out
	}
	if k < t.leaves {
		return t.withinAt(t.withinAt(out, 2*k, p, r2), 2*k+1, p, r2)
	}
	from, to := t.span(k)
	out = slices.Grow(out, to-from)
	for i := from; i < to; i++ {
		if distance2(p, t.point(i), r2) <= r2 {
			out = append(out, int32(i))
		}
	}
	return out
}
