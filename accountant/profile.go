package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Profile is a privacy profile: the smallest known δ for which (ε, δ)-DP holds at ε. Rounded up.
// It does not rise with ε.
type Profile func(epsilon float64) float64

// Epsilon returns the smallest ε ≥ 0 with profile(ε) ≤ δ, from above: the profile was evaluated at
// the ε that is returned. It is +Inf where there is none. The error wraps [ErrDelta].
func (p Profile) Epsilon(delta float64) (float64, error) {
	if err := checkDelta(delta); err != nil {
		return math.NaN(), err
	}
	if delta == 1 || p(0) <= delta {
		return 0, nil
	}
	// Bracket in powers of two: p(lo) > δ ≥ p(hi).
	lo, hi := 0.0, 1.0
	if p(hi) <= delta {
		for hi > 1e-300 && p(hi/2) <= delta {
			hi /= 2
		}
		lo = hi / 2
	} else {
		for !(p(hi) <= delta) {
			lo, hi = hi, hi*2
			if math.IsInf(hi, 1) {
				return hi, nil
			}
		}
	}
	// Profiles fall steeply: their logarithm is what a secant can follow.
	logDelta := quad.Log(delta)
	f := func(eps float64) float64 {
		if v := p(eps); v > 0 {
			return quad.Log(v) - logDelta
		}
		return -1e3
	}
	b, err := quad.Brent(f, quad.Bracket{Lo: lo, Hi: hi, FLo: f(lo), FHi: f(hi)})
	if err != nil {
		return hi, nil // rounding hid the sign; hi is certified
	}
	return certify(b.Hi, 1, hi, func(eps float64) bool { return p(eps) <= delta }), nil
}

// certify moves x in growing steps, up for sign = 1 and down for sign = -1, until ok; it returns
// fallback, which is known to be, when that takes more than about one part in 2^20.
func certify(x, sign, fallback float64, ok func(float64) bool) float64 {
	for k := range 32 {
		if ok(x) {
			return x
		}
		x *= 1 + sign*math.Ldexp(1, k-52)
	}
	return fallback
}
