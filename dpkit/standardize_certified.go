package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// The certificate of [Standard].

func (s standardize) spreadAtLeast() string {
	what := "every column"
	if len(s.Columns) > 0 {
		what = s.Columns.String()
	}
	return fmt.Sprintf("the standard deviation of %s is at least %g R", what, s.How.scale().least.value)
}

// clamper returns the map of a row into the bounds that the certificate promises: the identity where it holds, but for rounding.
func (s subset) clamper(out frames.Schema) func(row []float64) {
	features := out.Features()
	return func(row []float64) {
		for _, j := range s.at {
			row[j] = clamp(row[j], features[j].Lo, features[j].Hi)
		}
	}
}

// expenses: the statistic is the least of (sd_j² − s²)/w_j² over the columns. The variance of n values in
// an interval of width w changes by at most w²(n − 1)/n² with one of them (attained).
func (s standardize) expenses(st Stage) ([]expense, error) {
	sc := s.How.scale()
	if sc.least.ground != FromTest {
		return nil, nil
	}
	p := st.Before
	n := float64(p.N)
	cols := subsetOf(st, s.Columns)
	least := math.Inf(1)
	for _, w := range cols.widths(p.R) {
		least = min(least, w)
	}
	sd := sc.least.value * p.R
	slack := 8 * fitRounding(p.N) * p.R * p.R / (least * least) // m₂ − m₁² in floating point, on both sides
	return []expense{{
		what: s.spreadAtLeast(), share: sc.least.tested.Share, delta: sc.least.tested.Delta, test: true,
		query: gaussianQuery{
			coordinates: 1, sensitivity: up(float64(p.F)*(n-1)/(n*n) + slack), max: up(max(0.25, sd*sd/(least*least))),
		},
	}}, nil
}

func (s standardize) measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error) {
	m, err := momentsOf(ctx, in, len(st.In.Features()), true)
	if err != nil {
		return nil, err
	}
	cols := subsetOf(st, s.Columns)
	variance := m.squares(st.Before.N, true)
	sd := s.How.scale().least.value * st.Before.R
	least := math.Inf(1)
	for i, w := range cols.widths(st.Before.R) {
		least = min(least, (variance[cols.at[i]]-sd*sd)/(w*w))
	}
	return [][]float64{{least}}, nil
}
