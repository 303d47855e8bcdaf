package sums

import (
	"fmt"
	"slices"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the estimates as a gota frame of one row each: "of", "name", "value", "low" and "high" of the interval that holds the
// exact statistic with probability 0.95, and what the release promises: "epsilon", "delta", "unit", "entry", "promise". A released
// number of rows behind means is a last row, of "rows".
func (e Estimates) Gota() dataframe.DataFrame {
	of, names, values := origin.Repeated(e.Of, len(e.Values)), slices.Clone(e.Names), slices.Clone(e.Values)
	low, high, _ := e.Interval(0.95) // the level is right
	if margin, err := e.Margin(0.95); err == nil && e.RowsSigma > 0 && len(margin) > 0 {
		m := margin[0] / e.Sigma[0] * e.RowsSigma
		of, names, values = append(of, "rows"), append(names, "rows"), append(values, e.Rows)
		low, high = append(low, e.Rows-m), append(high, e.Rows+m)
	}
	return origin.Gota(e.Provenance, origin.Words("of", of), origin.Words("name", names), origin.Numbers("value", values), origin.Numbers("low", low), origin.Numbers("high", high))
}

// Gota is the quantile as a gota frame of one row: "of" ("quantile 0.5"), "name" of the column, "value", "rank_margin", the rows by
// which its rank is off at most with probability 0.95, and what the release promises, as [Estimates.Gota] has it.
func (e QuantileEstimate) Gota() dataframe.DataFrame {
	m, _ := e.RankMargin(0.95) // the level is right
	return origin.Gota(e.Provenance, origin.Words("of", []string{fmt.Sprintf("quantile %g", e.Q)}), origin.Words("name", []string{e.Column}),
		origin.Numbers("value", []float64{e.Value}), origin.Numbers("rank_margin", []float64{m}))
}
