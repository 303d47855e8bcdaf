package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Median imputes numeric columns by the medians of their observed values, fitted without noise and
// priced. Where the middle values lie far apart one row moves the median from one to the other, so
// that its price is that of the column's whole width in every row and does not shrink with n:
// [TrimmedMean] with a Trim near 1/2 resists outliers at a price of order 1/n a row. A column without
// an observed value gets its midpoint.
type Median = steps.Median
