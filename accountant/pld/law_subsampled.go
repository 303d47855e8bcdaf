package pld

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A Direction is which of two neighbours has the row that a law of an add/remove pair is about.
type Direction int

const (
	// Remove: P has the row, Q has not.
	Remove Direction = iota
	// Add: Q has the row, P has not.
	Add
	// Replace: both have one, at opposite ends.
	Replace
)

// NewSubsampled returns the law of one sum with Gaussian noise over a Poisson sample of rate q, where
// s is σ over the largest norm C of a row's contribution: with M(c) = (1−q) N(0, s²) + q N(c, s²),
//
//	Remove: P = M(1), Q = N(0, s²);   Add: the other way round;   Replace: P = M(1), Q = M(−1).
//
// These pairs dominate in every dimension. Given the sample of the common rows, the laws are mixtures
// M(u) and M(w) around a common centre, |u|, |w| ≤ 1 (w = 0: no row), and hockey-stick divergences
// are jointly convex. Write the divergence Σ Q f(P/Q), f convex, as E ψ(b) of the likelihood ratios
// b_c = exp(⟨c, X⟩/s² − |c|²/2s²), X ~ N(0, s²I), where ψ(U, W) = W f(U/W) has ψ_UU, ψ_WW ≥ 0 ≥ ψ_UW.
// Along a linear path of Gram matrices its derivatives are ∂/∂G_ij = E[b_i b_j ψ_ij] and
// ∂/∂G_ii = ½ E[b_i² ψ_ii] (Slepian 1962), so it does not fall with |u|² and |w|² nor rise with
// ⟨u, w⟩: u = −w of norm 1 is the worst case; smooth f approach the hockey stick.
//
// The error wraps [ErrParameter].
func NewSubsampled(q, s float64, d Direction) (Law, error) {
	if !(q > 0 && q < 1) {
		return nil, fmt.Errorf("pld: subsampled Gaussian: rate: got %g, want a number in (0, 1): %w", q, ErrParameter)
	}
	if !(s > 1e-140 && s < 1e140) {
		return nil, fmt.Errorf("pld: subsampled Gaussian: noise: got %g, want a number in (1e-140, 1e140): %w", s, ErrParameter)
	}
	if d == Replace {
		return replaced{q, s}, nil
	}
	return subsampled{q, s, d == Add}, nil
}

type subsampled struct {
	q, s float64
	add  bool
}

// loss is ln(1 − q + q e^{(2x−1)/2s²}), that of removal at x.
func (m subsampled) loss(x float64) float64 {
	if math.IsInf(x, 0) {
		return max(x, math.Log1p(-m.q))
	}
	u := (x - 0.5) / m.s / m.s
	if u < 30 {
		return math.Log1p(m.q * math.Expm1(u))
	}
	return u + math.Log(m.q) + math.Log1p((1-m.q)/m.q*math.Exp(-u))
}

// at inverts loss; −Inf at and below its infimum ln(1 − q).
func (m subsampled) at(l float64) float64 {
	var u float64
	if l < 30 {
		v := math.Expm1(l) / m.q
		if !(v > -1) {
			return math.Inf(-1)
		}
		u = math.Log1p(v)
		if v < -0.5 && m.q > 0.5 { // 1 + v, without a loss of digits
			u = math.Log((math.Exp(l) - (1 - m.q)) / m.q)
		}
		if math.IsNaN(u) {
			u = math.Inf(-1)
		}
	} else {
		u = l - math.Log(m.q) + math.Log1p(-(1-m.q)*math.Exp(-l))
	}
	return m.s*(m.s*u) + 0.5
}

func (m subsampled) Tails(l float64) Tails {
	if m.add {
		x := m.at(-l) // L ≤ l for points from x on
		y := (x - 1) / m.s
		above, below := quad.NormalTails(x / m.s)
		t := Tails{PBelow: below, PAbove: above}
		e := math.Exp(l)
		_, _, low, high := scaledTails(l, y)
		t.QAbove = (1-m.q)*e*above + m.q*low
		t.QBelow = (1-m.q)*e*below + m.q*high
		return t
	}
	x := m.at(l)
	z, y := x/m.s, (x-1)/m.s
	below, above, low, high := scaledTails(l, z)
	with, without := quad.NormalTails(y)
	return Tails{
		PBelow: (1-m.q)*below + m.q*with,
		PAbove: (1-m.q)*above + m.q*without,
		QBelow: low,
		QAbove: high,
	}
}

func (m subsampled) Range(tail float64) (lo, hi float64) {
	z := upperQuantile(tail)
	if m.add {
		return -m.loss(m.s * z), -m.loss(-m.s * z)
	}
	return m.loss(-m.s * z), m.loss(mixtureUpper(m.q, m.s, tail))
}

func (subsampled) Infinite() float64 { return 0 }

// mixtureUpper returns an x above which (1−q) N(0, s²) + q N(1, s²) has at most the mass tail.
func mixtureUpper(q, s, tail float64) float64 {
	return max(s*upperQuantile(tail/2), 1+s*upperQuantile(tail/(2*q)))
}

type replaced struct{ q, s float64 }

func (m replaced) loss(x float64) float64 {
	r := subsampled{q: m.q, s: m.s}
	return r.loss(x) - r.loss(-x)
}

// at inverts loss. With u = e^{x/s²}, c = e^{−1/2s²} the equation is q c u² − (1−q)(e^l − 1) u = q c e^l,
// and v = u e^{−l/2} solves v − 1/v = 2 (1−q) sinh(l/2)/(q c).
func (m replaced) at(l float64) float64 {
	a := math.Abs(l)
	// ln of the right side over 2
	ln := math.Log((1-m.q)/m.q) + 0.5/m.s/m.s
	if a < 1 {
		ln += math.Log(math.Sinh(a / 2))
	} else {
		ln += a/2 + math.Log1p(-math.Exp(-a)) - math.Ln2
	}
	v := ln + math.Ln2
	if ln < 20 {
		v = math.Asinh(math.Exp(ln))
	}
	return math.Copysign(m.s*(m.s*(a/2+v)), l)
}

func (m replaced) Tails(l float64) Tails {
	x := m.at(l)
	z, y, w := x/m.s, (x-1)/m.s, (x+1)/m.s
	below, above, low, high := scaledTails(l, z)
	with, without := quad.NormalTails(y)
	_, _, lowOther, highOther := scaledTails(l, w)
	return Tails{
		PBelow: (1-m.q)*below + m.q*with,
		PAbove: (1-m.q)*above + m.q*without,
		QBelow: (1-m.q)*low + m.q*lowOther,
		QAbove: (1-m.q)*high + m.q*highOther,
	}
}

func (m replaced) Range(tail float64) (lo, hi float64) {
	return m.loss(-m.s * upperQuantile(tail)), m.loss(mixtureUpper(m.q, m.s, tail))
}

func (replaced) Infinite() float64 { return 0 }
