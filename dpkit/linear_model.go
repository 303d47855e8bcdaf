package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// LinearModel is a fitted linear regression: y = Intercept + ⟨Coef, x⟩, clamped to the label's bounds.
// Coefficients are in units of the label per unit of an encoded and scaled column; the public maps that
// lead there are part of the model, so that it reads raw rows.
type LinearModel = models.LinearModel

// Interval is a confidence interval.
type Interval = models.Interval
