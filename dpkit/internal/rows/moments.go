package rows

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Moments are exact sums of the columns and, on request, of their squares, each of which is rounded once.
type Moments struct{ Sum, Square []ExactSum }

// NewMoments are those of d columns.
func NewMoments(d int, squares bool) Moments {
	m := Moments{Sum: make([]ExactSum, d)}
	if squares {
		m.Square = make([]ExactSum, d)
	}
	return m
}

// MomentsOf sums the d columns of the rows, and their squares where squares is set, in one pass. No cell may be missing. The
// error is that of ctx or of the source.
func MomentsOf(ctx context.Context, in frames.Source, d int, squares bool) (Moments, error) {
	return Drive(ctx, Over(in), func() Moments { return NewMoments(d, squares) })
}

func (m Moments) Add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		var squares [stripRows]float64
		for j := range m.Sum {
			m.Sum[j].addEach(x[j:], b.Cols)
			if m.Square == nil {
				continue
			}
			n := 0
			for at := j; at < len(x); at += b.Cols {
				squares[n] = x[at] * x[at]
				n++
			}
			m.Square[j].addEach(squares[:n], 1)
		}
	})
}

func (m Moments) Merge(next Moments) {
	for j := range m.Sum {
		m.Sum[j].Merge(next.Sum[j])
	}
	for j := range m.Square {
		m.Square[j].Merge(next.Square[j])
	}
}

func (m Moments) Code(c *Coder) {
	c.Name("column moments 2")
	c.Exact(m.Sum)
	c.Exact(m.Square)
}

// Mean divides the sums by n, the public number of rows, removed ones included.
func (m Moments) Mean(n int) []float64 { return meansOf(m.Sum, n) }

// Squares returns the mean of the squares, and less that of the squared mean where centred.
func (m Moments) Squares(n int, centred bool) []float64 {
	v := meansOf(m.Square, n)
	if centred {
		for j, mu := range m.Mean(n) {
			v[j] -= mu * mu
		}
	}
	return v
}

func meansOf(sums []ExactSum, n int) []float64 {
	out := make([]float64, len(sums))
	for j := range sums {
		out[j] = sums[j].Sum() / float64(n)
	}
	return out
}

// FitRounding bounds, in units of the values, what floating point adds to the distance of the two
// sides by a mean of exact sums (compensated ones would do) and the few operations on a cell behind it.
func FitRounding(n int) float64 { return 0x1p-46 + float64(n)*float64(n)*0x1p-100 }

// Inflate rounds the constants up and adds fp, by which floating point can move any row, to those of the fit.
func Inflate(b pair.StepBounds, fp float64) pair.StepBounds {
	rows := float64(b.Affected)
	b.K, b.KF, b.R = stage.Up(b.K), stage.Up(b.KF), stage.Up(b.R)
	b.A1, b.AF, b.AInf = stage.Up(b.A1+rows*fp), stage.Up(b.AF+math.Sqrt(rows)*fp), stage.Up(b.AInf+fp)
	b.H1, b.HF, b.HInf = stage.Up(b.H1), stage.Up(b.HF), stage.Up(b.HInf)
	return b
}
