package glm

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// newtonSums gathers the gradient Σ ℓ′(y, ⟨w, x̃⟩)·x̃ of the losses and their Hessian Σ ℓ″·x̃x̃ᵀ, both on public grids: the same bits in any
// order of rows. The error of the gradient is bounded in Objective.Bound. The Hessian only steers.
type newtonSums struct {
	f       *Objective
	w       []float64
	grad    *rows.TermSums
	hessian *rows.GridSum
	panel   frames.Block // rows √ℓ″·x̃
	finite  bool         // all of w
	columns []int32      // of a packed row's cells that may not be 0
	cells   []float64    // there
}

// NewNewtonSums is the empty accumulator at coefficients w, of d features and the constant one.
func NewNewtonSums(f *Objective, w []float64) *newtonSums {
	k := f.D + 1
	return &newtonSums{
		f: f, w: w, grad: rows.NewTermSums(k, f.C2), hessian: rows.NewGridSum(k, math.Sqrt(f.Curvature)*f.C2),
		panel: frames.Block{Cols: k}, finite: !slices.ContainsFunc(w, func(v float64) bool { return !(math.Abs(v) <= math.MaxFloat64) }),
		columns: make([]int32, k), cells: make([]float64, k), // one more than features
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

// AddPacked is Add, to the bit, of rows whose zeros are left out: a product with 0 changes no sum where w is finite.
func (s *newtonSums) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	if !s.finite {
		return false
	}
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			n := x.Row(i, s.columns, s.cells)
			s.sparseRow(s.columns[:n], s.cells[:n], b.Y[i])
			if s.panel.Rows == rows.PanelRows {
				s.flush()
			}
		}
	})
	s.flush()
	return true
}

func (s *newtonSums) row(x []float64, y float64) {
	m, size := s.product(x)
	f, ok := s.at(m, size, y)
	if !ok {
		return
	}
	k := s.f.D
	z := s.next()
	for j, v := range x {
		z[j] = v * f.shrink
	}
	z[k] = s.f.C
	s.grad.AddTimes(f.slope, z)
	for j := range z {
		z[j] *= f.root
	}
}

// factors are those of a row's sums.
type factors struct{ shrink, slope, root float64 }

// at computes them from ⟨w, x⟩ and ‖x‖; not of a row that is not finite, of which no step of this package makes one.
func (s *newtonSums) at(m, size, y float64) (f factors, ok bool) {
	if !(size <= math.MaxFloat64) {
		return f, false
	}
	f.shrink = 1
	if size > s.f.R { // beyond the ball by rounding at most
		f.shrink = s.f.R / size
	}
	g, curvature := s.f.Loss.At(y, m*f.shrink+s.w[s.f.D]*s.f.C)
	f.slope, f.root = g, math.Sqrt(curvature)
	return f, true
}

// next is room for a row of the panel.
func (s *newtonSums) next() []float64 {
	at, k := len(s.panel.X), s.f.D+1
	s.panel.X = slices.Grow(s.panel.X, k)[:at+k]
	s.panel.Rows++
	return s.panel.X[at:]
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

// sparseRow is row of the cells of those columns, of which all others are 0. Both have room for the constant, and the cells are written over.
func (s *newtonSums) sparseRow(columns []int32, x []float64, y float64) {
	k := s.f.D
	var m, q [4]float64 // the partial sums of product
	tail := int32(k &^ 3)
	for i, j := range columns {
		l := j & 3
		if j >= tail {
			l = 0
		}
		v := x[i]
		m[l], q[l] = m[l]+v*s.w[j], q[l]+v*v
	}
	f, ok := s.at((m[0]+m[1])+(m[2]+m[3]), math.Sqrt((q[0]+q[1])+(q[2]+q[3])), y)
	if !ok {
		return
	}
	for i := range x {
		x[i] *= f.shrink
	}
	columns, x = append(columns, int32(k)), append(x, s.f.C)
	s.grad.AddTimesAt(f.slope, columns, x)
	z := s.next()
	clear(z)
	for i, j := range columns {
		z[j] = x[i] * f.root
	}
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
