package pld

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// NewGaussian returns the law of a shift by mu standard deviations of a Gaussian: N(μ²/2, μ²). A
// [Composition] merges all such laws into one. The error wraps [ErrParameter].
func NewGaussian(mu float64) (Law, error) {
	if !(mu > 0) || math.IsInf(mu*mu, 1) || mu*mu == 0 {
		return nil, fmt.Errorf("pld: Gaussian: mu: got %g, want a positive number whose square is one: %w", mu, ErrParameter)
	}
	return gaussian{mu}, nil
}

type gaussian struct{ mu float64 }

func (g gaussian) Tails(l float64) Tails {
	z := l/g.mu - g.mu/2
	t := Tails{PBelow: quad.NormalCDF(z), PAbove: quad.NormalCDF(-z)}
	// e^l φ(z+μ) = φ(z).
	if y := z + g.mu; y > 0 {
		t.QAbove = quad.NormalPDF(z, 0) * quad.Mills(y)
		t.QBelow = scaledUpper(l, -y)
	} else {
		t.QAbove = scaledUpper(l, y)
		t.QBelow = quad.NormalPDF(z, 0) * quad.Mills(-y)
	}
	return t
}

func (g gaussian) Range(tail float64) (lo, hi float64) {
	z := upperQuantile(tail)
	return g.mu * (g.mu/2 - z), g.mu * (g.mu/2 + z)
}

func (gaussian) Infinite() float64 { return 0 }

// upperQuantile returns z with 1 − Φ(z) = tail, moved out past its rounding error; −Inf from 1 on.
func upperQuantile(tail float64) float64 {
	if tail >= 1 {
		return math.Inf(-1)
	}
	z := -quad.NormalQuantile(tail)
	return z + 0x1p-40*(1+math.Abs(z))
}
