package query

import (
	"fmt"
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

// PriceReach is what an exponential mechanism is counted as, whose penalties move by all on the pair, and by free for its free rows alone:
// of gives its event where they move by so much. Beside it are its ε where preprocessing is not counted, and where it is not paid.
func PriceReach(t Target, rel accountant.Neighbours, all, free float64, of func(moves float64) accountant.Exponential) (counted accountant.Guarantee, ignored, unpaid float64, err error) {
	if counted, err = accountant.EpsilonOf(of(all), rel, t.Delta); err != nil {
		return counted, 0, 0, err
	}
	if !(counted.Epsilon <= t.Epsilon) {
		return counted, 0, 0, fmt.Errorf("calibration: got ε = %g for the target %g; raise ε", counted.Epsilon, t.Epsilon)
	}
	for _, o := range []struct {
		to    *float64
		moves float64
	}{{&ignored, free}, {&unpaid, all * all / free}} {
		g, err := accountant.EpsilonOf(of(o.moves), rel, t.Delta)
		if err != nil {
			return counted, 0, 0, err
		}
		*o.to = g.Epsilon
	}
	return counted, ignored, unpaid, nil
}
