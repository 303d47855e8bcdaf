package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// GradientModel is a fitted linear model: scores ⟨Coef[k], x⟩ + Intercept[k], one for a label of two classes or a number and one for
// each class otherwise. Coefficients are in the units of the encoded and scaled rows; the public maps that lead there are part
// of the model, so that it reads raw rows.
type GradientModel = models.GradientModel
