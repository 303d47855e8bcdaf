package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// MultinomialModel is a fitted classifier into several classes. Coefficients are in the units of the encoded and scaled rows; the
// public maps that lead there are part of the model, so that it reads raw rows.
type MultinomialModel = models.MultinomialModel
