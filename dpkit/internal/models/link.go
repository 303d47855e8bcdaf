package models

import (
	"math"
)

// Link is the law of a label of two classes given the features: P(second class) = f(b + ⟨β, x⟩).
type Link string

const (
	// LinkUnknown is any monotone f: the direction of β is estimated.
	LinkUnknown Link = ""
	// LinkLogistic is f(t) = 1/(1 + e^−t).
	LinkLogistic Link = "logistic"
	// LinkProbit is f(t) = Φ(t).
	LinkProbit Link = "probit"
)

// Probability is f(t), the probability of the second class at t = b + ⟨β, x⟩; an unknown link counts as the logistic one.
func (l Link) Probability(t float64) float64 {
	if l == LinkProbit {
		return math.Erfc(-t/math.Sqrt2) / 2
	}
	return Sigmoid(t)
}

// Slope is f′(t).
func (l Link) Slope(t float64) float64 {
	if l == LinkProbit {
		return math.Exp(-t*t/2) / math.Sqrt(2*math.Pi)
	}
	p := Sigmoid(t)
	return p * (1 - p)
}
