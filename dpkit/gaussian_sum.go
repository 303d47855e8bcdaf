package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// gaussianSum is a vector sum over rows, drawn one or more times with exact discrete Gaussian noise
// on a public grid, calibrated to a target on a pair state. Rows are rounded to the grid and
// summed as integers, so that the sum is exact in any order.
type gaussianSum struct {
	query       pair.Query
	coordinates int
	draws       int     // how often the sum is drawn
	fp          float64 // a displaced row's contributions may differ by 2·fp more than the query says, in floating point

	mu      float64 // μ of all draws together
	s, free float64 // sensitivity on the pair state, and of one free row alone, as without preprocessing
	sigma   float64 // noise on each coordinate of each draw
	grid    noise.Grid
	gridSD  uint64 // sigma in grid steps
}

// bound is C as floating point attains it: a contribution that was clipped there may exceed C by
// the factor of upSum.
func (g *gaussianSum) bound() float64 { return upSum(g.query.C, g.coordinates) }

// state computes the sensitivities before rounding to a grid.
func (g *gaussianSum) state(p pair.State) error {
	q := g.query
	q.C = g.bound()
	raw, err := pair.Start(p.N, p.R, p.Neighbours)
	if err != nil {
		return err
	}
	if _, g.free, err = q.Sensitivity(raw); err != nil {
		return err
	}
	g.s, _, err = q.Sensitivity(p)
	if err == nil && p.Displaced() {
		g.s = up(g.s + 2*g.fp*float64(p.M))
	}
	return err
}

// calibrate chooses the grid and the noise for the target; state came before. Every row's
// contribution is rounded to the grid h·Z^k, by at most √k·h/2 on each side of the pair: the
// sensitivity grows by (f + m)·√k·h. The grid follows the noise, so that both are settled
// together. Steps that asked private queries have taken their share of the target. The sampler's distance from the Gaussian law is paid from the share of δ that μ leaves.
func (g *gaussianSum) calibrate(target accountant.Budget, st Stage) error {
	p := st.Before
	var err error
	if g.mu, err = st.spent.mu(target); err != nil {
		return err
	}
	s, free := g.s, g.free
	for range 8 {
		sigma := up(g.s * math.Sqrt(float64(g.draws)) / g.mu)
		grid, sd, err := noise.NewGrid(sigma, up(g.bound()*float64(max(p.N, leastRows))))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := g.gridSD > 0 && grid == g.grid
		g.grid, g.gridSD, g.sigma = grid, sd, float64(sd)*grid.Step()
		if settled {
			return nil
		}
		a := math.Sqrt(float64(g.coordinates)) * grid.Step()
		g.s, g.free = up(s+float64(p.F+p.M)*a), up(free+a)
	}
	return fmt.Errorf("noise grid: no grid fits n = %d rows at this target; lower the clipping norm or raise ε", p.N)
}

// leastRows is the number of rows for which a grid is made at least: a contribution of magnitude C is then below 2^50
// steps, as [linalg.AddRounded] asks.
const leastRows = 1 << 12

// event is the composition of all draws at sensitivity s.
func (g *gaussianSum) event(rel accountant.Neighbours, s float64) accountant.Event {
	e := accountant.DiscreteGaussian{
		Sensitivity: s, Sigma: g.sigma, Neighbours: rel, GridSigma: float64(g.gridSD), Coordinates: g.coordinates,
	}
	if g.draws == 1 {
		return e
	}
	return accountant.Repeat(e, g.draws)
}

// price accounts for the draws at the target's δ.
func (g *gaussianSum) price(target accountant.Budget, st Stage, c ReleaseCost) (bill, error) {
	return priceGaussian(gaussianRelease{event: g.event, s: g.s, free: g.free, sigma: g.sigma}, target, st, c)
}
