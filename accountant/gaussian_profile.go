package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// profileMargin covers the relative error of gaussianDelta before it is rounded up: the worst
// one seen against high-precision values is 1e-15 (testdata/gaussian_profile.json).
const profileMargin = 0x1p-46

// gaussianDelta returns the profile of one shift of a Gaussian by μ standard deviations,
//
//	δ(ε) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ)
//
// (Balle, Wang 2018, Theorem 8), for real ε and μ ≥ 0, rounded up: relative error below 1e-13 down to
// the smallest normal number. A NaN gives 1.
//
// With x = ε/μ − μ/2 and M the Mills ratio both terms share the density φ(x):
// δ = φ(x) (M(x) − M(x+μ)), as e^ε φ(x+μ) = φ(x). Where the two ratios are close, their difference
// is the integral of a positive function,
//
//	M(x) − M(x+μ) = ∫₀^∞ exp(−xu − u²/2) (1 − e^{−μu}) du.
func gaussianDelta(epsilon, mu float64) float64 {
	switch {
	case math.IsNaN(epsilon) || !(mu >= 0):
		return 1
	case mu == 0 || math.IsInf(epsilon, 1):
		return max(0, -math.Expm1(epsilon))
	case math.IsInf(mu, 1) || math.IsInf(epsilon, -1):
		return 1
	}
	delta := gaussianDrop(math.Abs(epsilon), mu)
	if epsilon < 0 {
		// The shift is symmetric, so δ(ε) = 1 − e^ε + e^ε δ(−ε), a sum of positive terms.
		delta = math.Exp(epsilon)*delta - math.Expm1(epsilon)
	}
	return min(1, quad.Inflate(max(0, delta), profileMargin))
}

// gaussianDrop is gaussianDelta for finite ε ≥ 0 and μ > 0, before it is rounded up.
func gaussianDrop(epsilon, mu float64) float64 {
	x, rest := gaussianOffset(epsilon, mu)
	switch {
	case x > 0 && math.IsInf(x*x, 1):
		return 0
	case x < 0 && mu > 1:
		return quad.NormalCDF(-x) - quad.NormalPDF(x, rest)*quad.Mills(x+mu)
	case quad.Mills(x+mu) < quad.Mills(x)/2:
		return quad.NormalPDF(x, rest) * (quad.Mills(x) - quad.Mills(x+mu))
	default:
		return quad.NormalPDF(x, rest) * millsDrop(x, mu)
	}
}

// gaussianOffset returns x = ε/μ − μ/2 as a float64 and a correction to it: the density has the
// condition number x² there.
func gaussianOffset(epsilon, mu float64) (x, rest float64) {
	q := epsilon / mu
	if math.IsInf(q, 0) {
		return q, 0
	}
	r := math.FMA(-q, mu, epsilon) / mu
	h := mu / 2
	d := q - h
	t := d - q
	r += (q - (d - t)) - (h + t)
	// Where q and h cancel the correction is no longer small beside d: add it in.
	x = d + r
	return x, (d - x) + r
}

// millsDrop returns M(x) − M(x+μ) for x above about −1, by quadrature where the exponential is
// above e^-45.
func millsDrop(x, mu float64) float64 {
	const depth = 45
	end := 2 * depth / (x + math.Sqrt(x*x+2*depth)) // x u + u²/2 = depth
	var u, drop [quad.Nodes]float64
	quad.Place(&u, 0, end)
	for i, v := range &u {
		u[i], drop[i] = -v*(x+v/2), -mu*v
	}
	quad.Exps(u[:])
	quad.Expm1s(drop[:])
	for i, v := range &drop {
		u[i] = -u[i] * v
	}
	return quad.Integral(&u, 0, end)
}
