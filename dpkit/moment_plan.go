package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
)

// MomentMethod says how the second moments of unbounded rows are approached.
type MomentMethod = unbounded.MomentMethod

const (
	// Adaptive measures the moments in coordinates in which every earlier measurement says that they are small,
	// until all directions are equally large: each round bounds the moments from above by what it saw and the largest
	// eigenvalue of its noise, in the whole of the matrix.
	Adaptive = unbounded.Adaptive
	// Naive measures once, in the coordinates that the largest declared moment needs: the error is that of the condition number.
	Naive = unbounded.Naive
	// WeakContraction is a baseline: as Adaptive, but no round shrinks a direction's bound below 0.7 times what it was
	// (Kamath, Li, Singhal, Ullman 2019, as used by Milionis), so that rounds grow with the logarithm of the condition number
	// to that base.
	WeakContraction = unbounded.WeakContraction
)

// Unbounded says how second moments of rows without public bounds are measured: in T + 1 rounds of Gaussian noise of
// the orthogonal ensemble, each on rows that were mapped by what the earlier rounds released and clipped to a public
// radius. Privacy holds for every dataset. Accuracy is promised for rows whose law is sub-Gaussian, as a
// Gaussian one in its tails, and whose declared scales hold; where they do not, the result is biased and nothing else.
type Unbounded = unbounded.Unbounded
