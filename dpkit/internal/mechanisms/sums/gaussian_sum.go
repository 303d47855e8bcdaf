package sums

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GaussianSum is a vector sum over rows, drawn one or more times with exact discrete Gaussian noise
// on a public grid, calibrated to a target on a pair state. Rows are rounded to the grid and
// summed as integers, so that the sum is exact in any order.
type GaussianSum struct {
	Query       pair.Query
	Coordinates int
	Draws       int     // how often the sum is drawn
	Any         float64 // Query.Lipschitz for displacements in any feature; 0 where no such bound is known
	Together    Together
	Fp          float64 // a displaced row's contributions may differ by 2·Fp more than the query says, in floating point

	Mu      float64 // μ of all draws together
	S, Free float64 // sensitivity on the pair state, and of one free row alone, as without preprocessing
	Sigma   float64 // noise on each coordinate of each draw
	Grid    noise.Grid
	GridSD  uint64 // Sigma in grid steps
}

// Bound is C as floating point attains it: a contribution that was clipped there may exceed C by
// the factor of [stage.UpSum].
func (g *GaussianSum) Bound() float64 { return stage.UpSum(g.Query.C, g.Coordinates) }

// State computes the sensitivities before rounding to a grid.
func (g *GaussianSum) State(p pair.State) error {
	raw, err := pair.Start(p.N, p.R, p.Neighbours)
	if err != nil {
		return err
	}
	if g.Free, err = g.moves(raw, g.Query.Lipschitz); err != nil {
		return err
	}
	g.S, err = g.moves(p, g.Query.Lipschitz)
	return err
}

// moves is the sensitivity on a pair state, before rounding to a grid.
func (g *GaussianSum) moves(p pair.State, lipschitz float64) (float64, error) {
	q := g.Query
	q.C, q.Lipschitz = g.Bound(), lipschitz
	s, free, err := q.Sensitivity(p)
	if err == nil && g.Together.Rows > 0 {
		s = stage.Up(s - free + g.Together.of(p, q.C, g.Coordinates))
	}
	if err == nil && p.Displaced() {
		s = stage.Up(s + 2*g.Fp*float64(p.M))
	}
	return s, err
}

// MovesBehind is the sensitivity on any pair state, rounding to the grid included; taint has the columns that the chain displaces.
func (g *GaussianSum) MovesBehind(p pair.State, taint stage.Taint) (float64, error) {
	lipschitz, err := lipschitzBehind(p, taint, g.Query.Lipschitz, g.Any)
	if err != nil {
		return math.Inf(1), err
	}
	s, err := g.moves(p, lipschitz)
	return stage.Up(s + float64(p.F+p.M)*math.Sqrt(float64(g.Coordinates))*g.Grid.Step()), err
}

// lipschitzBehind is [query.LipschitzBehind], and an error where rows are displaced in a feature for which no bound is known.
func lipschitzBehind(p pair.State, taint stage.Taint, own, anyFeature float64) (float64, error) {
	lipschitz := query.LipschitzBehind(taint, own, anyFeature)
	if lipschitz == 0 && len(taint) == 0 && p.Displaced() {
		return 0, errNotDisplaced
	}
	return lipschitz, nil
}

// errNotDisplaced says that nothing bounds how far a statistic moves with its rows.
var errNotDisplaced = errors.New("the release reads values that must not be displaced: nothing bounds how far it moves with them")

// Calibrate chooses the grid and the noise for the target; State came before. Every row's
// contribution is rounded to the grid h·Z^k, by at most √k·h/2 on each side of the pair: the
// sensitivity grows by (f + m)·√k·h. The grid follows the noise, so that both are settled
// together. Steps that asked private queries have taken their share of the target. The sampler's distance from the Gaussian law is
// paid from the share of δ that μ leaves.
func (g *GaussianSum) Calibrate(target accountant.Budget, st stage.Stage) error {
	mu, err := st.Spent.Mu(target)
	if err != nil {
		return err
	}
	return g.CalibrateTo(mu, st.Before)
}

// CalibrateTo is Calibrate for a given μ of all draws together.
func (g *GaussianSum) CalibrateTo(mu float64, p pair.State) error {
	g.Mu, g.GridSD = mu, 0
	s, free := g.S, g.Free
	for range 8 {
		sigma := stage.Up(g.S * math.Sqrt(float64(g.Draws)) / g.Mu)
		grid, sd, err := noise.NewGrid(sigma, stage.Up(g.Bound()*float64(max(p.N, LeastRows))))
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := g.GridSD > 0 && grid == g.Grid
		g.Grid, g.GridSD, g.Sigma = grid, sd, float64(sd)*grid.Step()
		if settled {
			return nil
		}
		a := math.Sqrt(float64(g.Coordinates)) * grid.Step()
		g.S, g.Free = stage.Up(s+float64(p.F+p.M)*a), stage.Up(free+a)
	}
	return fmt.Errorf("noise grid: no grid fits n = %d rows at this target; lower the clipping norm or raise ε", p.N)
}

// LeastRows is the number of rows for which a grid is made at least: a contribution of magnitude C is then below 2^50
// steps, as linalg.AddRounded asks.
const LeastRows = 1 << 12

// Event is the composition of all draws at sensitivity s.
func (g *GaussianSum) Event(rel accountant.Neighbours, s float64) accountant.Event {
	return g.repeated(accountant.DiscreteGaussian{
		Sensitivity: s, Sigma: g.Sigma, Neighbours: rel, GridSigma: float64(g.GridSD), Coordinates: g.Coordinates,
	})
}

func (g *GaussianSum) repeated(e accountant.Event) accountant.Event {
	if g.Draws == 1 {
		return e
	}
	return accountant.Repeat(e, g.Draws)
}

// Price accounts for the draws at the target's δ.
func (g *GaussianSum) Price(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error) {
	moves := func(p pair.State) (float64, error) { return g.MovesBehind(p, st.Taint) }
	event := func(rel accountant.Neighbours, s float64) accountant.Event {
		one := *g
		one.Draws = 1
		return g.repeated(st.Spent.Coarse(one.Event(rel, s)))
	}
	return query.PriceGaussian(query.GaussianRelease{Event: event, S: g.S, Free: g.Free, Sigma: g.Sigma, Moves: moves}, target, st, c)
}
