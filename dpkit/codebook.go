package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Codebook gives a column of texts ([frames.Text]) a public list of levels, such as those that [Pipeline.Levels] found, and makes all others one further
// level; of a category it keeps some levels. From there on the column is a category: what tables, models and conditions read.
//
//	visits.Codebook("diagnosis", "other", levels...).By("diagnosis", "ward").Mean("stay").Table(target)
//
// It is a public row map and costs nothing: a list that was released is public, one that is read off the rows is not. Missing cells stay missing.
func (p Pipeline) Codebook(column, other string, levels ...string) Pipeline {
	return p.with(steps.Codebook{Column: column, Other: other, Levels: slices.Clone(levels)})
}
