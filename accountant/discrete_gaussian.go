package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// DiscreteGaussian is the release of a vector of integers, in units of a public grid, with
// independent discrete Gaussian noise in each coordinate (Canonne, Kamath, Steinke 2020):
// the law N_Z(0, s²) with P(k) ∝ exp(−k²/(2s²)), s = GridSigma. The vectors of neighbouring datasets must
// differ by integers in grid units, so that what is rounded to the grid is charged to the sensitivity.
type DiscreteGaussian struct {
	Sensitivity float64    // L2 sensitivity of the vector on the grid under Neighbours
	Sigma       float64    // parameter σ of the noise, in the same units
	Neighbours  Neighbours // the relation that the sensitivity was computed for
	GridSigma   float64    // the same σ in grid units
	Coordinates int        // length of the vector
}

var _ = registerLeaf[DiscreteGaussian]("discrete_gaussian")

// RDP is the Gaussian's, α Δ²/(2σ²): exactly at integer shifts of one coordinate, and as a sum over
// coordinates (Canonne, Kamath, Steinke 2020, Proposition 5 and Theorem 14). It is that of the exact law: a
// sampler that cuts the tails adds its total variation to δ, which no curve can hold (internal/noise: below 2^-738).
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (g DiscreteGaussian) RDP(rel Neighbours) (Curve, error) {
	mu, _, err := g.GDP(rel)
	if err != nil {
		return nil, err
	}
	return gaussianCurve(mu), nil
}

// Profile is the Gaussian's plus (1 + e^ε) tv, see [DiscreteGaussian.GDP]; for one coordinate with
// GridSigma up to 1000 it is the exact one of the lattice.
func (g DiscreteGaussian) Profile(rel Neighbours) (Profile, error) {
	mu, tv, err := g.GDP(rel)
	if err != nil {
		return nil, err
	}
	near := gaussianProfile(mu, tv)
	exact, err := g.repeated(rel, 1)
	if err != nil {
		return near, optional(err)
	}
	return func(epsilon float64) float64 { return min(near(epsilon), exact(epsilon)) }, nil
}

// GDP returns μ = Δ/σ and a bound tv on the total-variation distance between the noise and the
// Gaussian N(0, s²) rounded to the grid. Rounding commutes with integer shifts, so the release with
// rounded noise is a function of the Gaussian mechanism, hence μ-GDP; the noise that is drawn is
// within tv of it, summed over coordinates.
//
// Claim: for s ≥ 1, TV(N_Z(0, s²), round N(0, s²)) ≤ 0.0201643/s² + 0.0060542/s³.
//
// Proof. Let f be the density of N(0, s²), Z = Σ_k f(k), p_k = ∫ f over [k−½, k+½]. Then
// 2 TV = Σ|f(k)/Z − p_k| ≤ Σ|f(k) − p_k| + Σ f(k)|1/Z − 1| = Σ|f(k) − p_k| + (Z − 1), as Poisson
// summation gives Z = 1 + 2 Σ_{j≥1} exp(−2π²s²j²) ≥ 1.
//
// (i) Let f₂ be the second derivative of f. By the Peano form of the midpoint rule p_k − f(k) = ∫_{−½}^{½} K(t) f₂(k+t) dt with
// K(t) = ½(½ − |t|)² ≥ 0, so Σ|f(k) − p_k| ≤ ∫ K̄|f₂| for the periodic continuation K̄ of K. The mean
// of K̄ is 1/24, and its deviation from it has a periodic antiderivative within ±1/(72√3) (at
// w = ½ − t the antiderivative is w/24 − w³/6, extreme at w² = 1/12). Integration by parts against
// |f₂|, which is of bounded variation V, gives ∫ K̄|f₂| ≤ (1/24) ∫|f₂| + V/(72√3).
//
// (ii) With φ the standard density, f' rises from 0 to φ(1)/s² at −s, falls to −φ(1)/s² at s and
// returns: ∫|f₂| = 4 φ(1)/s². And |f₂(x)| = g(x/s)/s³ with g(z) = |z² − 1| φ(z), which has the maxima
// φ(0) at 0 and 2 φ(√3) at ±√3 and the zeros ±1: V = (2 φ(0) + 8 φ(√3))/s³.
//
// (iii) s³(Z − 1) falls for s ≥ 1, so Z − 1 ≤ 5.4e-9/s³. Summing up,
// TV ≤ (φ(1)/12)/s² + ((2 φ(0) + 8 φ(√3))/(144√3) + 2.7e-9)/s³, with φ(1)/12 = 0.02016422… and
// 0.00605414… + 2.7e-9 < 0.0060542. ∎
func (g DiscreteGaussian) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := g.Neighbours.match("DiscreteGaussian", rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if mu, err = noiseRatio("DiscreteGaussian", g.Sensitivity, g.Sigma); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if !(g.GridSigma >= 0) || math.IsInf(g.GridSigma, 1) {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: DiscreteGaussian: grid sigma: got %g, want a finite number, at least 0: %w",
			g.GridSigma, ErrParameter)
	}
	if g.Coordinates < 1 {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: DiscreteGaussian: coordinates: got %d, want at least 1: %w",
			g.Coordinates, ErrParameter)
	}
	return mu, min(1, quad.MulUp(float64(g.Coordinates), roundingDistance(g.GridSigma))), nil
}

// String names the mechanism, its sensitivity, noise, grid and size.
func (g DiscreteGaussian) String() string {
	plural := "s"
	if g.Coordinates == 1 {
		plural = ""
	}
	return fmt.Sprintf("DiscreteGaussian(sensitivity %.6g, sigma %.6g = %.6g grid steps, %d coordinate%s, %v)",
		g.Sensitivity, g.Sigma, g.GridSigma, g.Coordinates, plural, g.Neighbours)
}

// roundingDistance bounds TV(N_Z(0, s²), round N(0, s²)); it is 1 for s < 1, where no bound is proved.
func roundingDistance(s float64) float64 {
	if !(s >= 1) {
		return 1
	}
	u := quad.DivUp(1, s)
	u2 := quad.MulUp(u, u)
	return quad.AddUp(quad.MulUp(0.0201643, u2), quad.MulUp(0.0060542, quad.MulUp(u2, u)))
}
