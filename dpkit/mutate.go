package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// MutateOptions are the parameters of [Pipeline.Mutate].
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
