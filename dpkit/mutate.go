package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// MutateOptions are the parameters of [Pipeline.Mutate].
//
// Its fields:
//
//	// From are the numeric columns that the function reads, in this order; at least one.
//	From []string
//	// Func and Version name a function that stage.RegisterFunc or stage.RegisterGota registered, whose source counts where it can be seen.
//	Func, Version string
//	// Lo and Hi are the public bounds of the new column: values beyond are clamped. No default.
//	Lo, Hi float64
//	// Lipschitz bounds |f(x) − f(y)|/‖x − y‖ over the bounds of the columns. It is not looked at
//	// where no earlier step displaced a column of From; where one did, it has no default.
//	Lipschitz float64
type MutateOptions = steps.MutateOptions

// Mutate adds a numeric column to every row, or replaces the numeric column of that name: a
// registered function of other columns of the row. It is a public row map. Where a cell that the
// function reads is missing, so is its value.
//
// On columns that no earlier step displaced it costs nothing, whatever the function does, and a NaN
// becomes a missing cell. On displaced columns the new column is displaced by up to Lipschitz times
// as much. That constant is a property of public code that nothing here can check: the guarantee is
// then conditional on it, which the cost and the result say. A NaN becomes the midpoint of the bounds
// there, since a displacement must not decide whether a cell is missing.
func (p Pipeline) Mutate(name string, o MutateOptions) Pipeline {
	o.From = slices.Clone(o.From)
	return p.with(steps.Mutation{Name: name, MutateOptions: o})
}
