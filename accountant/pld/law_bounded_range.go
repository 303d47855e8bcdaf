package pld

import (
	"fmt"
	"math"
)

// NewBoundedRange returns the law that dominates every mechanism of bounded range η, as the exponential mechanism is: the
// log-ratios of its laws on neighbours span an interval of length η. The loss has density proportional to e^{l/2} on [−η, η], the
// same in all directions. The error wraps [ErrParameter].
//
// No single mechanism of range η has this profile: it is the supremum over all of them,
// δ(ε) = (1 − e^{(ε−η)/2})²/(1 − e^{−η}) for |ε| ≤ η (Dong, Durfee, Rogers 2020). A supremum of profiles is convex in e^ε, hence the
// profile of a pair, and pairs that dominate compose to one that dominates the adaptive composition (Zhu, Dong, Wang 2022,
// Proposition 8 and Theorem 10). Of many such mechanisms it tells less than their Rényi curve, which no pair attains at all orders at
// once. Its law is the second derivative of the profile by α = e^ε: under Q the ratio has the density
// e^{−η/2} α^{−3/2}/2(1 − e^{−η}) on [e^{−η}, e^η], and no atoms, as the first derivative is −1 and 0 at the ends.
func NewBoundedRange(eta float64) (Law, error) {
	if !(eta > 0) || math.IsInf(eta, 1) || math.Expm1(-eta) == 0 {
		return nil, fmt.Errorf("pld: bounded range: got η = %g, want a finite positive number: %w", eta, ErrParameter)
	}
	return boundedRange{eta}, nil
}

type boundedRange struct{ eta float64 }

func (b boundedRange) Tails(l float64) Tails {
	switch {
	case l < -b.eta:
		return Tails{PAbove: 1, QAbove: math.Exp(l)}
	case l >= b.eta:
		return Tails{PBelow: 1, QBelow: math.Exp(l)}
	}
	whole := -math.Expm1(-b.eta)
	below, above := -math.Expm1(-(b.eta+l)/2)/whole, -math.Expm1(-(b.eta-l)/2)/whole
	e := math.Exp((l - b.eta) / 2)
	return Tails{PBelow: e * below, PAbove: above, QBelow: math.Exp(l) * below, QAbove: e * above}
}

func (b boundedRange) Range(tail float64) (lo, hi float64) {
	lo, hi = -b.eta, b.eta
	if !(tail > 0) {
		return lo, hi
	}
	spare := 0x1p-40 * (1 + b.eta)
	if p := tail * math.Expm1(b.eta); !math.IsInf(p, 1) {
		lo = max(lo, 2*math.Log1p(p)-b.eta-spare)
	} else {
		lo = max(lo, b.eta+2*math.Log(tail)-spare)
	}
	return lo, min(hi, b.eta+2*math.Log1p(tail*math.Expm1(-b.eta))+spare)
}

func (boundedRange) Infinite() float64 { return 0 }
