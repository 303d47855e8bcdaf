package linear

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// NormalEquations is Σ z·zᵀ over rows that no step removed, row-major and symmetric; its entries are exact.
type NormalEquations struct {
	Size int
	Sum  []float64
}

// Moments reads the rows. A row beyond the norm bound is clipped to it, and one that is not finite counts as a
// row of zeros; steps of this package make neither.
func (g *LinearDomain) NormalEquations(ctx context.Context, in rows.Driver) (*NormalEquations, error) {
	m := g.Size()
	sums, err := rows.Drive(ctx, in, func() *LinearSum {
		return &LinearSum{dom: g, GramSum: rows.NewGramSum(m)}
	})
	if err != nil {
		return nil, err
	}
	total, err := sums.Total(m)
	if err != nil {
		return nil, err
	}
	out := &NormalEquations{Size: m, Sum: total}
	for i := range m {
		for j := range i {
			out.Sum[i*m+j] = out.Sum[j*m+i]
		}
	}
	for i := range out.Sum {
		out.Sum[i] *= g.H * g.H
	}
	return out, nil
}

// LinearSum sums the products of rows in steps of the domain's grid: integers, so that the sum is exact.
type LinearSum struct {
	*rows.GramSum
	dom *LinearDomain
}

func (s *LinearSum) Merge(next *LinearSum) { s.GramSum.Merge(next.GramSum) }

func (s *LinearSum) Code(c *rows.Coder) {
	c.Name("second moments in steps 1")
	c.Bind("domain and grid of rows", s.dom)
	c.Gram(s.GramSum)
}

// Add rounds rows as they are copied to where they are multiplied.
func (s *LinearSum) Add(b *frames.Block) {
	g := s.dom
	inv := 1 / g.H // a power of two
	whole := g.r * g.r * (1 - 0x1p-40)
	top := math.Floor(g.Height * inv)
	constant := math.RoundToEven(g.constant * inv)
	rows.EachRun(b, func(from, to int) {
		if s.Err != nil {
			return
		}
		s.Err = s.Sum.AddSteps(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols, b.Cols, inv, func(z []float64, square float64, row int) {
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
				z[g.D] = constant
			}
			z[len(z)-1] = num.Clamp(v, -top, top)
		})
	})
	s.Flush()
}

// Rounded writes the row z of features and a label in steps of the grid, as [LinearSum] adds it.
func (g *LinearDomain) Rounded(z, row []float64, y float64) {
	inv := 1 / g.H // a power of two
	v := math.RoundToEven((y - g.mid) / g.to * inv)
	if !g.clip(z, row, inv) || v-v != 0 { // NaN, or an infinity
		clear(z)
		return
	}
	if g.constant > 0 {
		z[g.D] = math.RoundToEven(g.constant * inv)
	}
	top := math.Floor(g.Height * inv)
	z[len(z)-1] = num.Clamp(v, -top, top)
}

// clip writes the features of a row, clipped to the norm bound, in steps, and reports whether all are finite.
func (g *LinearDomain) clip(z, row []float64, inv float64) bool {
	num.ClipRow(z[:g.D], row, g.r)
	var all float64
	for j, x := range z[:g.D] {
		z[j] = math.RoundToEven(x * inv)
		all += z[j]
	}
	return all-all == 0
}
