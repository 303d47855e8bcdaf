package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Ridge imputes a numeric column by ridge regression on columns that never miss, fitted without
// noise and priced. For each imputed column, over the rows where it is observed,
//
//	β = argmin (1/N) Σ ½(⟨β, z⟩ − (y − mid))² + (λ/2)‖β‖²,   N = max(observed rows, m0),
//
// z being the regressors and a constant as large as their norm bound, mid the public midpoint. A
// missing cell gets mid + ⟨β, z⟩, clamped to the column's bounds; imputed rows are clipped to the
// ball that the rows were in. Call it after Scale: one penalty serves all regressors. At prediction
// time missing cells get the midpoint.
type Ridge = steps.Ridge
