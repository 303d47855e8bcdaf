package pld

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/internal/sentinel"
)

// ErrParameter reports a parameter of a law or a query outside its range.
var ErrParameter = sentinel.ErrParameter

// A Law is the law of a privacy loss. All methods are safe for concurrent use.
type Law interface {
	// Tails returns the two tails of P and Q at the finite loss l, each with small relative error.
	Tails(l float64) Tails
	// Range returns lo ≤ hi with P(L < lo) ≤ tail and P(hi < L < ∞) ≤ tail, for tail in [0, 1/2]. At 0 it
	// is the support's hull, whose ends may be infinite.
	Range(tail float64) (lo, hi float64)
	// Infinite returns P(L = +∞).
	Infinite() float64
}

// Tails are the probabilities of the losses up to l and of the finite losses above it. Those under Q
// are multiplied by e^l, so that they are comparable with those under P and do not underflow.
type Tails struct {
	PBelow, PAbove float64 // P(L ≤ l), P(l < L < ∞)
	QBelow, QAbove float64 // e^l Q(L ≤ l), e^l Q(l < L < ∞)
}

// A Lattice is a law with atoms on origin + step·k. Where only is set, all its finite losses are there.
type Lattice interface {
	Lattice() (origin, step float64, only bool)
}

// A Term is a law with the number of times that it is composed.
type Term struct {
	Law   Law
	Count int
}

// mass returns P and e^a·Q of the losses in (a, b], from the tails at both ends, b = a + d. Each is the
// difference of the smaller tails.
func mass(a, b Tails, d float64) (p, q float64) {
	em := math.Expm1(-d) // e^{−d} x = x + em·x, so that the rounding errors of many cells do not add up
	if a.PAbove <= a.PBelow {
		p = a.PAbove - b.PAbove
	} else {
		p = b.PBelow - a.PBelow
	}
	// Where e^{−d} is small, x and em·x cancel, and what they leave is a rounding.
	keep := math.Exp(-d)
	switch wide := d > 1; {
	case a.QAbove <= a.QBelow || math.IsInf(b.QBelow, 1):
		if q = (a.QAbove - b.QAbove) - em*b.QAbove; wide {
			q = a.QAbove - keep*b.QAbove
		}
	case wide:
		q = keep*b.QBelow - a.QBelow
	default:
		q = (b.QBelow - a.QBelow) + em*b.QBelow
	}
	return max(0, p), max(0, q)
}

// scaledUpper returns e^l (1 − Φ(z)).
func scaledUpper(l, z float64) float64 {
	if l < 600 {
		return math.Exp(l) * quad.NormalCDF(-z)
	}
	return math.Exp(l + quad.LogNormalCDF(-z))
}

// scaledTails returns Φ(z) and 1 − Φ(z), and both times e^l.
func scaledTails(l, z float64) (below, above, low, high float64) {
	below, above = quad.NormalTails(z)
	if l < 600 {
		e := math.Exp(l)
		return below, above, e * below, e * above
	}
	return below, above, math.Exp(l + quad.LogNormalCDF(z)), math.Exp(l + quad.LogNormalCDF(-z))
}
