package query

import (
	"fmt"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// GaussianQuery is a vector statistic of the rows, released once with discrete Gaussian noise on a
// public grid: what a step of a chain asks privately before it is fitted. The statistic is
// computed in floating point and rounded to the grid as a whole.
type GaussianQuery struct {
	Coordinates int
	Sensitivity float64 // ℓ2, on the pair state before the step, floating point included
	Max         float64 // public bound on the magnitude of a coordinate

	Grid   noise.Grid
	Finer  int     // the noise is drawn on a grid 2^Finer times finer, see [GaussianQuery.Refine]
	GridSD uint64  // Sigma in steps of that finer grid
	Sigma  float64 // noise on each coordinate
	S      float64 // sensitivity with the rounding to the grid
}

// Calibrate chooses grid and noise so that the query is μ-GDP, but for what a grid adds to μ ([accountant.DiscreteGaussian]). Both sides of
// a pair are rounded, by at most √k·h/2 each.
func (g *GaussianQuery) Calibrate(mu float64) error {
	if !(mu > 0) || !(g.Sensitivity > 0) || math.IsInf(g.Sensitivity, 1) {
		return fmt.Errorf("noise: got μ = %g and sensitivity %g, want finite numbers > 0", mu, g.Sensitivity)
	}
	g.S = g.Sensitivity
	for range 8 {
		grid, sd, err := noise.NewGrid(stage.Up(g.S/mu), g.Max)
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := g.GridSD > 0 && grid == g.Grid
		g.Grid, g.Finer, g.GridSD, g.Sigma = grid, 0, sd, float64(sd)*grid.Step()
		if settled {
			return nil
		}
		g.S = stage.Up(g.Sensitivity + math.Sqrt(float64(g.Coordinates))*grid.Step())
	}
	return fmt.Errorf("noise grid: no grid fits a statistic of magnitude %g at sensitivity %g", g.Max, g.Sensitivity)
}

// Refine draws the noise of a calibrated query on the finest grid of the sampler. σ stays: what it lowers is what discrete noise costs more than
// continuous noise. It costs nothing but other bits ([noise.AddFineGaussian]).
func (g *GaussianQuery) Refine() {
	f := bits.Len64(noise.MaxSigma-1) - bits.Len64(g.GridSD)
	g.Finer += f
	g.GridSD <<= f
}

// RefineCoarse is Refine where σ has fewer steps than the proofs for discrete noise ask for ([noise.RatioSigma]).
func (g *GaussianQuery) RefineCoarse() {
	if g.GridSD < noise.RatioSigma {
		g.Refine()
	}
}

// CalibrateFine is Calibrate and RefineCoarse: there a grid adds less than 2^-50 of μ.
func (g *GaussianQuery) CalibrateFine(mu float64) error {
	err := g.Calibrate(mu)
	if err == nil {
		g.RefineCoarse()
	}
	return err
}

// Event is the calibrated query at ℓ2 sensitivity s, rounding to the grid included: s = S on the pair state.
func (g *GaussianQuery) Event(rel accountant.Neighbours, s float64) accountant.Event {
	return accountant.DiscreteGaussian{
		Sensitivity: s, Sigma: g.Sigma, Neighbours: rel, GridSigma: float64(g.GridSD), Coordinates: g.Coordinates,
	}
}

// Price accounts for the query as a release of its own; free is its sensitivity without preprocessing, moves that on any pair
// state, both before rounding to the grid.
func (g *GaussianQuery) Price(target accountant.Budget, st stage.Stage, free float64, moves func(p pair.State) (float64, error), c cost.Release) (Bill, error) {
	rounding := g.S - g.Sensitivity
	rounded := func(p pair.State) (float64, error) {
		s, err := moves(p)
		return stage.Up(s + rounding), err
	}
	event := func(rel accountant.Neighbours, s float64) accountant.Event { return st.Spent.Coarse(g.Event(rel, s)) }
	return PriceGaussian(GaussianRelease{Event: event, S: g.S, Free: free + rounding, Sigma: g.Sigma, Moves: rounded}, target, st, c)
}

// Draw returns the noisy statistic. A coordinate outside its public bound is a value of no
// dataset: it is clamped, which the sensitivity survives; so is NaN, which no integer stands for.
func (g *GaussianQuery) Draw(rng *noise.Source, exact []float64) []float64 {
	steps := make([]int64, len(exact))
	for j, x := range exact {
		if math.IsNaN(x) {
			x = 0
		}
		steps[j] = int64(math.RoundToEven(num.Clamp(x, -g.Max, g.Max) / g.Grid.Step()))
	}
	noise.AddFineGaussian(rng, steps, g.GridSD, g.Finer)
	out := make([]float64, len(exact))
	for j, k := range steps {
		out[j] = g.Grid.Value(k)
	}
	return out
}
