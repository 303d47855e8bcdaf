package glm

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// newtonSums gathers the gradient Σ ℓ′(y, ⟨w, x̃⟩)·x̃ of the losses and their Hessian Σ ℓ″·x̃x̃ᵀ, both on public grids: the same bits in any
// order of rows. The error of the gradient is bounded in Objective.Bound. The Hessian only steers.
type newtonSums struct {
	f       *Objective
	w       []float64
	grad    *rows.TermSums
	hessian *rows.GridSum
	panel   frames.Block // rows √ℓ″·x̃
}

// NewNewtonSums is the empty accumulator at coefficients w, of d features and the constant one.
func NewNewtonSums(f *Objective, w []float64) *newtonSums {
	k := f.D + 1
	return &newtonSums{
		f: f, w: w, grad: rows.NewTermSums(k, f.C2), hessian: rows.NewGridSum(k, math.Sqrt(f.Curvature)*f.C2),
		panel: frames.Block{Cols: k},
	}
}

func (s *newtonSums) Add(b *frames.Block) {
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			s.row(b.Row(i), b.Y[i])
			if s.panel.Rows == rows.PanelRows {
				s.flush()
			}
		}
	})
	s.flush()
}

func (s *newtonSums) row(x []float64, y float64) {
	m, size := s.product(x)
	if !(size <= math.MaxFloat64) { // a row that is not finite; no step of this package makes one
		return
	}
	shrink := 1.0
	if size > s.f.R { // beyond the ball by rounding at most
		shrink = s.f.R / size
	}
	k := s.f.D
	m = m*shrink + s.w[k]*s.f.C
	g, curvature := s.f.Loss.At(y, m)
	root := math.Sqrt(curvature)
	at := len(s.panel.X)
	s.panel.X = slices.Grow(s.panel.X, k+1)[:at+k+1]
	z := s.panel.X[at:]
	for j, v := range x {
		z[j] = v * shrink
	}
	z[k] = s.f.C
	s.grad.AddTimes(g, z)
	for j := range z {
		z[j] *= root
	}
	s.panel.Rows++
}

// product returns ⟨w, x⟩, in four partial sums, and ‖x‖.
func (s *newtonSums) product(x []float64) (m, norm float64) {
	var m0, m1, m2, m3, q0, q1, q2, q3 float64
	w := s.w[:len(x)]
	j := 0
	for ; j+4 <= len(x); j += 4 {
		a, c := x[j:j+4:j+4], w[j:j+4:j+4]
		m0, q0 = m0+a[0]*c[0], q0+a[0]*a[0]
		m1, q1 = m1+a[1]*c[1], q1+a[1]*a[1]
		m2, q2 = m2+a[2]*c[2], q2+a[2]*a[2]
		m3, q3 = m3+a[3]*c[3], q3+a[3]*a[3]
	}
	for ; j < len(x); j++ {
		m0, q0 = m0+x[j]*w[j], q0+x[j]*x[j]
	}
	return (m0 + m1) + (m2 + m3), math.Sqrt((q0 + q1) + (q2 + q3))
}

func (s *newtonSums) flush() {
	if s.panel.Rows == 0 {
		return
	}
	s.hessian.Take(s.panel.X, s.panel.Rows, s.panel.Cols)
	s.panel.X, s.panel.Rows = s.panel.X[:0], 0
}

func (s *newtonSums) Merge(next *newtonSums) {
	s.grad.Merge(next.grad)
	s.hessian.Merge(next.hessian)
}

func (s *newtonSums) Code(c *rows.Coder) {
	c.Name("newton sums 2")
	c.Bind("objective", s.f)
	c.BindSecret("coefficients", s.w)
	c.Terms(s.grad)
	c.Grid(s.hessian)
}
