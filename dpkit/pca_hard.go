package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Hard is the orthogonal projector onto the K leading directions of the second moment A = XᵀX/n, fitted
// without noise. It is the PCA of the textbooks, and its price grows with 1/Gap: the projector turns
// freely where the K-th and the next eigenvalue are close. The rows keep their columns: the
// coordinates along fitted directions have no bound at all, as no choice of their signs is continuous
// (docs/theory/preprocessing.md#coordinates-along-principal-directions).
// [SoftThreshold] has a price for every dataset, and [PrivateComponents] releases the directions.
type Hard = steps.Hard
