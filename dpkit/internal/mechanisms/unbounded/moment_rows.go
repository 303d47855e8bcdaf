package unbounded

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// MomentRows is a public map of rows to integer vectors: u = (1, x, y), of which 1 and y may be left out, goes to
// A·u, clipped to a ball of radius r, rounded to the grid h·Z, h a power of two. Whatever floating point does on the
// way, Σ k_j² ≤ limit for every row: the map is a function of the row and of A alone, so that this bound is
// all that privacy rests on. Products of the k_j summed over n rows stay below 2^53: their sums are exact in float64, in
// any order.
type MomentRows struct {
	n, m            int
	constant, label bool
	R, H            float64
	Limit           float64 // integer
	mid, to         float64 // label = mid + to·y
}

// NewMomentRows maps n rows of d features, with the constant and the label if they are asked for, to a ball of radius r > 0.
// The grid is as fine as exact sums allow: h is 2^−q of the power of two above r, q = ⌊(52 − bits of n)/2⌋. Errors wrap
// [kind.ErrParameter]: more rows, or rows and columns, than sum exactly.
func NewMomentRows(n, d int, constant, label bool, r float64) (MomentRows, error) {
	g := MomentRows{n: n, m: d, constant: constant, label: label, R: r}
	if constant {
		g.m++
	}
	if label {
		g.m++
	}
	q := (52 - bits.Len(uint(n))) / 2
	if q < 8 {
		return g, fmt.Errorf("got %d rows, want at most 2^36: %w", n, kind.ErrParameter)
	}
	_, e := math.Frexp(r)
	g.H = math.Ldexp(1, e-q)
	// ‖k‖ ≤ r/h + √m/2 in real arithmetic; the margin is for that of ‖Au‖.
	far := g.R/g.H*(1+0x1p-40) + math.Sqrt(float64(g.m))/2
	g.Limit = math.Floor(far*far) + 1
	if !(g.Limit*float64(n) < 0x1p53) {
		return g, fmt.Errorf("%d rows of %d columns: their products cannot be summed exactly; drop columns: %w", n, g.m, kind.ErrParameter)
	}
	return g, nil
}

// Norm bounds the norm of h·k.
func (g *MomentRows) Norm() float64 { return stage.Up(math.Sqrt(g.Limit)) * g.H }

// sum returns Σ k·kᵀ over the rows that no step removed, row-major on and above the diagonal, exactly.
func (g *MomentRows) sum(ctx context.Context, in rows.Driver, a []float64) ([]float64, error) {
	sums, err := rows.Drive(ctx, in, func() *MomentSum {
		return &MomentSum{g: g, a: a, GramSum: rows.NewGramSum(g.m), u: make([]float64, g.m), y: make([]float64, g.m), steps: make([]float64, rows.PanelRows*g.m)}
	})
	if err != nil {
		return nil, err
	}
	return sums.Total(g.m)
}

// MomentSum is the accumulator of [MomentRows]: Σ k·kᵀ, m×m.
type MomentSum struct {
	*rows.GramSum
	g     *MomentRows
	a     []float64 // m × m
	u, y  []float64
	steps []float64 // rows.PanelRows rows
}

func (s *MomentSum) Merge(next *MomentSum) { s.GramSum.Merge(next.GramSum) }

func (s *MomentSum) Code(c *rows.Coder) {
	c.Name("clipped moments 1")
	c.Bind("grid and ball of rows", s.g)
	c.BindSecret("map of rows", s.a)
	c.Gram(s.GramSum)
}

func (s *MomentSum) Add(b *frames.Block) {
	m := s.g.m
	rows.EachRun(b, func(from, to int) {
		for from < to {
			n := min(to-from, linalg.PanelRows)
			for i := range n {
				u := s.u[:0]
				if s.g.constant {
					u = append(u, 1)
				}
				u = append(u, b.Row(from+i)...)
				if s.g.label {
					u = append(u, (b.Y[from+i]-s.g.mid)/s.g.to)
				}
				s.g.Place(s.steps[i*m:(i+1)*m], s.y, u, s.a)
			}
			s.GramSum.Add(&frames.Block{Rows: n, Cols: m, X: s.steps[:n*m]})
			from += n
		}
	})
}

// Place writes k for the row u. One with a cell that is not a finite number counts as zeros.
func (g *MomentRows) Place(k, y, u, a []float64) {
	square := imageNorm(y, a, u)
	if !(square <= g.R*g.R) { // beyond the ball, or beyond the range of squares
		if !g.clip(y, u, a) {
			clear(k)
			return
		}
	}
	inv := 1 / g.H
	var all float64
	for j, v := range y {
		v = math.RoundToEven(v * inv)
		k[j] = v
		all += v * v // integers below 2^53
	}
	if !(all <= g.Limit) { // rounding cannot lead here: see NewMomentRows
		clear(k)
	}
}

// clip writes the point of the ball's surface in the direction of A·u. The row is first scaled by a power of two: cells
// reach 1e308. It reports false where there is no direction.
func (g *MomentRows) clip(y, u, a []float64) bool {
	var largest float64
	for _, v := range u {
		if v-v != 0 { // NaN or an infinity
			return false
		}
		largest = max(largest, math.Abs(v))
	}
	_, e := math.Frexp(largest)
	small := make([]float64, len(u))
	for j, v := range u {
		small[j] = math.Ldexp(v, -e)
	}
	norm := math.Sqrt(imageNorm(y, a, small))
	if !(norm > 0x1p-900) || math.IsInf(norm, 1) {
		return false
	}
	f := g.R / norm
	for j := range y {
		y[j] *= f
	}
	return true
}

// imageNorm writes A·u and returns its squared norm. No product is fused into a sum. Four entries are summed side by side: each waits for
// its own additions alone.
func imageNorm(y, a, u []float64) (square float64) {
	m := len(u)
	i := 0
	for ; i+4 <= len(y); i += 4 {
		rows := a[i*m : (i+4)*m]
		r0, r1, r2, r3 := rows[:m], rows[m:2*m], rows[2*m:3*m], rows[3*m:4*m]
		var s0, s1, s2, s3 float64
		for j, v := range u {
			s0 += float64(r0[j] * v)
			s1 += float64(r1[j] * v)
			s2 += float64(r2[j] * v)
			s3 += float64(r3[j] * v)
		}
		y[i], y[i+1], y[i+2], y[i+3] = s0, s1, s2, s3
		square += float64(s0 * s0)
		square += float64(s1 * s1)
		square += float64(s2 * s2)
		square += float64(s3 * s3)
	}
	for ; i < len(y); i++ {
		var s float64
		for j, v := range a[i*m : (i+1)*m] {
			s += float64(v * u[j])
		}
		y[i] = s
		square += float64(s * s)
	}
	return square
}
