package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
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

// LogisticMixing is a baseline: logistic regression by least squares on a Gaussian sketch of the rows (Lev et al. 2025, § 5.2).
// The loss ln(1 + e^−s) of the signed margin s is replaced by the parabola b₀ + b₁s + b₂s² that meets it at the three Chebyshev
// nodes of [−Q, Q]; then the best coefficients are those of least squares on labels ±1, times −b₁/2b₂.
//
// Departures: b₁ = −½ and b₂ are coefficients of monomials, where the authors' code takes those of Chebyshev polynomials, so that its
// coefficients are 3 times too small at Q = 6; the loss is minimised, where the text maximises it; noise is (γ − 1)C² by the exact
// profile. Classes do not depend on the scale, probabilities do. Prefer [Pipeline.FitLogisticByObjective].
type LogisticMixing = glm.LogisticMixing

// FitLogisticByMixing fits a logistic model of the schema's two-class label on all features from a Gaussian sketch. As for
// [LinearMixing] a ledger charges it as a Gaussian outside a failure, for which it needs a Reserve ([Options]).
func (p Pipeline) FitLogisticByMixing(o LogisticMixing) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, glm.MixingFit{LogisticMixing: o})
}

// LogisticModel is a fitted logistic regression. Coefficients are in the units of the encoded and
// scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
type LogisticModel = models.LogisticModel
