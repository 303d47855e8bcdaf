package rows

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// NumberSums sums numbers over rows, exactly: see [ExactSum]. Each part asks for a function
// of its own, as that of [IntegerSums] does.
func NumberSums(ctx context.Context, in Driver, width int, lane func() func(sums []ExactSum, row []float64, y float64)) ([]ExactSum, error) {
	s, err := Drive(ctx, in, func() *ExactSums { return &ExactSums{make([]ExactSum, width), lane()} })
	return s.Sums, err
}

// ExactSums is the accumulator of [NumberSums].
type ExactSums struct {
	Sums []ExactSum
	row  func(sums []ExactSum, row []float64, y float64)
}

func (s *ExactSums) Add(b *frames.Block) {
	EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			s.row(s.Sums, b.Row(i), y)
		}
	})
}

func (s *ExactSums) Merge(next *ExactSums) {
	for j, v := range next.Sums {
		s.Sums[j].Merge(v)
	}
}

func (s *ExactSums) Code(c *Coder) {
	c.Name("exact sums 1")
	c.Exact(s.Sums)
}

// Largest are the largest of numbers of columns in size, at least as large as floor.
type Largest struct{ Of []float64 }

// LargestOf are those of the d columns of the rows. No cell may be missing.
func LargestOf(ctx context.Context, in Driver, d int, floor float64) ([]float64, error) {
	s, err := Drive(ctx, in, func() *Largest {
		s := &Largest{make([]float64, d)}
		for j := range s.Of {
			s.Of[j] = floor
		}
		return s
	})
	return s.Of, err
}

func (s *Largest) Add(b *frames.Block) {
	EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			for j, x := range b.Row(i) {
				s.Of[j] = max(s.Of[j], math.Abs(x))
			}
		}
	})
}

func (s *Largest) Merge(next *Largest) {
	for j, v := range next.Of {
		s.Of[j] = max(s.Of[j], v)
	}
}

func (s *Largest) Code(c *Coder) {
	c.Name("largest numbers 1")
	fixed(c, s.Of, math.Float64bits, math.Float64frombits)
}
