package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// RateModel is a fitted Poisson regression: the rate of a row is exp(Intercept + ⟨Coef, x⟩), at most MaxCount. Coefficients are in
// the units of the encoded and scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
type RateModel = models.RateModel
