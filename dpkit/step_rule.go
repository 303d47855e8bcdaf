package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// StepRule is how the size η_t of step t = 1…T follows from η.
type StepRule = gradient.StepRule

const (
	// ConstantStep is η_t = η.
	ConstantStep = gradient.ConstantStep
	// InverseSqrtStep is η_t = η/√t, for a convex loss (Zinkevich 2003).
	InverseSqrtStep = gradient.InverseSqrtStep
	// InverseStep is η_t = η/t, for a strongly convex loss.
	InverseStep = gradient.InverseStep
)

// Averaging says which iterates the released coefficients are the mean of. All of them are functions of the noisy sums, so
// that it costs nothing, except in [ByIteration].
type Averaging = gradient.Averaging

const (
	// AverageLastHalf takes the last half of the iterates.
	AverageLastHalf = gradient.AverageLastHalf
	// AverageAll takes all of them (Polyak, Juditsky 1992).
	AverageAll = gradient.AverageAll
	// LastIterate takes the last one alone.
	LastIterate = gradient.LastIterate
)
