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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//
//	MaxNorm     float64 // W, in units of 1/R (R = norm bound of a row); 0: 24
//	TaintedNorm float64 // W_J, likewise; 0: W·√(displaced columns and blocks / all)
//	Clip        float64 // C, in units of R; 0: 0.7
//	// T; 0: T₀/a within [10, 400], where T₀ = 2.4·μ*·n·R/S·β/2 are the steps that plain descent would need,
//	// β = ‖x̃‖²/4R², and a = T₀/40 within [1, 8].
//	Steps int
//	// η, in units of 1/R²; 0: 2/β, with momentum m = 1 − 1/a, a = T₀/T within [1, 8]. A larger η than 2/β can diverge,
//	// momentum at 2/β cannot (Polyak 1964). A step that was asked for is taken without.
//	StepSize float64
//
//	// NoIntercept leaves the constant feature c out: x̃ = x. The class boundary then passes through 0.
//	NoIntercept bool
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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Range          float64 // Q, a public guess of the largest margin; 0: 3
//	Rows           int     // k: rows of the sketch; 0: 8 for each coefficient and the label
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
//	NoIntercept    bool    // leave the constant feature out
type LogisticMixing = glm.LogisticMixing

// FitLogisticByMixing fits a logistic model of the schema's two-class label on all features from a Gaussian sketch. As for
// [LinearMixing] a ledger charges it as a Gaussian outside a failure, for which it needs a Reserve ([Options]).
func (p Pipeline) FitLogisticByMixing(o LogisticMixing) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, glm.MixingFit{LogisticMixing: o})
}

// LogisticModel is a fitted logistic regression. Coefficients are in the units of the encoded and
// scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label     string
//	Classes   [2]string // the second is the positive class
//	Columns   []string  // encoded features, in the order of Coef
//	Coef      []float64
//	Intercept float64
//	Reader
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the probability of the positive class for every row of src, in order.
type LogisticModel = models.LogisticModel
