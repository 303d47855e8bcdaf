package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
)

// gaussianRelease is Gaussian noise that was settled for a target.
type gaussianRelease struct {
	event   func(rel accountant.Neighbours, s float64) accountant.Event // at sensitivity s
	s, free float64                                                     // sensitivity on the pair state, and without preprocessing
	sigma   float64
}

// priceGaussian accounts for a release at the target's δ: with the preprocessing counted, ignored, and
// not paid for.
func priceGaussian(g gaussianRelease, target accountant.Budget, st Stage, c ReleaseCost) (bill, error) {
	rel := st.Before.Neighbours
	at := func(s float64) (accountant.Guarantee, error) {
		return accountant.EpsilonOf(st.spent.compose(g.event(rel, s), rel), rel, target.Delta)
	}
	counted, err := at(st.spent.widen(g.s))
	if err != nil {
		return bill{}, err
	}
	if !(counted.Epsilon <= target.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", counted.Epsilon, target.Epsilon)
	}
	ignored, err := at(g.free)
	if err != nil {
		return bill{}, err
	}
	unpaid, err := at(g.s * g.s / g.free)
	if err != nil {
		return bill{}, err
	}
	ev := g.event(rel, st.spent.widen(g.s))
	c.Event, c.Sensitivity, c.FreeSensitivity, c.Sigma = ev.String(), g.s, g.free, g.sigma
	c.Uncounted, c.Nominal = ignored.Epsilon, unpaid.Epsilon
	return bill{Event: st.spent.compose(ev, rel), Guarantee: counted, Cost: c}, nil
}
