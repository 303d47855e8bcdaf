package rows

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// kdTree finds the points near a point (Bentley 1975): points lie in leaves of 16, their boxes in nodes of 16, and so on, so that one kernel
// looks at a whole leaf or node. Coordinates are integers of at most 2^50 in absolute value: squared distances up to 2^53 are then exact, and
// larger ones stay larger, so that every comparison with a squared radius r2 ≤ 2^50 is exact.
//
// A point goes by its slot: that of place i in leaf k is 16k + i.
type kdTree struct {
	d      int
	x      []float64 // coordinate j of slot 16k + i at 16(dk + j) + i; +Inf where the slot is free
	id     []int32   // number of the point in each slot; −1 where it is free
	levels []kdLevel // from the boxes of leaves to one node
}

// kdLevel are the boxes of the leaves, or of the nodes of the level before, in nodes of 16, each as the leaves have their points.
type kdLevel struct {
	lo, hi []float64
}

const kdFan = 16 // points in a leaf and boxes in a node, at most

// newKDTree builds the tree of the rows of x, d coordinates each. It reorders x.
func newKDTree(x []float64, d int) *kdTree {
	n := len(x) / d
	leaves := 1
	for leaves*kdFan < n {
		leaves *= 2
	}
	b := &kdBuilder{d: d, x: x, id: make([]int32, n)}
	for i := range b.id {
		b.id[i] = int32(i)
	}
	t := &kdTree{d: d, x: make([]float64, leaves*kdFan*d), id: make([]int32, leaves*kdFan)}
	nodes := leaves
	for nodes > 1 || len(t.levels) == 0 {
		nodes = (nodes + kdFan - 1) / kdFan
		l := kdLevel{make([]float64, nodes*kdFan*d), make([]float64, nodes*kdFan*d)}
		for i := range l.lo {
			l.lo[i], l.hi[i] = math.Inf(1), math.Inf(-1)
		}
		t.levels = append(t.levels, l)
	}
	var c crew
	c.do(func() { b.build(&c, t, 0, leaves, 0, n, make([]float64, 2*d)) })
	c.finish()
	for l, below := range t.levels[:len(t.levels)-1] {
		for k := range len(below.lo) / (kdFan * d) {
			for j := range d {
				at := kdFan * (d*k + j)
				for i := at; i < at+kdFan; i++ {
					t.levels[l+1].cover(d, k, j, below.lo[i], below.hi[i])
				}
			}
		}
	}
	return t
}

// cover widens the box of a leaf, or of a node of the level before, in coordinate j.
func (l kdLevel) cover(d, k, j int, lo, hi float64) {
	at := kdFan*(d*(k/kdFan)+j) + k%kdFan
	l.lo[at], l.hi[at] = min(l.lo[at], lo), max(l.hi[at], hi)
}

// kdBuilder are the points while they are parted.
type kdBuilder struct {
	d  int
	x  []float64
	id []int32
}

// partOfTree is how many points are worth a worker of their own.
const partOfTree = 1 << 12

// build parts the points from..to among so many leaves, a power of two, from a leaf on: each time into halves along the widest coordinate. The halves of
// many points are parted at the same time. bounds are buffers for 2d numbers.
func (b *kdBuilder) build(c *crew, t *kdTree, leaf, leaves, from, to int, bounds []float64) {
	if leaves == 1 {
		b.fill(t, leaf, from, to)
		return
	}
	lo, hi := bounds[:b.d], bounds[b.d:]
	for j := range b.d {
		lo[j], hi[j] = math.Inf(1), math.Inf(-1)
	}
	for i := from; i < to; i++ {
		for j, v := range b.x[i*b.d : (i+1)*b.d] {
			lo[j], hi[j] = min(lo[j], v), max(hi[j], v)
		}
	}
	widest := 0
	for j := range b.d {
		if hi[j]-lo[j] > hi[widest]-lo[widest] {
			widest = j
		}
	}
	mid := (from + to) / 2
	b.partition(widest, from, to, mid)
	if mid-from >= partOfTree {
		c.Go(func() {
			c.do(func() { b.build(c, t, leaf, leaves/2, from, mid, make([]float64, 2*b.d)) })
		})
	} else {
		b.build(c, t, leaf, leaves/2, from, mid, bounds)
	}
	b.build(c, t, leaf+leaves/2, leaves/2, mid, to, bounds)
}

// fill makes a leaf of the points from..to.
func (b *kdBuilder) fill(t *kdTree, leaf, from, to int) {
	for i := range kdFan {
		slot := leaf*kdFan + i
		if from+i >= to {
			t.id[slot] = -1
			for j := range b.d {
				t.x[kdFan*(b.d*leaf+j)+i] = math.Inf(1)
			}
			continue
		}
		t.id[slot] = b.id[from+i]
		for j := range b.d {
			v := b.x[(from+i)*b.d+j]
			t.x[kdFan*(b.d*leaf+j)+i] = v
			t.levels[0].cover(b.d, leaf, j, v, v)
		}
	}
}

// partition moves the smallest points in coordinate j before position mid (Hoare's selection).
func (b *kdBuilder) partition(j, from, to, mid int) {
	for to-from > 1 {
		first, middle, last := b.x[from*b.d+j], b.x[(from+to)/2*b.d+j], b.x[(to-1)*b.d+j]
		pivot := max(min(first, middle), min(max(first, middle), last))
		i, k := from, to-1
		for i <= k {
			for b.x[i*b.d+j] < pivot {
				i++
			}
			for b.x[k*b.d+j] > pivot {
				k--
			}
			if i <= k {
				b.swap(i, k)
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

func (b *kdBuilder) swap(i, k int) {
	b.id[i], b.id[k] = b.id[k], b.id[i]
	p, q := b.x[i*b.d:(i+1)*b.d], b.x[k*b.d:(k+1)*b.d]
	for j := range p {
		p[j], q[j] = q[j], p[j]
	}
}

// point copies the coordinates of the point in a slot.
func (t *kdTree) point(dst []float64, slot int32) []float64 {
	at := kdFan*t.d*int(slot/kdFan) + int(slot%kdFan)
	for j := range t.d {
		dst[j] = t.x[at+kdFan*j]
	}
	return dst[:t.d]
}

// between returns the slot of a point at a squared distance in (inner, outer] from p, or −1 if there is none.
func (t *kdTree) between(p []float64, inner, outer float64) int32 {
	q := kdQuery{t: t, p: p, inner: inner, outer: outer}
	return q.node(len(t.levels)-1, 0)
}

// within appends the slots of the points at a squared distance of at most r2 from p, in order.
func (t *kdTree) within(out []int32, p []float64, r2 float64) []int32 {
	return t.withinNode(out, len(t.levels)-1, 0, p, r2)
}

func (t *kdTree) withinNode(out []int32, level, k int, p []float64, r2 float64) []int32 {
	var dist [kdFan]float64
	from, to := kdFan*t.d*k, kdFan*t.d*(k+1)
	if level < 0 {
		for near := linalg.NearBoxes(p, t.x[from:to], t.x[from:to], r2, &dist); near != 0; near &= near - 1 {
			out = append(out, int32(kdFan*k+bits.TrailingZeros16(near)))
		}
		return out
	}
	l := t.levels[level]
	for near := linalg.NearBoxes(p, l.lo[from:to], l.hi[from:to], r2, &dist); near != 0; near &= near - 1 {
		out = t.withinNode(out, level-1, kdFan*k+bits.TrailingZeros16(near), p, r2)
	}
	return out
}

// kdQuery looks for one point at a squared distance in (inner, outer] from p.
type kdQuery struct {
	t            *kdTree
	p            []float64
	inner, outer float64
}

// node looks in node k of a level, in the nearest box first: most points that have such a neighbour have one nearby. Level −1 are the leaves.
func (q *kdQuery) node(level, k int) int32 {
	var dist [kdFan]float64
	from, to := kdFan*q.t.d*k, kdFan*q.t.d*(k+1)
	if level < 0 {
		for near := linalg.NearBoxes(q.p, q.t.x[from:to], q.t.x[from:to], q.outer, &dist); near != 0; near &= near - 1 {
			if i := bits.TrailingZeros16(near); dist[i] > q.inner {
				return int32(kdFan*k + i)
			}
		}
		return -1
	}
	l := q.t.levels[level]
	near := linalg.NearBoxes(q.p, l.lo[from:to], l.hi[from:to], q.outer, &dist)
	first := -1
	for rest := near; rest != 0; rest &= rest - 1 {
		if i := bits.TrailingZeros16(rest); first < 0 || dist[i] < dist[first] {
			first = i
		}
	}
	for i := first; near != 0; i = bits.TrailingZeros16(near) {
		near &^= 1 << i
		if dist[i] <= q.inner && q.holds(l.lo[from+i:to], l.hi[from+i:to]) {
			continue
		}
		if slot := q.node(level-1, kdFan*k+i); slot >= 0 {
			return slot
		}
	}
	return -1
}

// holds reports whether all of a box, whose corners stand at every 16th place, is within inner: of many equal rows none is looked at.
func (q *kdQuery) holds(lo, hi []float64) bool {
	var s float64
	for j, v := range q.p {
		gap := max(v-lo[kdFan*j], hi[kdFan*j]-v)
		if s += gap * gap; s > q.inner {
			return false
		}
	}
	return true
}
