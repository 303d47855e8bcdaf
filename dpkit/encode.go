package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// OneHot replaces every category by one 0/1 column for each of its public levels. It is a public
// row map: it costs nothing. A missing category becomes a block of missing cells. With columns
// named, only those are encoded.
func (p Pipeline) OneHot(columns ...string) Pipeline {
	return p.with(steps.OneHot{Columns: slices.Clone(columns)})
}

// Ordinal replaces the named categories, or all of them, by a number in [0, 1] for each level: its
// place in the public order of the schema's levels, from 0 for the first to 1 for the last. It is a
// public row map and costs nothing; use it where the levels have an order. Missing cells stay missing:
// [Fixed] refuses to fill them with the number of a level, and the cost of [Midpoint] says where that is the middle level.
// A marker of missing cells that the schema declares as a level has a place of its own.
func (p Pipeline) Ordinal(columns ...string) Pipeline {
	return p.with(steps.Ordinal{Columns: slices.Clone(columns)})
}

// FrequencyEncode replaces the named categories, or all of them, by a number in [0, 1] for each
// level: its number of rows over n, the public number of rows. Missing cells stay missing. The
// counts are fitted without noise and priced; they are needed at prediction time and are not
// private, so that no model which reads rows can be released behind this step.
func (p Pipeline) FrequencyEncode(columns ...string) Pipeline {
	return p.with(steps.FrequencyEncode{Columns: slices.Clone(columns)})
}

// TargetPrior is the public prior of [Pipeline.TargetEncode]: so many rows of a label of that value
// are added to every level. Neither has a default, and both must come from outside the data.
//
// Its fields:
//
//	// Weight is κ > 0, in rows: a level of few rows is drawn towards the prior, and one row moves
//	// another by (width of the label)/(2 + κ) at most.
//	Weight float64
//	// Value lies within the label's bounds, 0 to 1 for a label of two classes. The mean of the
//	// private labels would be a fit of its own, which moves every row of every level: no bound here
//	// covers it.
//	Value float64
type TargetPrior = steps.TargetPrior

// TargetEncode replaces the named categories, or all of them, by a number for each level: the mean
// label of its rows, smoothed by a public prior,
//
//	(Σ_{rows of the level} y + κ·Value) / (rows of the level + κ).
//
// A label of two classes counts 0 and 1; a numeric one has its declared bounds. Missing cells stay
// missing. The means are fitted without noise and priced, whatever the sizes of the levels; they are
// needed at prediction time and are not private, so that no model which reads rows can be released
// behind this step.
func (p Pipeline) TargetEncode(prior TargetPrior, columns ...string) Pipeline {
	return p.with(steps.TargetEncode{TargetPrior: prior, Columns: slices.Clone(columns)})
}

// Indicate adds a 0/1 column for each column or encoded category that may be missing, which says
// whether it is: "pay is missing". It is a public row map and costs nothing. Put it before Impute:
// with indicators, a linear model on public midpoints spans the same functions as one on means,
// for free. With columns named, only theirs are added.
func (p Pipeline) Indicate(columns ...string) Pipeline {
	return p.with(steps.Indicate{Columns: slices.Clone(columns)})
}
