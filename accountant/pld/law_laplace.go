package pld

import (
	"fmt"
	"math"
)

// NewLaplace returns the law of a shift of Laplace noise by ratio = Δ/b. In [−r, r), where r is the
// ratio, P(L ≤ l) = ½ e^{(l−r)/2}; the rest is an atom at r. The error wraps [ErrParameter].
//
// It dominates a vector with independent noise in every coordinate and shifts of sum r in absolute
// value, too: its profile is δ_r(ε) = 1 − e^{(ε−r)/2} on [−r, r], and for shifts a and b the
// composition δ_{a,b}(ε) = E δ_b(ε − L_a) is at most δ_{a+b}(ε). By symmetry let a ≤ b and ε ≥ 0. With
// E e^{−L_a/2} = (1 + a/2) e^{−a/2} and δ_b = 0 above b,
//
//	1 − δ_{a,b}(ε) = (1 + a/2) e^{(ε−a−b)/2} − E(e^{(ε−b−L_a)/2} − 1)₊,
//
// and the last term is 0 for z = ε − b ≤ −a, (z+a)/4 · e^{(z−a)/2} ≤ a/2 · e^{(z−a)/2} otherwise.
func NewLaplace(ratio float64) (Law, error) {
	if !(ratio > 0) || math.IsInf(ratio, 1) {
		return nil, fmt.Errorf("pld: Laplace: ratio: got %g, want a finite positive number: %w", ratio, ErrParameter)
	}
	return laplace{ratio}, nil
}

type laplace struct{ ratio float64 }

func (p laplace) Tails(l float64) Tails {
	switch {
	case l < -p.ratio:
		return Tails{PAbove: 1, QAbove: math.Exp(l)}
	case l >= p.ratio:
		return Tails{PBelow: 1, QBelow: math.Exp(l)}
	}
	t := math.Exp((l-p.ratio)/2) / 2
	return Tails{PBelow: t, PAbove: 1 - t, QAbove: t, QBelow: max(0, math.Exp(l)-t)}
}

func (p laplace) Range(tail float64) (lo, hi float64) {
	if tail < 0.5 && tail > 0 {
		lo = max(-p.ratio, p.ratio+2*math.Log(2*tail)-0x1p-40)
	} else {
		lo = -p.ratio
	}
	return lo, p.ratio
}

func (laplace) Infinite() float64 { return 0 }

// Lattice holds both atoms.
func (p laplace) Lattice() (origin, step float64, only bool) { return -p.ratio, 2 * p.ratio, false }
