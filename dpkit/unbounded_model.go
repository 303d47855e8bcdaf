package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// UnboundedModel is a fitted linear model: Intercept + ⟨Coef, x⟩ predicts a numeric label, clamped to its bounds if it has
// any. Of two classes it tells the second where it is above 0: up to a positive factor, unless the scale was recovered.
type UnboundedModel = models.UnboundedModel
