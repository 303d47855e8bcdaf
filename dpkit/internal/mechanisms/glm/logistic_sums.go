package glm

import (
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// logisticSums are [newtonSums] of the logistic loss with the margins and slopes of package linalg, which take less time where the gradient is all that
// is wanted. The gradient is off by no more than Objective.Bound says: a margin is summed in four parts or more, a slope is within 2^-49 of itself, and
// products are rounded to the same grid. A row that is not finite has the slope 0.
type logisticSums struct {
	f       *Objective
	w       []float64
	curved  bool // with the Hessian
	squares rowSquares
	grad    *rows.TermSums
	hessian *rows.GridSum // nil without
	err     error

	part      []int64            // sums of a strip
	m, y, own []float64          // by row of a strip: factors, labels, and squared norms where they are not kept
	panel     []float64          // rows √ℓ″·x̃
	cells     []float64          // of packed rows
	pending   int                // rows whose slopes are in part, and in those of packedOf
	packedOf  *rows.PackedStrips // nil: no rows were packed
}

// rowSquares are ‖x‖² of rows in memory, by their place: written by the first pass, and known to those behind it.
type rowSquares struct {
	of    []float64 // nil: rows are read anew in each pass, and their norms too
	known bool
}

// newLogisticSums is the empty accumulator at coefficients w.
func newLogisticSums(f *Objective, w []float64, curved bool, squares rowSquares) *logisticSums {
	k := f.D + 1
	s := &logisticSums{f: f, w: w, curved: curved, squares: squares, grad: rows.NewTermSums(k, f.C2), part: make([]int64, k)}
	if curved {
		s.hessian = rows.NewGridSum(k, math.Sqrt(f.Curvature)*f.C2)
	}
	return s
}

// NewLogisticSums is the empty accumulator at coefficients w, with the Hessian or without.
func NewLogisticSums(f *Objective, w []float64, curved bool) rows.Coded {
	return newLogisticSums(f, w, curved, rowSquares{})
}

// mostStrip is how many rows are worked on at a time: their integers are below 2^62 in all.
const mostStrip = 1 << 9

func (s *logisticSums) Add(b *frames.Block) {
	size := min(linalg.BlockRows(s.f.D), mostStrip)
	if s.f.packed != nil {
		size = rows.PackedStrip
	}
	for from := 0; from < b.Rows && s.err == nil; from += size {
		n, d := min(size, b.Rows-from), s.f.D
		x := b.X[from*b.Cols : (from+n)*b.Cols]
		cells := func() ([]float64, error) { return x, nil }
		if s.f.packed != nil {
			p := s.packedAs(s.f.packed)
			if s.err = p.Pack(x, n, b.Cols); s.err == nil {
				s.err = s.strip(b, from, n, packedStrip(p, cells))
			}
			continue
		}
		s.err = s.strip(b, from, n, logisticCells{
			margins: func(m, squares, w []float64) error { return linalg.Margins(m, squares, x, n, d, b.Cols, w) },
			add:     func(sums []int64, f []float64) error { return linalg.AddRounded(sums, x, n, d, b.Cols, f) },
			rows:    cells,
		})
	}
}

// AddPacked is Add, to the bit, of packed rows.
func (s *logisticSums) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	if s.f.packed == nil || b.Rows > mostStrip {
		return false
	}
	if s.err == nil {
		p := s.packedAs(x.Shape())
		p.Take(x)
		s.err = s.strip(b, 0, b.Rows, packedStrip(p, func() ([]float64, error) {
			s.cells = rows.Grown(s.cells, b.Rows*b.Cols)
			return s.cells, x.Expand(s.cells, 0, b.Rows)
		}))
	}
	return true
}

// logisticCells are the cells of a strip.
type logisticCells struct {
	margins func(m, squares, w []float64) error    // [linalg.Margins]
	add     func(sums []int64, f []float64) error  // [linalg.AddRounded]
	rows    func() (rowMajor []float64, err error) // themselves
}

// strip adds the rows from..from+n of a block.
func (s *logisticSums) strip(b *frames.Block, from, n int, x logisticCells) error {
	d, c := s.f.D, s.f.C
	s.m, s.y = rows.Grown(s.m, n), rows.Grown(s.y, n)
	var squares, write []float64
	if s.squares.of != nil {
		squares = s.squares.of[b.First+from : b.First+from+n]
	} else {
		s.own = rows.Grown(s.own, n)
		squares = s.own
	}
	if s.squares.of == nil || !s.squares.known {
		write = squares
	}
	if err := x.margins(s.m, write, s.w[:d]); err != nil {
		return err
	}
	positive, _ := s.f.Loss.(LogisticLoss)
	whole, bias := s.f.R*s.f.R, s.w[d]*c
	for i, y := range b.Y[from : from+n] {
		if squares[i] > whole {
			s.m[i] *= s.shrink(squares[i])
		}
		s.m[i] += bias
		s.y[i] = 0
		if y == positive.Positive {
			s.y[i] = 1
		}
	}
	if err := linalg.LogisticFactors(s.m, s.m, squares, s.y, math.Inf(1), 1); err != nil {
		return err
	}
	f := s.m
	if b.Empty != nil {
		for i, empty := range b.Empty[from : from+n] {
			if empty {
				f[i] = 0
			}
		}
	}
	if s.curved {
		cells, err := x.rows()
		if err != nil {
			return err
		}
		s.curve(cells, b.Cols, f, squares)
	}
	return s.slopes(f, squares, x)
}

// shrink draws a row that is beyond the ball by rounding into it.
func (s *logisticSums) shrink(square float64) float64 {
	if size := math.Sqrt(square); size > s.f.R {
		return s.f.R / size
	}
	return 1
}

// curve adds the rows' Hessians: ℓ″ = |ℓ′|(1 − |ℓ′|). Rows that are empty, or not finite, have no slope.
func (s *logisticSums) curve(cells []float64, stride int, f, squares []float64) {
	d, n := s.f.D, 0
	s.panel = rows.Grown(s.panel, len(f)*(d+1))
	for i, slope := range f {
		p := math.Abs(slope)
		if p == 0 {
			continue
		}
		root := math.Sqrt(p * (1 - p))
		z := s.panel[n*(d+1):][:d+1]
		z[d] = s.f.C * root
		if squares[i] > s.f.R*s.f.R {
			root *= s.shrink(squares[i])
		}
		for j, v := range cells[i*stride:][:d] {
			z[j] = v * root
		}
		n++
	}
	s.hessian.Take(s.panel[:n*(d+1)], n, d+1)
}

// slopes adds the rows' gradients. It writes over f.
func (s *logisticSums) slopes(f, squares []float64, x logisticCells) error {
	if s.pending += len(f); s.pending > mostStrip {
		s.settle()
		s.pending = len(f)
	}
	d, scale := s.f.D, s.grad.Scale()
	for i := range f {
		f[i] *= scale
	}
	s.part[d] += linalg.SumRounded(f, s.f.C)
	for i := range f {
		if squares[i] > s.f.R*s.f.R {
			f[i] *= s.shrink(squares[i])
		}
	}
	return x.add(s.part[:d], f)
}

// settle adds what is pending to the gradient.
func (s *logisticSums) settle() {
	if s.packedOf != nil {
		s.packedOf.AddTo(0, s.part[:s.f.D])
	}
	s.grad.AddWhole(s.part)
	s.pending = 0
}

func (s *logisticSums) Merge(next *logisticSums) {
	s.settle()
	next.settle()
	s.err = errors.Join(s.err, next.err)
	s.grad.Merge(next.grad)
	if s.curved {
		s.hessian.Merge(next.hessian)
	}
}

func (s *logisticSums) Code(c *rows.Coder) {
	s.settle()
	c.Name("logistic sums 1")
	c.Bind("objective", s.f)
	c.BindSecret("coefficients", s.w, s.curved)
	if c.Err == nil {
		c.Err = s.err
	}
	c.Terms(s.grad)
	if s.curved {
		c.Grid(s.hessian)
	}
}
