package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Condition is a public condition on one cell of a row. Make one with [Is] or [Between].
type Condition = sums.Condition

// Is holds for rows with one of the levels in a category or a class label, before OneHot.
func Is(column string, levels ...string) Condition { return sums.Is(column, levels...) }

// Between holds for rows with lo ≤ x ≤ hi in a numeric column.
func Between(column string, lo, hi float64) Condition { return sums.Between(column, lo, hi) }

// Count releases how many rows meet all the conditions. Without one it counts the rows that the steps
// before it left, which is a question only behind a step that may remove rows: otherwise their number
// is public. A row whose cell is missing meets no condition on it. No step may have displaced the
// columns of the conditions.
//
//go:noinline
func (p Pipeline) Count(t Target, where ...Condition) Plan[Estimates] {
	return newPlan[Estimates](p, sums.Count{Target: t, Where: slices.Clone(where)})
}
