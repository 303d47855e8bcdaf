package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// QuantileEstimate is a released quantile.
type QuantileEstimate = sums.QuantileEstimate

// Quantile releases a value of a numeric column below which about the fraction q of the rows lies, 0 < q
// < 1, by the exponential mechanism (McSherry, Talwar 2007; priced by its bounded range, Durfee, Rogers 2019) on public
// candidates: in rising order, or by default 1025 that divide the column's bounds evenly; for an unbounded column they are
// 1025 of either sign, from 1e-9 to 1e9 times its guessed scale (or 1) and 8.5 % apart. Rows that were removed, and missing cells, do not count. δ may be 0, for
// pure ε; a δ above 0 lowers the noise a little. No step may have displaced the column: ranks are not
// continuous, and every displaced row would cost as much as a free one.
//
//go:noinline
func (p Pipeline) Quantile(t Target, q float64, column string, candidates ...float64) Plan[QuantileEstimate] {
	return newPlan[QuantileEstimate](p, sums.Quantile{Target: t, Q: q, Column: column, Candidates: slices.Clone(candidates)})
}
