package gradient

import (
	"math"
)

// StepRule is how the size η_t of step t = 1…T follows from η.
type StepRule string

const (
	// StepConstant is η_t = η.
	StepConstant StepRule = ""
	// StepInverseSqrt is η_t = η/√t, for a convex loss (Zinkevich 2003).
	StepInverseSqrt StepRule = "1/√t"
	// StepInverse is η_t = η/t, for a strongly convex loss.
	StepInverse StepRule = "1/t"
)

// At is the size of step t, counted from 0.
func (r StepRule) At(eta float64, t int) float64 {
	switch r {
	case StepInverseSqrt:
		return eta / math.Sqrt(float64(t+1))
	case StepInverse:
		return eta / float64(t+1)
	}
	return eta
}

// Averaging says which iterates the released coefficients are the mean of. All of them are functions of the noisy sums, so
// that it costs nothing, except in [ByIteration].
type Averaging string

const (
	// AverageLastHalf takes the last half of the iterates.
	AverageLastHalf Averaging = ""
	// AverageAll takes all of them (Polyak, Juditsky 1992).
	AverageAll Averaging = "all"
	// AverageLast takes the last one alone.
	AverageLast Averaging = "last"
)

// Takes reports whether the iterate after step t, from 0, of so many is averaged.
func (a Averaging) Takes(t, steps int) bool {
	switch a {
	case AverageAll:
		return true
	case AverageLast:
		return t == steps-1
	}
	return t >= steps/2
}
