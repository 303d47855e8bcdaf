package tables

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A row of group g adds (1, s₁v₁, …, s_m v_m) to its cells, v its measures: u in [−1, 1], or u² − c beside the u of the same column. What a
// row adds is bounded block by block, a block being the measures of one column, since one row may be at the worst of each.

// Weights of a block of u and u² − c: of all that keep (s_u u)² + (s_q (u² − c))² ≤ 1 on [−1, 1] these make the variance of a group well
// known wherever its mean lies (docs/theory/tables.md#variances-of-groups).
const (
	squareCentre = 0.625 // c
	linearWeight = 0.8   // s_u
	squareWeight = 1.6   // s_q
)

// block are the measures of one column.
type block struct {
	u, square int // places among the measures; square is −1 where there is none
}

// blocks are those of the measures, in order.
func (c *calibrated) blocks() (out []block) {
	for i, m := range c.measures {
		if m.Square > 0 {
			continue
		}
		b := block{i, -1}
		for k, q := range c.measures {
			if q.Square > 0 && q.Column == m.Column && m.Level == "" {
				b.square = k
			}
		}
		out = append(out, b)
	}
	return out
}

// weigh parts S = 1 among the blocks.
func (c *calibrated) weigh() {
	c.weights = make([]float64, len(c.measures))
	blocks := c.blocks()
	for _, b := range blocks {
		b.weigh(c, 1/math.Sqrt(float64(len(blocks)))*(1-0x1p-40)) // so that S is at most 1 in floating point
	}
}

// weigh gives the block the norm w.
func (b block) weigh(c *calibrated, w float64) {
	if c.weights[b.u] = w; b.square >= 0 {
		c.weights[b.u], c.weights[b.square] = w*linearWeight, w*squareWeight
	}
}

// norms bound what the weighted values of a row are beside its count.
type norms struct {
	l2 float64 // S: the sum of their squares
	l1 float64 // the sum of their sizes
}

// norms are those of all blocks together.
func (c *calibrated) norms() (n norms) {
	for _, b := range c.blocks() {
		one := b.norms(c)
		n.l2 += one.l2
		n.l1 += one.l1
	}
	return n
}

// norms: in t = u² the square s_u²t + s_q²(t − c)² is convex, and largest at an end. In absolute value it is s_u + s_q(1 − c) at the end,
// and s_q(c − u²) + s_u|u| where u² ≤ c, at most s_q c + s_u²/4s_q.
func (b block) norms(c *calibrated) norms {
	s := c.weights[b.u]
	if b.square < 0 {
		return norms{l2: s * s, l1: s}
	}
	q, centre := c.weights[b.square], c.measures[b.square].Square
	far, near := q*(1-centre), q*centre
	return norms{l2: max(s*s+far*far, near*near), l1: max(s+far, near+s*s/(4*q))}
}

// lipschitz bounds what the block moves where its column does, in units of the column: |d(u² − c)| ≤ 2|du|.
func (b block) lipschitz(c *calibrated) float64 {
	s := c.weights[b.u]
	if b.square >= 0 {
		s = stage.Up(math.Hypot(s, 2*c.weights[b.square]))
	}
	return stage.Up(s / c.measures[b.u].half())
}

// lipschitz bounds what a column moves, in its units: the measures of it in all blocks, as totals within several bounds are several.
func (c *calibrated) lipschitz(column string) (most float64) {
	for _, b := range c.blocks() {
		if c.measures[b.u].Column == column {
			most = stage.Up(math.Hypot(most, b.lipschitz(c)))
		}
	}
	return most
}
