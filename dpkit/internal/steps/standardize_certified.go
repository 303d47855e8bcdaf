package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The certificate of [Standard].

func (s Standardize) spreadAtLeast() string {
	what := "every column"
	if len(s.Columns) > 0 {
		what = s.Columns.String()
	}
	return fmt.Sprintf("the standard deviation of %s is at least %g R", what, s.How.scale().least.Value())
}

// clamper returns the map of a row into the bounds that the certificate promises: the identity where it holds, but for rounding.
func (s subset) clamper(out frames.Schema) func(row []float64) {
	features := out.Features()
	return func(row []float64) {
		for _, j := range s.at {
			row[j] = num.Clamp(row[j], features[j].Lo, features[j].Hi)
		}
	}
}

// Expenses: the statistic is the least of (sd_j² − s²)/w_j² over the columns. The variance of n values in
// an interval of width w changes by at most w²(n − 1)/n² with one of them (attained).
func (s Standardize) Expenses(st stage.Stage) ([]query.Expense, error) {
	sc := s.How.scale()
	if sc.least.Ground() != stage.FromTest {
		return nil, nil
	}
	p := st.Before
	n := float64(p.N)
	cols := subsetOf(st, s.Columns)
	least := math.Inf(1)
	for _, w := range cols.widths(p.R) {
		least = min(least, w)
	}
	sd := sc.least.Value() * p.R
	slack := 8 * rows.FitRounding(p.N) * p.R * p.R / (least * least) // m₂ − m₁² in floating point, on both sides
	return []query.Expense{{
		What: s.spreadAtLeast(), Share: sc.least.Tested().Share, Delta: sc.least.Tested().Delta, Test: true,
		Query: query.GaussianQuery{
			Coordinates: 1, Sensitivity: stage.Up(float64(p.F)*(n-1)/(n*n) + slack), Max: stage.Up(max(0.25, sd*sd/(least*least))),
		},
	}}, nil
}

func (s Standardize) Measure(ctx context.Context, in frames.Source, st stage.Stage) ([][]float64, error) {
	m, err := rows.MomentsOf(ctx, in, st.In.Width(), true)
	if err != nil {
		return nil, err
	}
	cols := subsetOf(st, s.Columns)
	variance := m.Squares(st.Before.N, true)
	sd := s.How.scale().least.Value() * st.Before.R
	least := math.Inf(1)
	for i, w := range cols.widths(st.Before.R) {
		least = min(least, (variance[cols.at[i]]-sd*sd)/(w*w))
	}
	return [][]float64{{least}}, nil
}
