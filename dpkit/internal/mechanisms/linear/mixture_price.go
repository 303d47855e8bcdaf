package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// behind is the mixture, with its noise, on a pair of rows z. One row is free: mixture/freed-rows refuses more.
func (x *mixture) behind(p pair.State) (accountant.Event, error) {
	key := mixtureKey{k: x.k, free: p.F, rel: p.Neighbours}
	if p.Displaced() {
		key.displacement = stage.Up(p.TF / p.R)
	}
	return key.at(x.noise)
}

// Bill accounts for the sketch, whose blur is that of the release, beside others that the method makes.
func (x *mixture) Bill(c cost.Release, blur query.GaussianQuery, beside ...accountant.Event) (query.Bill, error) {
	rel := x.pair.Neighbours
	rest := x.rest(x.target)
	g, err := accountant.EpsilonOf(x.event, rel, rest.Delta)
	if err != nil {
		return query.Bill{}, err
	}
	if !(g.Epsilon <= rest.Epsilon) { // a search for ε ends a little above what its δ was calibrated at
		at, err := accountant.DeltaOf(x.event, rel, rest.Epsilon)
		if err != nil {
			return query.Bill{}, err
		}
		if !(at.Delta <= rest.Delta) {
			return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g; choose a larger δ", g.Epsilon, x.target.Epsilon)
		}
		g.Epsilon = rest.Epsilon
	}
	g.Epsilon, g.Delta = stage.Up(g.Epsilon+x.epsilon), x.target.Delta
	g.Epsilon = min(g.Epsilon, x.target.Epsilon) // rest is below the difference
	g.Route += ", and floating point"

	key := mixtureKey{k: x.k, free: x.pair.F, rel: rel, target: x.target}
	ignored, nominal := g.Epsilon, g.Epsilon
	if x.pair.Displaced() {
		at := func(displacement, variance float64) (float64, error) {
			key.displacement = displacement
			e, err := key.at(variance)
			if err != nil {
				return 0, err
			}
			g, err := accountant.EpsilonOf(e, rel, x.target.Delta)
			return min(g.Epsilon, math.MaxFloat64), err
		}
		if ignored, err = at(0, x.noise); err != nil {
			return query.Bill{}, err
		}
		if nominal, err = at(stage.Up(x.pair.TF/x.pair.R), x.free); err != nil {
			return query.Bill{}, err
		}
	}
	c.Event, c.Sigma = fmt.Sprint(x.event), math.Sqrt(x.Variance()+x.Share)
	c.FreeSensitivity, c.Sensitivity = x.pair.R, x.pair.R*math.Sqrt(x.noise/x.free)
	c.Uncounted, c.Nominal = ignored, nominal
	c.Constants = append([]stage.Constant{
		{Symbol: "C", Value: x.pair.R, Origin: stage.FromSchema, Meaning: "bound on a row's norm, label and constant feature included"},
		{Symbol: "k", Value: float64(x.k), Origin: stage.FromParameter, Meaning: "rows of the sketch"},
		{Symbol: "σ", Value: c.Sigma, Origin: stage.FromParameter, Meaning: "noise on each cell of the sketch"},
	}, c.Constants...)

	// The ledger adds up in Gaussian DP: the sketch is covered by a Gaussian outside a failure.
	half := x.target.Delta / 2
	events := append([]accountant.Event{
		accountant.Covered(x.event, half-x.far, 0, accountant.CoverByPrice),
		accountant.PureDP{Epsilon: x.pure, Neighbours: rel},
		blur.Event(rel, blur.S),
		accountant.ApproxDP{Delta: half + x.failure, Neighbours: rel},
	}, beside...)
	return query.Bill{Event: accountant.Compose(events...), Guarantee: g, Cost: c, OwnRoute: true}, nil
}
