package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// PrivateMean imputes by means that are themselves released privately, with a share of the budget of
// the release: no row moves when another changes, and prediction fills missing cells by the same
// values. One Gaussian query asks for the sums and the counts of the observed cells together.
type PrivateMean = steps.PrivateMean
