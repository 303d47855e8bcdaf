package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Estimates are released numbers with privacy noise of known size: unbiased, so that counts may come out
// negative, except for the means of a private number of rows.
type Estimates = sums.Estimates
