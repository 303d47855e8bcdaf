package ledger

// STAND-IN, to be deleted at merge: the Gaussian profile and its inverses belong to accountant.
// Replace calibrateGaussian by accountant's calibrator (same signature), and the two ε readings
// by accountant's conversions, with the same directions of rounding.

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// The range in which the stand-in's error bound was derived.
const (
	maxEpsilon = 1e4
	minDelta   = 1e-200
)

// calibrateGaussian returns the largest μ with δ_G(b.Epsilon; μ) ≤ b.Delta, rounded down.
func calibrateGaussian(b accountant.Budget) (mu float64, err error) {
	if !(b.Epsilon >= 0) || b.Epsilon > maxEpsilon || !(b.Delta > 0) || !(b.Delta < 1) {
		return 0, fmt.Errorf("ledger: calibrate: got ε = %v, δ = %v, want 0 ≤ ε ≤ %v, 0 < δ < 1", b.Epsilon, b.Delta, maxEpsilon)
	}
	logDelta := math.Nextafter(math.Log(b.Delta), math.Inf(-1))
	fits := func(mu float64) bool { _, hi := logGaussianDelta(b.Epsilon, mu); return hi <= logDelta }
	lo, hi := 1.0, 2.0
	for !fits(lo) {
		if lo, hi = lo/2, lo; lo < 1e-300 {
			return 0, nil
		}
	}
	for fits(hi) {
		lo, hi = hi, hi*2
	}
	lo, _ = bisect(lo, hi, fits)
	return lo, nil
}

// gaussianEpsilonUp returns an ε ≥ the smallest with δ_G(ε; μ) ≤ δ.
func gaussianEpsilonUp(mu, delta float64) float64 {
	logDelta := math.Nextafter(math.Log(delta), math.Inf(-1))
	above := func(eps float64) bool { _, hi := logGaussianDelta(eps, mu); return hi > logDelta }
	if !(mu > 0) || !above(0) {
		return 0
	}
	hi := 1.0
	for above(hi) {
		hi *= 2
	}
	_, hi = bisect(0, hi, above)
	return hi
}

// gaussianEpsilonDown returns an ε ≤ the smallest with δ_G(ε; μ) ≤ δ.
func gaussianEpsilonDown(mu, delta float64) float64 {
	logDelta := math.Nextafter(math.Log(delta), math.Inf(1))
	above := func(eps float64) bool { lo, _ := logGaussianDelta(eps, mu); return lo > logDelta }
	if !(mu > 0) || !above(0) {
		return 0
	}
	hi := 1.0
	for above(hi) {
		hi *= 2
	}
	lo, _ := bisect(0, hi, above)
	return lo
}

// bisect narrows [lo, hi], where in(lo) and not in(hi), and keeps both facts.
func bisect(lo, hi float64, in func(float64) bool) (float64, float64) {
	for range 200 {
		mid := lo + (hi-lo)/2
		if !(mid > lo) || !(mid < hi) {
			break
		}
		if in(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, hi
}

// logGaussianDelta brackets log δ_G(ε; μ) for ε ≥ 0, μ > 0, where (Balle and Wang 2018, Thm 8;
// Dong, Roth and Su 2022, Cor. 2.13)
//
//	δ_G(ε; μ) = Φ(−a) − e^ε Φ(−b),  a = ε/μ − μ/2,  b = ε/μ + μ/2.
//
// With e^ε φ(b) = φ(a) and Mills' ratio R(x) = Φ(−x)/φ(x) this is φ(a)(R(a) − R(b)),
// whose terms neither overflow nor underflow where a ≥ 0.
func logGaussianDelta(eps, mu float64) (lo, hi float64) {
	s := eps / mu
	a, b := s-mu/2, s+mu/2
	if a > 1e6 {
		return math.Inf(-1), -1e11 // δ ≤ Φ(−a) ≤ e^(−a²/2), below every float64
	}
	// η bounds the relative error of both terms: 2⁻⁵² for each rounding of a, b (absolute errors
	// of about 2⁻⁵²·b move log φ by a·2⁻⁵²·b), of the exponential (a²/2) and of R (≤ 60 of them).
	eta := 0x1p-52 * (100 + a*a + math.Abs(a)*b)
	if a >= 0 {
		ra, rb := mills(a), mills(b)
		logPhi := -a*a/2 - math.Log(2*math.Pi)/2
		return logPhi + math.Log(max(0, ra*(1-eta)-rb*(1+eta))) - eta, logPhi + math.Log(ra*(1+eta)-rb*(1-eta)) + eta
	}
	p := math.Erfc(a/math.Sqrt2) / 2 // in [½, 1]
	q := math.Exp(-a*a/2) / math.Sqrt(2*math.Pi) * mills(b)
	return math.Log(max(0, p-q-eta*(p+q))) - eta, min(0, math.Log(p-q+eta*(p+q))+eta)
}

// mills returns R(x) = Φ(−x)/φ(x) for x ≥ 0.
func mills(x float64) float64 {
	if x < 5 {
		return math.Erfc(x/math.Sqrt2) / 2 * math.Exp(x*x/2) * math.Sqrt(2*math.Pi)
	}
	// Laplace's continued fraction 1/(x + 1/(x + 2/(x + 3/…))): 80 terms are exact from x = 5 on.
	t := x
	for k := 80.0; k >= 1; k-- {
		t = x + k/t
	}
	return 1 / t
}
