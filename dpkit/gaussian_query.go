package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// gaussianQuery is a vector statistic of the rows, released once with discrete Gaussian noise on a
// public grid: what a step of a chain asks privately before it is fitted. The statistic is
// computed in floating point and rounded to the grid as a whole.
type gaussianQuery struct {
	coordinates int
	sensitivity float64 // ℓ2, on the pair state before the step, floating point included
	max         float64 // public bound on the magnitude of a coordinate

	grid   noise.Grid
	gridSD uint64
	sigma  float64 // noise on each coordinate
	s      float64 // sensitivity with the rounding to the grid
}

// calibrate chooses grid and noise so that the query is μ-GDP, up to the sampler's distance from the
// Gaussian law. Both sides of a pair are rounded, by at most √k·h/2 each.
func (g *gaussianQuery) calibrate(mu float64) error {
	if !(mu > 0) || !(g.sensitivity > 0) || math.IsInf(g.sensitivity, 1) {
		return fmt.Errorf("noise: got μ = %g and sensitivity %g, want finite numbers > 0", mu, g.sensitivity)
	}
	g.s = g.sensitivity
	for range 8 {
		grid, sd, err := noise.NewGrid(up(g.s/mu), g.max)
		if err != nil {
			return fmt.Errorf("noise grid: %w", err)
		}
		settled := g.gridSD > 0 && grid == g.grid
		g.grid, g.gridSD, g.sigma = grid, sd, float64(sd)*grid.Step()
		if settled {
			return nil
		}
		g.s = up(g.sensitivity + math.Sqrt(float64(g.coordinates))*grid.Step())
	}
	return fmt.Errorf("noise grid: no grid fits a statistic of magnitude %g at sensitivity %g", g.max, g.sensitivity)
}

// calibrateFor is calibrate of a release with that target. The sampler's distance tv from the Gaussian law costs (1 + e^ε)·tv of
// δ, which at ε ≈ 30 is more than [accountant.SamplerShare]: then μ is that of what is left.
func (g *gaussianQuery) calibrateFor(mu float64, target accountant.Budget, rel accountant.Neighbours) error {
	if err := g.calibrate(mu); err != nil {
		return err
	}
	_, tv, err := g.event(rel, g.s).(accountant.DiscreteGaussian).GDP(rel)
	if err != nil {
		return err
	}
	kept, loss := target.Delta*accountant.SamplerShare, up(2*(1+math.Exp(target.Epsilon))*tv)
	if loss <= kept || !(loss < target.Delta/2) { // where it is most of δ the price refuses
		return nil
	}
	target.Delta -= kept
	all, err := accountant.CalibrateGaussian(target)
	if err != nil {
		return err
	}
	target.Delta -= loss
	left, err := accountant.CalibrateGaussian(target)
	if err != nil {
		return err
	}
	return g.calibrate(mu * min(left/all, 1) * (1 - 0x1p-50))
}

func (g *gaussianQuery) event(rel accountant.Neighbours, s float64) accountant.Event {
	return accountant.DiscreteGaussian{
		Sensitivity: s, Sigma: g.sigma, Neighbours: rel, GridSigma: float64(g.gridSD), Coordinates: g.coordinates,
	}
}

// price accounts for the query as a release of its own; free is its sensitivity without preprocessing.
func (g *gaussianQuery) price(target accountant.Budget, st Stage, free float64, c ReleaseCost) (bill, error) {
	rounding := g.s - g.sensitivity
	return priceGaussian(gaussianRelease{event: g.event, s: g.s, free: free + rounding, sigma: g.sigma}, target, st, c)
}

// draw returns the noisy statistic. A coordinate outside its public bound is a value of no
// dataset: it is clamped, which the sensitivity survives; so is NaN, which no integer stands for.
func (g *gaussianQuery) draw(rng *noise.Source, exact []float64) []float64 {
	steps := make([]int64, len(exact))
	for j, x := range exact {
		if math.IsNaN(x) {
			x = 0
		}
		steps[j] = int64(math.RoundToEven(clamp(x, -g.max, g.max) / g.grid.Step()))
	}
	noise.AddGaussian(rng, steps, g.gridSD)
	out := make([]float64, len(exact))
	for j, k := range steps {
		out[j] = g.grid.Value(k)
	}
	return out
}
