package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Link is the law of a label of two classes given the features: P(second class) = f(b + ⟨β, x⟩).
type Link = models.Link

const (
	// UnknownLink is any monotone f: the direction of β is estimated.
	UnknownLink = models.UnknownLink
	// LogisticLink is f(t) = 1/(1 + e^−t).
	LogisticLink = models.LogisticLink
	// ProbitLink is f(t) = Φ(t).
	ProbitLink = models.ProbitLink
)
