package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// A Loss is a convex loss ℓ(m, y) of the margin m = ⟨w, x̃⟩ and the label, or of K margins, one for each class. Its gradient
// in w is ∇ℓ(m, y)·x̃ᵀ, so that clipping a row's gradient to the norm C is clipping the derivative in the margins to
// C/‖x̃‖. For one margin the result is still the derivative of a convex function, with no more curvature.
//
// Losses are [LogLoss], [SquaredHinge] and [SoftmaxLoss] for classes, [SquaredLoss] and [HuberLoss] for numbers.
type Loss = gradient.Loss

// LogLoss is that of logistic regression for two classes: log(1 + e^{−ym}), y = ±1.
type LogLoss = gradient.LogLoss

// SquaredHinge is ½·max(0, 1 − ym)² for two classes, y = ±1: a support vector machine's, smoothed.
type SquaredHinge = gradient.SquaredHinge

// SquaredLoss is ½(m − v)² for a numeric label, v scaled by the label's public bounds to [−1, 1].
type SquaredLoss = gradient.SquaredLoss

// HuberLoss is quadratic up to an error of At and linear beyond (Huber 1964): e²/2 for |e| ≤ At, At·|e| − At²/2 else,
// e = m − v. The label is scaled by its public bounds to v in [−1, 1].
type HuberLoss = gradient.HuberLoss

// SoftmaxLoss is that of multinomial logistic regression: log Σ_k e^{m_k} − m_y, one margin for each class.
type SoftmaxLoss = gradient.SoftmaxLoss
