package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// Means releases the mean of every feature, in the units of the chain's rows, by one draw of noise.
// A one-hot column's mean is the frequency of its level. Rows are scaled to the unit ball by their
// public bounds before the noise and back after it, so that every column gets noise in proportion to
// its width: select the columns that you need.
//
// Behind a step that may remove rows these are the means of the rows that are there. Their number is
// private: it is released in the same draw, as [Estimates.Rows], and the sums are divided by it. Such a ratio
// is clamped to the column's bounds, and its Sigma is the first-order one, good while Rows is many times
// its own.
//
//go:noinline
func (p Pipeline) Means(t Target) Plan[Estimates] {
	return newPlan[Estimates](p, means{t})
}

type means struct {
	Target `dp:"inline"`
}

func (means) kind() kind { return kind{"means", 1, "Means", "dpkit.means"} }

func (means) columnsRead(in frames.Schema) []string { return featureNames(in) }

// Settle: the sum of scaled rows has contributions of norm at most 1, and moves with a displaced
// row by the Lipschitz constant of the scaling on displaced columns.
func (m means) Settle(st Stage) (settled[Estimates], error) {
	c, err := m.plan(st)
	if err != nil {
		return settled[Estimates]{}, err
	}
	s, err := c.settle(describe(m), m.Target, st, func(noisy []int64) Estimates { return m.estimates(c, st, noisy) })
	if c.count == 0 { // else it depends on the rows that are there
		s.predicted = c.deviations(float64(st.Before.N))
	}
	return s, err
}

func (m means) plan(st Stage) (*columnSums, error) {
	if err := m.checkColumns(st.In); err != nil {
		return nil, err
	}
	return newColumnSums(st, m.Target, scaleOp(st.In), st.Empty)
}

func (m means) estimates(c *columnSums, st Stage, noisy []int64) Estimates {
	e := Estimates{Of: "mean", Noise: m.Noise}
	if c.count > 0 {
		e.Rows, e.RowsSigma = c.rows(noisy)
	}
	for j, f := range st.In.Features() {
		sum, sd := c.scaled(noisy, j)
		mean, sigma := sum/float64(st.Before.N), sd/float64(st.Before.N)
		if c.count > 0 {
			mean, sigma = ratio(sum, sd, max(e.Rows, 1), e.RowsSigma)
		}
		mean += c.op.Shift[j]
		if c.count > 0 {
			mean = min(max(mean, f.Lo), f.Hi)
		}
		e.add(f.Name, mean, sigma)
	}
	return e
}

// ratio is a/b with the standard deviation of its first-order expansion.
func ratio(a, sdA, b, sdB float64) (value, sd float64) {
	value = a / b
	return value, math.Hypot(sdA, value*sdB) / b
}

// Exact computes the means.
func (means) Exact(ctx context.Context, in driver, st Stage) (Estimates, error) {
	e, rows, err := exactSums(ctx, in, st)
	e.Of = "mean"
	for j := range e.Values {
		e.Values[j] /= float64(max(rows, 1))
	}
	if st.Empty {
		e.Rows = float64(rows)
	}
	return e, err
}
