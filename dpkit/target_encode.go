package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// TargetPrior is the public prior of [Pipeline.TargetEncode]: so many rows of a label of that value
// are added to every level. Neither has a default, and both must come from outside the data.
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
