package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Fixed imputes numeric columns by a public constant within their bounds, known from the codebook and
// not from the rows (0 where nothing is nothing, for instance). It is a public row map and costs
// nothing. [Midpoint] does the same with the middle of the bounds, for categories too.
//
// Behind it a missing cell is that number and nothing else: in a column of 0 and 1 it counts as the one or the
// other, unless [Pipeline.Indicate] stands in front. Behind [Pipeline.Ordinal] the number of a level is refused.
type Fixed = steps.Fixed
