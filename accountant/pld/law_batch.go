package pld

import (
	"fmt"
	"math"
)

// NewFixedBatch returns a law for one sum with Gaussian noise over B of n rows, drawn without
// replacement, under replace-one: rate = B/n, and s is σ over the largest norm C of a contribution.
//
// Couple the two datasets by the sample without the row, and by the row that it takes the place of: given
// these, the laws are (1−q) N(a) + q N(z) and (1−q) N(a) + q N(z'), all centres within 2C. By advanced
// joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2) their hockey-stick divergence at e^ε = x ≥ 1
// is at most F(x) = q H(x') for a shift by 2C, x' = 1 + (x − 1)/q, which is the one of
// M = (1−q) N(0) + q N(2C) from N(0). For x < 1 the datasets change places, and 1 − x + x F(1/x) is the bound.
// The two meet at 1 in a convex kink: with a = C/σ, F(1) = q (2Φ(a) − 1) and F'(1) = −Φ(−a), the slope on the
// left is −1 + F(1) − F'(1) ≤ F'(1). Hence they are the profile of a pair: above 0 its loss has the law
// of that of M from N(0), below 0 the mirrored one, P(L = l) = e^l P(L = −l), and the rest is at 0.
//
// The error wraps [ErrParameter].
func NewFixedBatch(rate, s float64) (Law, error) {
	m, err := NewSubsampled(rate, s/2, Remove)
	if err != nil {
		return nil, fmt.Errorf("pld: batch of fixed size: %w", err)
	}
	return batch{m.(subsampled)}, nil
}

type batch struct{ half subsampled }

func (b batch) Tails(l float64) Tails {
	if l >= 0 {
		t := b.half.Tails(l)
		t.PBelow = 1 - t.PAbove
		t.QBelow = math.Exp(l) - t.QAbove
		return t
	}
	// P(L ≤ l) = Q(L ≥ −l), Q(L ≤ l) = P(L ≥ −l): the finite law above 0 has no atoms.
	e := math.Exp(l)
	u := b.half.Tails(-l) // its Q is multiplied by e^{−l}
	t := Tails{PBelow: e * u.QAbove, QBelow: e * u.PAbove}
	t.PAbove = 1 - t.PBelow
	t.QAbove = e - t.QBelow
	return t
}

func (b batch) Range(tail float64) (lo, hi float64) {
	_, hi = b.half.Range(tail)
	hi = max(hi, 0)
	return -hi, hi
}

func (b batch) Infinite() float64 { return 0 }
