package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

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
