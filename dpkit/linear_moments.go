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
func (g *linearDomain) moments(ctx context.Context, in frames.Source) (*secondMoments, error) {
	m := g.size()
	sums, err := accumulate(ctx, in, func() *linearSum {
		return &linearSum{dom: g, gramSum: newGramSum(m), steps: make([]float64, panelRows*m)}
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
	dom   *linearDomain
	steps []float64 // panelRows rows
}

func (s *linearSum) merge(next *linearSum) { s.gramSum.merge(next.gramSum) }

func (s *linearSum) add(b *frames.Block) {
	m := s.dom.size()
	eachRun(b, func(from, to int) {
		for from < to {
			n := min(to-from, panelRows)
			for i := range n {
				y := 0.0
				if b.Y != nil {
					y = b.Y[from+i]
				}
				s.dom.round(s.steps[i*m:(i+1)*m], b.Row(from+i), y)
			}
			s.gramSum.add(&frames.Block{Rows: n, Cols: m, X: s.steps[:n*m]})
			from += n
		}
	})
}

// round writes the row z of features and a label in steps of the grid.
func (g *linearDomain) round(z, row []float64, y float64) {
	inv := 1 / g.h // a power of two
	last := len(z) - 1
	var square float64
	for _, x := range row {
		square += x * x
	}
	if !(square <= g.r*g.r*(1-0x1p-40)) { // at the bound, beyond it, or not finite
		clipRow(z[:g.d], row, g.r)
		row = z[:g.d]
	}
	var all float64
	for j, x := range row {
		x = math.RoundToEven(x * inv)
		z[j] = x
		all += x
	}
	if g.constant > 0 {
		z[g.d] = math.RoundToEven(g.constant * inv)
	}
	v := math.RoundToEven((y - g.mid) / g.to * inv)
	if all += v; all-all != 0 { // NaN, or an infinity
		clear(z)
		return
	}
	top := math.Floor(g.height * inv)
	z[last] = clamp(v, -top, top)
}
