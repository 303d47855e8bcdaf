package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// Logistic is logistic regression by projected noisy gradient descent (DP-GD): T full-batch steps
//
//	w ← Π( w − η/n·( Σ_i clip_C(∇ℓ(w; x_i, y_i)) + noise ) + m·(w − w₋) ),  ℓ = log(1 + e^{−y⟨w, x̃⟩}),  x̃ = (x, c),
//
// with the iterates of the last half averaged, w₋ the iterate before w. Π keeps ‖w‖ ≤ W, and ‖w_J‖ ≤ W_J on the
// coordinates J that earlier steps displaced: without a bound on w a gradient would not be
// Lipschitz in its row. The noise is discrete Gaussian on a public grid; gradients are summed in
// fixed point on that grid, so that the sum is exact in any order. Displaced rows are priced after Hu, Sanyal, Schölkopf 2024,
// Theorem 13, corrected.
//
// Zero values other than ε and δ are public defaults: functions of n, the target and the public
// bounds, chosen on simulated populations.
type Logistic = gradient.Logistic

// FitLogistic fits a logistic model of the schema's two-class label on all features.
//
// Memory: every step reads all rows. Up to 2^25 cells (256 MB) they are held; a larger table is
// read anew for each of the T steps, from its file and through the chain, in constant memory.
//
//go:noinline
func (p Pipeline) FitLogistic(o Logistic) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, gradient.LogisticFit{Logistic: o})
}
