package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// PrivateRMS is [RMS] with scales that are released privately, with a share of the budget of the
// release: no row moves when another changes, and prediction scales by the same numbers.
type PrivateRMS = steps.PrivateRMS

// PrivateStandard is [Standard] with means and scales that are released privately; see [PrivateRMS].
type PrivateStandard = steps.PrivateStandard
