package query

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// GaussianRelease is Gaussian noise that was settled for a target.
type GaussianRelease struct {
	Event   func(rel accountant.Neighbours, s float64) accountant.Event // at sensitivity s
	S, Free float64                                                     // sensitivity on the pair state, and without preprocessing
	Sigma   float64
	Moves   func(p pair.State) (float64, error) // sensitivity on any pair state, as S on the chain's; see Bill.Behind
}

// PriceGaussian accounts for a release at the target's δ: with the preprocessing counted, ignored, and
// not paid for.
func PriceGaussian(g GaussianRelease, target accountant.Budget, st stage.Stage, c cost.Release) (Bill, error) {
	rel := st.Before.Neighbours
	at := func(s float64) (accountant.Guarantee, error) {
		return accountant.EpsilonOf(st.Spent.Compose(g.Event(rel, s), rel), rel, target.Delta)
	}
	counted, err := at(st.Spent.Widen(g.S))
	if err != nil {
		return Bill{}, err
	}
	if !(counted.Epsilon <= target.Epsilon) {
		return Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger ε", counted.Epsilon, target.Epsilon)
	}
	ignored, err := at(g.Free)
	if err != nil {
		return Bill{}, err
	}
	unpaid, err := at(g.S * g.S / g.Free)
	if err != nil {
		return Bill{}, err
	}
	ev := g.Event(rel, st.Spent.Widen(g.S))
	c.Event, c.Sensitivity, c.FreeSensitivity, c.Sigma = ev.String(), g.S, g.Free, g.Sigma
	c.Uncounted, c.Nominal = ignored.Epsilon, unpaid.Epsilon
	behind := func(p pair.State) (accountant.Event, error) {
		s, err := g.Moves(p)
		return g.Event(rel, st.Spent.Widen(s)), err
	}
	return Bill{Event: st.Spent.Compose(ev, rel), Guarantee: counted, Cost: c, Behind: behind, Gaussian: true}, nil
}
