package gradient

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// ByGradient fits a linear model with a convex loss ℓ by projected noisy gradient descent: T steps
//
//	w ← Π( w − η/n·( Σ_i clip_C(∇ℓ(w; x_i, y_i)) + noise ) + m·(w − w₋) ),  x̃ = (x, c),
//
// with the iterates of the last half averaged, w₋ the iterate before w. Π keeps ‖w‖ ≤ W, and ‖w_J‖ ≤ W_J on the coordinates J
// that earlier steps of the chain displaced: without a bound on w a gradient would not be Lipschitz in its row (priced after Hu,
// Sanyal, Schölkopf 2024, Theorem 13, corrected). Noise is Gaussian on a public grid; sums of gradients are exact in any order.
// It is calibrated to (ε, δ) for the solver's T steps by the tightest route that is known: exactly for [FullBatch], by the
// privacy-loss distribution for [PoissonSampling] and [WithoutReplacement], by their Rényi curve behind steps that displace
// rows, and by that of [ByIteration].
//
// Training ends after T steps, whatever the data are: a test of convergence on private rows would be a release of its own.
//
// Zero values other than ε and δ are public defaults, functions of n, d, the target and the public bounds;
// dpkit.Pipeline.SuggestGradient explains them. Sizes are in units of R, the bound on a row's norm.
type ByGradient struct {
	Solver Solver // nil: FullBatch

	Epsilon, Delta float64 // target; no defaults

	// W, in units of 1/R; 0: the loss's, for LogLoss 24, and up to 4 times that where rows are as read and noise is small; for several margins 1000.
	MaxNorm     float64
	TaintedNorm float64 // W_J, likewise; 0: W·√(displaced columns and blocks / all), for several margins less
	Clip        float64 // C, in units of R; 0: the loss's, for LogLoss 0.7, for several margins 0.7 down to 0.05 as coefficients grow in number
	// T; 0: T₀/a within [10, 400], where T₀ are the steps that plain descent would need, by a public rule, and a = T₀/40 within
	// [1, 8]. For several margins in full batches 10 to 120. ByIteration has one for each row.
	Steps int
	// η, in units of 1/R², of a mean gradient; 0: 2/β, β the loss's smoothness, with momentum m = 1 − 1/a, a = T₀/T within [1, 8].
	// More than 2/β can diverge: coefficients then bounce between the ends of the ball, which costs no privacy; momentum at 2/β
	// cannot (Polyak 1964). For several margins in full batches the first is at most 2/β, with momentum; steps then grow while noisy
	// sums point the same way, and shrink where they bounce. A step that was asked for is taken without. ByIteration refuses one
	// beyond 2/β.
	StepSize float64
	Rule     StepRule
	Average  Averaging

	NoIntercept bool // leave the constant feature c out: x̃ = x. The class boundary then passes through 0
}

// target is what the fit may spend.
func (g ByGradient) target() accountant.Budget {
	return accountant.Budget{Epsilon: g.Epsilon, Delta: g.Delta}
}

// Logistic is the fit with the logistic loss.
func (g ByGradient) Logistic() mechanism.Mechanism[models.LogisticModel] { return LogisticFit{g} }

// constant is the feature that stands for the intercept, for rows of norm at most r; 0 where there is none.
func (g ByGradient) constant(r float64) float64 {
	if g.NoIntercept {
		return 0
	}
	return domain.InterceptHeight * r
}

// plain reports whether all rows take part in constant steps whose last half is averaged.
func (g ByGradient) plain() bool {
	_, full := g.Solver.(FullBatch)
	return (g.Solver == nil || full) && g.Rule == StepConstant && g.Average == AverageLastHalf
}
