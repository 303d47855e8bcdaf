package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Ordinal replaces the named categories, or all of them, by a number in [0, 1] for each level: its
// place in the public order of the schema's levels, from 0 for the first to 1 for the last. It is a
// public row map and costs nothing; use it where the levels have an order. Missing cells stay missing:
// [Fixed] refuses to fill them with the number of a level, and the cost of [Midpoint] says where that is the middle level.
// A marker of missing cells that the schema declares as a level has a place of its own.
func (p Pipeline) Ordinal(columns ...string) Pipeline {
	return p.with(steps.Ordinal{Columns: slices.Clone(columns)})
}
