package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Condition is a public condition on the cells of a row. Make one with [Is], [Between] or [During], and of others with [And], [Or] and [Not]. A
// condition on a cell that is missing is neither met nor not met, as in SQL: a row counts where the whole is met.
//
// Its methods:
//
//	Columns() []string
//		Columns are those that the condition reads, each once, in the order in which they are named.
type Condition = domain.Condition

// Is holds for rows with one of the levels in a category or a class label, before OneHot.
func Is(column string, levels ...string) Condition { return domain.Is(column, levels...) }

// Between holds for rows with lo ≤ x ≤ hi in a numeric column.
func Between(column string, lo, hi float64) Condition { return domain.Between(column, lo, hi) }

// And holds where all of the conditions do; of none, always.
func And(of ...Condition) Condition { return domain.And(of...) }

// Or holds where one of the conditions does; of none, never.
func Or(of ...Condition) Condition { return domain.Or(of...) }

// Not holds where the condition does not, and its cells are there.
func Not(of Condition) Condition { return domain.Not(of) }

// Where keeps the rows that meet all conditions, which are public: it costs nothing. No earlier step may have displaced their columns. A
// row that does not meet them keeps its place and contributes nothing: n stays what it was, as how many rows are left is private, and what
// divides by a number of rows divides by n, or by a released number ([Pipeline.Mean]). Rows to predict are not filtered. Where rows are
// of people it is a map of each person's rows, and who has none left keeps an empty place.
func (p Pipeline) Where(conditions ...Condition) Pipeline {
	return p.with(steps.Where{Conditions: slices.Clone(conditions)})
}
