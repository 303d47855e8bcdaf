package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// secondMoments is Σ z·zᵀ over rows that no step removed, row-major and symmetric; its entries are exact.
type secondMoments struct {
	size int
	sum  []float64
}

// moments reads the rows. A row beyond the norm bound is clipped to it, and one that is not finite counts as a
// row of zeros; steps of this package make neither.
func (g *linearDomain) moments(ctx context.Context, in driver) (*secondMoments, error) {
	m := g.size()
	sums, err := drive(ctx, in, func() *linearSum {
		return &linearSum{dom: g, gramSum: newGramSum(m)}
	})
	if err != nil {
		return nil, err
	}
	total, err := sums.total(m)
	if err != nil {
		return nil, err
	}
	out := &secondMoments{size: m, sum: total}
	for i := range m {
		for j := range i {
			out.sum[i*m+j] = out.sum[j*m+i]
		}
	}
	for i := range out.sum {
		out.sum[i] *= g.h * g.h
	}
	return out, nil
}

// linearSum sums the products of rows in steps of the domain's grid: integers, so that the sum is exact.
type linearSum struct {
	*gramSum
	dom *linearDomain
}

func (s *linearSum) merge(next *linearSum) { s.gramSum.merge(next.gramSum) }

func (s *linearSum) code(c *coder) {
	c.name("second moments in steps 1")
	c.gram(s.gramSum)
}

// add rounds rows as they are copied to where they are multiplied.
func (s *linearSum) add(b *frames.Block) {
	g := s.dom
	inv := 1 / g.h // a power of two
	whole := g.r * g.r * (1 - 0x1p-40)
	top := math.Floor(g.height * inv)
	constant := math.RoundToEven(g.constant * inv)
	eachRun(b, func(from, to int) {
		if s.err != nil {
			return
		}
		s.err = s.sum.AddSteps(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols, b.Cols, inv, func(z []float64, square float64, row int) {
			y := 0.0
			if b.Y != nil {
				y = b.Y[from+row]
			}
			if !(square <= whole) { // at the bound, beyond it, or not finite
				if !g.clip(z, b.Row(from+row), inv) {
					clear(z)
					return
				}
			}
			v := math.RoundToEven((y - g.mid) / g.to * inv)
			if v-v != 0 { // NaN, or an infinity
				clear(z)
				return
			}
			if g.constant > 0 {
				z[g.d] = constant
			}
			z[len(z)-1] = clamp(v, -top, top)
		})
	})
	s.flush()
}

// rounded writes the row z of features and a label in steps of the grid, as linearSum adds it.
func (g *linearDomain) rounded(z, row []float64, y float64) {
	inv := 1 / g.h // a power of two
	v := math.RoundToEven((y - g.mid) / g.to * inv)
	if !g.clip(z, row, inv) || v-v != 0 { // NaN, or an infinity
		clear(z)
		return
	}
	if g.constant > 0 {
		z[g.d] = math.RoundToEven(g.constant * inv)
	}
	top := math.Floor(g.height * inv)
	z[len(z)-1] = clamp(v, -top, top)
}

// clip writes the features of a row, clipped to the norm bound, in steps, and reports whether all are finite.
func (g *linearDomain) clip(z, row []float64, inv float64) bool {
	clipRow(z[:g.d], row, g.r)
	var all float64
	for j, x := range z[:g.d] {
		z[j] = math.RoundToEven(x * inv)
		all += z[j]
	}
	return all-all == 0
}
