package models

import (
	"math"
)

// Link is the law of a label of two classes given the features: P(second class) = f(b + ⟨β, x⟩).
type Link string

const (
	// UnknownLink is any monotone f: the direction of β is estimated.
	UnknownLink Link = ""
	// LogisticLink is f(t) = 1/(1 + e^−t).
	LogisticLink Link = "logistic"
	// ProbitLink is f(t) = Φ(t).
	ProbitLink Link = "probit"
)

func (l Link) Probability(t float64) float64 {
	if l == ProbitLink {
		return math.Erfc(-t/math.Sqrt2) / 2
	}
	return Sigmoid(t)
}

func (l Link) Slope(t float64) float64 {
	if l == ProbitLink {
		return math.Exp(-t*t/2) / math.Sqrt(2*math.Pi)
	}
	p := Sigmoid(t)
	return p * (1 - p)
}
