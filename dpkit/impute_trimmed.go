package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// TrimmedMean imputes numeric columns by trimmed means, fitted without noise and priced: the mean
// of the central share 1 − 2·Trim of the observed values, padded to at least Pad of them with the
// public midpoint. It resists outliers and costs 1/(1 − 2·Trim) times what [Mean] costs.
type TrimmedMean = steps.TrimmedMean
