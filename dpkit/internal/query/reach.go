package query

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// Reach is the range of an exponential mechanism ([accountant.Exponential]) that gives the target, whose δ may be 0.
func Reach(t Target) (float64, error) {
	if t.Delta == 0 {
		return t.Epsilon, nil
	}
	// Beyond ε + 2 ln 1/(1−√δ) the profile is above δ at once.
	hi := t.Epsilon - 2*math.Log1p(-math.Sqrt(t.Delta)) + 1
	x, _, err := accountant.Calibrate(t.Budget(), accountant.ReplaceOne, func(x float64) accountant.Event {
		return accountant.Exponential{Epsilon: x, Neighbours: accountant.ReplaceOne}
	}, t.Epsilon, hi)
	return x, err
}
