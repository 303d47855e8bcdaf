package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// PublicQuantiles clamps each column between public numbers, such as quantiles of other data: the
// i-th column named to [Lo[i], Hi[i]]. It is a public row map and costs nothing.
type PublicQuantiles = steps.PublicQuantiles
