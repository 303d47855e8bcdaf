package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// ReportedLogistic is a logistic model with its privacy report, under one guarantee.
type ReportedLogistic = models.ReportedLogistic
