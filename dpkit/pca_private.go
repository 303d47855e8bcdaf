package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// PrivateComponents is PCA with a private fit: the second moment Σ x·xᵀ is released with symmetric
// Gaussian noise (a multiple of the Gaussian orthogonal ensemble), and rows become their K coordinates
// along its leading directions. Unlike fitted directions these may be used at prediction time, and a
// model in their coordinates can be released. "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014)
// with half the noise on the entries off the diagonal, which the Frobenius norm counts twice.
type PrivateComponents = steps.PrivateComponents
