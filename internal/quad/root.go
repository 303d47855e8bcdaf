package quad

import (
	"errors"
	"fmt"
	"math"
)

// ErrNoBracket reports that a function was never seen with both signs.
var ErrNoBracket = errors.New("quad: no sign change")

// A Bracket is an interval with the function's values at its ends. Where f(Lo) and f(Hi) differ
// in sign, or one of them is zero, it holds a root of a continuous f.
type Bracket struct {
	Lo, Hi   float64
	FLo, FHi float64
}

// valid reports whether the ends differ in sign or hit zero.
func (b Bracket) valid() bool {
	return b.FLo == 0 || b.FHi == 0 || (b.FLo < 0) != (b.FHi < 0)
}

// Grow evaluates f at the ends of b and moves the end with the smaller |f| outward, both where
// they are equal, by twice the width each time until f changes its sign. It gives up after 200
// steps or when f is NaN, with an error that wraps [ErrNoBracket].
func Grow(f func(float64) float64, b Bracket) (Bracket, error) {
	if !(b.Lo < b.Hi) {
		return b, fmt.Errorf("quad: interval: got [%g, %g], want lo < hi: %w", b.Lo, b.Hi, ErrNoBracket)
	}
	b.FLo, b.FHi = f(b.Lo), f(b.Hi)
	for range 200 {
		if math.IsNaN(b.FLo) || math.IsNaN(b.FHi) {
			break
		}
		if b.valid() {
			return b, nil
		}
		width := 2 * (b.Hi - b.Lo)
		lo, hi := b, b
		lo.Lo, lo.Hi, lo.FHi = b.Lo-width, b.Lo, b.FLo
		hi.Lo, hi.Hi, hi.FLo = b.Hi, b.Hi+width, b.FHi
		// The inner part has no sign change as far as it was seen, so it is left behind.
		switch l, h := math.Abs(b.FLo), math.Abs(b.FHi); {
		case l < h:
			lo.FLo = f(lo.Lo)
			b = lo
		case l > h:
			hi.FHi = f(hi.Hi)
			b = hi
		default:
			lo.FLo, hi.FHi = f(lo.Lo), f(hi.Hi)
			if lo.valid() {
				return lo, nil
			}
			if hi.valid() {
				return hi, nil
			}
			b.Lo, b.FLo, b.Hi, b.FHi = lo.Lo, lo.FLo, hi.Hi, hi.FHi
		}
	}
	return b, fmt.Errorf("quad: root: f is %g at %g and %g at %g, want a sign change: %w",
		b.FLo, b.Lo, b.FHi, b.Hi, ErrNoBracket)
}

// Brent shrinks a bracket with a sign change to a few units in the last place (Brent 1973,
// "Algorithms for Minimization without Derivatives", chapter 4). The result still is a bracket,
// so that a caller can take the end on its safe side.
func Brent(f func(float64) float64, in Bracket) (Bracket, error) {
	if !in.valid() || math.IsNaN(in.FLo) || math.IsNaN(in.FHi) {
		return in, fmt.Errorf("quad: root: f is %g at %g and %g at %g, want a sign change: %w",
			in.FLo, in.Lo, in.FHi, in.Hi, ErrNoBracket)
	}
	// b is the best iterate, [b, c] brackets, a is the previous b; d and e are the last steps.
	a, fa, b, fb := in.Lo, in.FLo, in.Hi, in.FHi
	c, fc := a, fa
	d := b - a
	e := d
	for range 300 {
		if (fb > 0) == (fc > 0) && fb != 0 {
			c, fc = a, fa
			d = b - a
			e = d
		}
		if math.Abs(fc) < math.Abs(fb) {
			a, fa, b, fb, c, fc = b, fb, c, fc, b, fb
		}
		tol := 2 * 0x1p-52 * math.Abs(b)
		if tol == 0 {
			tol = math.SmallestNonzeroFloat64
		}
		half := (c - b) / 2
		if math.Abs(half) <= tol || fb == 0 {
			break
		}
		if math.Abs(e) >= tol && math.Abs(fa) > math.Abs(fb) {
			d, e = interpolate(a, fa, b, fb, c, fc, half, tol, d, e)
		} else {
			d, e = half, half
		}
		a, fa = b, fb
		if math.Abs(d) > tol {
			b += d
		} else {
			b += math.Copysign(tol, half)
		}
		fb = f(b)
	}
	if fb == 0 {
		return Bracket{Lo: b, Hi: b}, nil
	}
	if b < c {
		return Bracket{Lo: b, Hi: c, FLo: fb, FHi: fc}, nil
	}
	return Bracket{Lo: c, Hi: b, FLo: fc, FHi: fb}, nil
}

// interpolate is Brent's secant or inverse quadratic step; it falls back to bisection when the
// step leaves the bracket or does not halve the last but one.
func interpolate(a, fa, b, fb, c, fc, half, tol, d, e float64) (step, last float64) {
	var p, q float64
	s := fb / fa
	if a == c {
		p = 2 * half * s
		q = 1 - s
	} else {
		q = fa / fc
		r := fb / fc
		p = s * (2*half*q*(q-r) - (b-a)*(r-1))
		q = (q - 1) * (r - 1) * (s - 1)
	}
	if p > 0 {
		q = -q
	}
	p = math.Abs(p)
	if 2*p < min(3*half*q-math.Abs(tol*q), math.Abs(e*q)) {
		return p / q, d
	}
	return half, half
}
