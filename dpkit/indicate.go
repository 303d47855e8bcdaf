package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Indicate adds a 0/1 column for each column or encoded category that may be missing, which says
// whether it is: "pay is missing". It is a public row map and costs nothing. Put it before Impute:
// with indicators, a linear model on public midpoints spans the same functions as one on means,
// for free. With columns named, only theirs are added.
func (p Pipeline) Indicate(columns ...string) Pipeline {
	return p.with(steps.Indicate{Columns: slices.Clone(columns)})
}
