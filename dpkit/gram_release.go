package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
)

// GramMatrix is a released second moment Σ x·xᵀ of the features.
type GramMatrix = linear.GramMatrix

// Gram releases Σ x·xᵀ over the rows, in the units of the chain's rows, with noise of the Gaussian orthogonal
// ensemble: "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014) with half the variance off the diagonal, as one Gaussian
// mechanism in the Frobenius norm (Redberg, Wang 2021, Algorithm 6). Cells are rounded to a public grid so coarse that the
// sum is exact, and the noise is discrete.
//
//go:noinline
func (p Pipeline) Gram(t Target) Plan[GramMatrix] {
	return newPlan[GramMatrix](p, linear.SecondMomentRelease{Target: t})
}
