package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// Gradient is the fit of a linear model with a convex loss by noisy gradients: every step takes the sum of rows' gradients, each
// clipped to the norm C, adds Gaussian noise on a public grid, and keeps ‖w‖ ≤ W and ‖w_J‖ ≤ W_J on the coordinates J that
// earlier steps of the chain displaced (priced after Hu, Sanyal, Schölkopf 2024, Theorem 13, corrected). The noise is calibrated
// to (ε, δ) for the solver's T steps by the tightest route that is known: exactly for [FullBatch], by the privacy-loss
// distribution for [PoissonSampling] and [WithoutReplacement], by their Rényi curve behind steps that displace rows, and by that
// of [ByIteration].
//
// Training ends after T steps, whatever the data are: a test of convergence on private rows would be a release of its own.
//
// Zero values other than ε and δ are public defaults, functions of n, d, the target and the public bounds; Suggest
// explains them. Sizes are in units of R, the bound on a row's norm.
type Gradient = gradient.Gradient

// FitByGradient fits a linear model of the schema's label on all features.
//
// Memory: up to 2^25 cells (256 MB) are held; a larger table is read anew for each step, in constant memory but for a bit
// a row of the draw. The time of a step with [PoissonSampling] depends on how many rows were drawn, which is private:
// where others can time steps, use another solver.
//
//go:noinline
func (p Pipeline) FitByGradient(g Gradient) Plan[GradientModel] {
	g.Loss, g.Solver = kind.PointedTo(g.Loss), kind.PointedTo(g.Solver)
	return newPlan[GradientModel](p, gradient.GradientFit{Gradient: g})
}
