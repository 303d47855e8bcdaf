package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// moments are compensated sums of the columns and, on request, of their squares.
type moments struct{ sum, square []neumaier }

func momentsOf(ctx context.Context, in frames.Source, d int, squares bool) (moments, error) {
	return drive(ctx, inProcess{in}, func() moments {
		m := moments{sum: make([]neumaier, d)}
		if squares {
			m.square = make([]neumaier, d)
		}
		return m
	})
}

func (m moments) add(b *frames.Block) {
	eachStrip(b, func(x []float64) {
		j := 0
		for ; m.square == nil && j+2 <= len(m.sum); j += 2 { // each sum waits for itself: two at a time
			s, t := m.sum[j], m.sum[j+1]
			for at := j; at+1 < len(x); at += b.Cols {
				s.add(x[at])
				t.add(x[at+1])
			}
			m.sum[j], m.sum[j+1] = s, t
		}
		for ; j < len(m.sum); j++ {
			s := m.sum[j]
			for at := j; at < len(x); at += b.Cols {
				s.add(x[at])
			}
			m.sum[j] = s
			if m.square == nil {
				continue
			}
			s = m.square[j]
			for at := j; at < len(x); at += b.Cols {
				s.add(float64(x[at] * x[at])) // not fused into the sum
			}
			m.square[j] = s
		}
	})
}

func (m moments) merge(next moments) {
	for j := range m.sum {
		m.sum[j].merge(next.sum[j])
	}
	for j := range m.square {
		m.square[j].merge(next.square[j])
	}
}

func (m moments) code(c *coder) {
	c.name("column moments 1")
	c.sums(m.sum)
	c.sums(m.square)
}

func (m moments) mean(n int) []float64 { return meansOf(m.sum, n) }

// squares returns the mean of the squares, and less that of the squared mean where centred.
func (m moments) squares(n int, centred bool) []float64 {
	v := meansOf(m.square, n)
	if centred {
		for j, mu := range m.mean(n) {
			v[j] -= mu * mu
		}
	}
	return v
}

func meansOf(sums []neumaier, n int) []float64 {
	out := make([]float64, len(sums))
	for j := range sums {
		out[j] = sums[j].sum() / float64(n)
	}
	return out
}

// fitRounding bounds, in units of the values, what floating point adds to the distance of the two
// sides by a mean in compensated sums and the few operations on a cell behind it.
func fitRounding(n int) float64 { return 0x1p-46 + float64(n)*float64(n)*0x1p-100 }

// inflate rounds the constants up and adds fp, by which floating point can move any row, to those of the fit.
func inflate(b pair.StepBounds, fp float64) pair.StepBounds {
	rows := float64(b.Affected)
	b.K, b.KF, b.R = up(b.K), up(b.KF), up(b.R)
	b.A1, b.AF, b.AInf = up(b.A1+rows*fp), up(b.AF+math.Sqrt(rows)*fp), up(b.AInf+fp)
	b.H1, b.HF, b.HInf = up(b.H1), up(b.HF), up(b.HInf)
	return b
}
