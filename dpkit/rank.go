package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// RankTransform replaces the values of the named numeric columns by their mid-ranks over n, the
// public number of rows: (rows below + half of the rows with the same value)/n, in [0, 1]. Equal
// values get equal ranks. Missing cells stay missing and are not counted. Ranks are fitted without
// noise and priced; they are needed at prediction time and are not private, so that no model which
// reads rows can be released behind this step.
func (p Pipeline) RankTransform(columns ...string) Pipeline {
	return p.with(steps.RankTransform{Columns: slices.Clone(columns)})
}
