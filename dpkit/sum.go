package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Sum releases the sum over rows of each of the named features, or of all of them, in the units of the
// chain's rows, by one draw of noise in proportion to the columns' public widths. A one-hot column's
// sum counts its level. Rows that a step removed add nothing.
//
//go:noinline
func (p Pipeline) Sum(t Target, columns ...string) Plan[Estimates] {
	if len(columns) > 0 {
		p = p.Select(columns...)
	}
	return newPlan[Estimates](p, sums.Sum{Target: t})
}
