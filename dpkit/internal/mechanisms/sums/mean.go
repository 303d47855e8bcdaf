package sums

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Mean releases the mean of every feature column, in its units: noise on one vector sum of scaled rows, divided by the number
// of rows. That is public, unless a step removed rows: then it is a noisy coordinate of the sum.
type Mean struct {
	query.Target `dp:"inline"`
}

func (Mean) Kind() kind.Kind {
	return kind.Kind{Name: "means", Law: 1, Call: "Mean", Was: "dpkit.means"}
}

// AtEitherLaw marks it as a [query.AtEitherLaw].
func (Mean) AtEitherLaw() {}

func (Mean) ColumnsRead(in frames.Schema) []string { return domain.FeatureNames(in) }

// Settle: the sum of scaled rows has contributions of norm at most 1, and moves with a displaced
// row by the Lipschitz constant of the scaling on displaced columns.
func (m Mean) Settle(st stage.Stage) (mechanism.Settled[Estimates], error) {
	c, err := m.Calibrate(st)
	if err != nil {
		return mechanism.Settled[Estimates]{}, err
	}
	s, err := c.settle(kind.Describe(m), m.Target, st, func(noisy []int64) Estimates { return m.estimates(c, st, noisy) })
	if c.count == 0 { // else it depends on the rows that are there
		s.Predicted = c.deviations(st, m.Noise, float64(st.Before.N))
	}
	return s, err
}

// Calibrate settles the sum of scaled rows, and of a constant beside them where the number of rows is not public. Errors wrap
// [stage.ErrColumn], [stage.ErrOrder], or are those of the target or of the noise's grid.
func (m Mean) Calibrate(st stage.Stage) (*ColumnSums, error) {
	if err := query.CheckColumns(m.Target, st.In); err != nil {
		return nil, err
	}
	return newColumnSums(st, m.Target, domain.ScaleOp(st.In), st.Empty)
}

func (m Mean) estimates(c *ColumnSums, st stage.Stage, noisy []int64) Estimates {
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
func (Mean) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Estimates, error) {
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
