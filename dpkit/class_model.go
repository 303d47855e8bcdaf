package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// ClassModel is a fitted linear classifier. Coefficients are in the units of the encoded and scaled rows; the public maps that lead
// there are part of the model, so that it reads raw rows.
type ClassModel = models.ClassModel
