package sums

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GeometricSum is a vector of counts with exact two-sided geometric noise, P(x) ∝ e^(−|x|/t), of pure ε: Laplace's law on the integers
// (Ghosh, Roughgarden, Sundararajan 2012; docs/theory/mechanisms.md#geometric-noise). Its standard deviation is √½/sinh(1/2t), for √2·t
// of Laplace noise.
type GeometricSum struct {
	sum     *LaplaceSum // what it moves by
	S, free float64     // integers
	Scale   float64     // t
	units   uint64      // t in units of 1/noise.GeometricUnit
}

// maxGeometricScale is what the sampler draws: beyond it Laplace noise is the same but for 2^-40 of it.
const maxGeometricScale = 1 << 20

func (g *GeometricSum) settle(target accountant.Budget, p pair.State) (err error) {
	if g.S, g.free, err = g.moves(p); err != nil {
		return err
	}
	least := stage.Up(g.S / target.Epsilon)
	if !(least <= maxGeometricScale) {
		return fmt.Errorf("geometric noise: got a scale of %.3g, want at most %d: ask for NoiseLaplace, which has the same error there: %w", least, maxGeometricScale, kind.ErrParameter)
	}
	for g.units = uint64(max(math.Ceil(least*noise.GeometricUnit), 1)); ; g.units++ {
		if g.Scale = float64(g.units) / noise.GeometricUnit; g.epsilon(g.S) <= target.Epsilon { // exact: below 2^53
			return nil
		}
	}
}

// moves are those of Laplace noise without a grid. Counts move by integers: what bounds them may be rounded down.
func (g *GeometricSum) moves(p pair.State) (total, free float64, err error) {
	total, free, err = g.sum.moves(p, g.sum.query.Lipschitz)
	return math.Floor(total), math.Floor(free), err
}

// epsilon is the pure ε of counts that move by s.
func (g *GeometricSum) epsilon(s float64) float64 { return stage.Up(s / g.Scale) }

// Price is that of pure ε-DP, which the law attains where s is 1: its losses are ±1/t and no others.
func (g *GeometricSum) Price(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error) {
	rel := st.Before.Neighbours
	ev := accountant.PureDP{Epsilon: g.epsilon(g.S), Neighbours: rel}
	counted, err := accountant.EpsilonOf(ev, rel, 0)
	if err != nil {
		return query.Bill{}, err
	}
	c.Event, c.Sensitivity, c.FreeSensitivity, c.Sigma = ev.String(), g.S, g.free, g.sd()
	c.Uncounted, c.Nominal = g.epsilon(g.free), g.epsilon(g.S*g.S/g.free)
	behind := func(p pair.State) (accountant.Event, error) {
		if _, err := lipschitzBehind(p, st.Taint, g.sum.query.Lipschitz, g.sum.any); err != nil {
			return nil, err
		}
		s, _, err := g.moves(p)
		return accountant.PureDP{Epsilon: g.epsilon(s), Neighbours: p.Neighbours}, err
	}
	return query.Bill{Event: ev, Guarantee: counted, Cost: c, Behind: behind}, nil
}

func (g *GeometricSum) Lattice() noise.Grid { return noise.Grid{} } // counts

func (g *GeometricSum) Sensitivity() (total, free float64) { return g.S, g.free }

func (g *GeometricSum) sd() float64 { return math.Sqrt(0.5) / math.Sinh(0.5/g.Scale) }

func (g *GeometricSum) add(rng *noise.Source, sums []int64) { noise.AddGeometric(rng, sums, g.units) }

func (g *GeometricSum) Summand() pair.Query { return g.sum.query }

func (g *GeometricSum) reference() string {
	return "geometric mechanism, all in the L1 norm: S = 2Cf (Ghosh, Roughgarden, Sundararajan 2012)"
}
