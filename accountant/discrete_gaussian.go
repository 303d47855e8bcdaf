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
// coordinates (Canonne, Kamath, Steinke 2020, Proposition 5 and Theorem 14). The sampler has no tails that are cut off
// (internal/noise). Errors wrap [ErrNeighbours] or [ErrParameter].
func (g DiscreteGaussian) RDP(rel Neighbours) (Curve, error) {
	mu, err := g.nominal(rel)
	if err != nil {
		return nil, err
	}
	return gaussianCurve(mu), nil
}

// Profile is the least of that of the Gaussian pair of [DiscreteGaussian.GDP], of the Gaussian's plus (1 + e^ε) times the distance of the
// laws, which is less for coarse grids and large δ, and, for one coordinate with GridSigma up to 1000, the exact one of the lattice.
func (g DiscreteGaussian) Profile(rel Neighbours) (Profile, error) {
	mu, err := g.nominal(rel)
	if err != nil {
		return nil, err
	}
	profiles := []Profile{gaussianProfile(mu, min(1, quad.MulUp(float64(g.Coordinates), roundingDistance(g.GridSigma))))}
	if above, tv, err := g.GDP(rel); err == nil && tv == 0 {
		profiles = append(profiles, gaussianProfile(above, 0))
	}
	exact, err := g.repeated(rel, 1)
	switch {
	case err == nil:
		profiles = append(profiles, exact)
	case optional(err) != nil:
		return nil, err
	}
	return func(epsilon float64) float64 {
		least := 1.0
		for _, p := range profiles {
			least = min(least, p(epsilon))
		}
		return least
	}, nil
}

// GDP returns a μ with which the release is μ-GDP, exactly: Δ/σ and a little more, 3e-32 of it at GridSigma = 2^53. No distance of laws is
// left, so that it holds at every ε. Where GridSigma < 1 no μ is proved, and tv is 1.
//
// Claim: N_Z(0, s²) is μ-GDP for integer shifts of ℓ2 norm Δ, μ = (Δ/√(s² − r²))(1 + √(2π) τ s), with any 0 < r < s and
// τ = ln((1+θ)/(1−θ)), θ = 2 Σ_{i≥1} exp(−2π²r²i²).
//
// Proof. Let σ² = s² − r², f the density of N(0, σ²), and ρ(y) = Σ_k exp(−(k−y)²/2r²), which has period 1 and is within a factor 1 ± θ of a
// constant, by Poisson summation.
//
// (i) Let Y have the density g in proportion to f ρ, and given Y = y let K be the integer k with probability exp(−(k−y)²/2r²)/ρ(y). Then
// P(K = k) is in proportion to ∫ f(y) exp(−(k−y)²/2r²) dy, which is so to exp(−k²/2s²): K is N_Z(0, s²). As ρ has period 1, Y + j leads to
// K + j for an integer j. So the release is a function of Y + j, and it is enough to compare g with its shift by j ≥ 1.
//
// (ii) ln g(y)/g(y−j) = ln f(y)/f(y−j) falls in y, as ρ cancels. The best tests of one against the other are therefore the halflines y > t, of level
// 1 − G(t) and error G(t−j), G the distribution function of g. With ψ = Φ⁻¹∘G the trade-off is that of μ-GDP or more iff
// ψ(t) − ψ(t−j) ≤ μ for all t.
//
// (iii) |ψ(y) − y/σ| ≤ τ√(π/2). g is even, so that ψ is odd; let y > 0. Then g/f, normalised, is within e^±τ, hence the tail
// 1 − Φ(ψ(y)) within e^±τ of 1 − Φ(y/σ). The logarithm of the normal tail has at all z ≥ 0 a slope of at least √(2/π), that at 0, in size. So
// ψ(t) − ψ(t−j) ≤ j/σ + √(2π) τ ≤ (j/σ)(1 + √(2π) τ s).
//
// (iv) Coordinates are independent, those that do not move cost nothing, and μ² add (Dong, Roth, Su 2022, Corollary 2). ∎
func (g DiscreteGaussian) GDP(rel Neighbours) (mu, tv float64, err error) {
	if mu, err = g.nominal(rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if !(g.GridSigma >= 1) {
		return mu, 1, nil
	}
	return quad.MulUp(mu, latticeRatio(g.GridSigma)), 0, nil
}

// nominal is Δ/σ, rounded up.
func (g DiscreteGaussian) nominal(rel Neighbours) (mu float64, err error) {
	if err := g.Neighbours.match("DiscreteGaussian", rel); err != nil {
		return math.NaN(), err
	}
	if mu, err = noiseRatio("DiscreteGaussian", g.Sensitivity, g.Sigma); err != nil {
		return math.NaN(), err
	}
	if !(g.GridSigma >= 0) || math.IsInf(g.GridSigma, 1) {
		return math.NaN(), fmt.Errorf("accountant: DiscreteGaussian: grid sigma: got %g, want a finite number, at least 0: %w",
			g.GridSigma, ErrParameter)
	}
	if g.Coordinates < 1 {
		return math.NaN(), fmt.Errorf("accountant: DiscreteGaussian: coordinates: got %d, want at least 1: %w",
			g.Coordinates, ErrParameter)
	}
	return mu, nil
}

// latticeRatio is the factor (1 + √(2π) τ s)/√(1 − r²/s²) of [DiscreteGaussian.GDP], for s ≥ 1, at 2π²r² = 6 + 3 ln s, rounded up. There
// θ ≤ 2.00001 e⁻⁶/s³, τ ≤ 2.0001 θ, and √(2π) τ s ≤ 0.025/s².
func latticeRatio(s float64) float64 {
	u := quad.DivUp(1, s)
	u2 := quad.MulUp(u, u)
	r2 := quad.Inflate((6+3*math.Log(s))/(2*math.Pi*math.Pi), 0x1p-48)
	square := quad.MulUp(r2, u2) // r²/s², at most 0.31
	more := quad.MulUp(0.025, u2)
	if square < 0x1p-10 { // 1/√(1−x) ≤ 1 + x/2 + x²
		root := quad.AddUp(square/2, quad.MulUp(square, square))
		return quad.AddUp(1, quad.AddUp(quad.AddUp(root, more), quad.MulUp(root, more)))
	}
	return quad.MulUp(quad.Inflate(1/math.Sqrt(1-square), 0x1p-48), quad.AddUp(1, more))
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

// roundingDistance bounds the total variation of N_Z(0, s²) and of N(0, s²) rounded to integers; it is 1 for s < 1, where no bound is proved.
// Rounding commutes with integer shifts, so that a release with rounded noise is a function of the Gaussian mechanism.
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
func roundingDistance(s float64) float64 {
	if !(s >= 1) {
		return 1
	}
	u := quad.DivUp(1, s)
	u2 := quad.MulUp(u, u)
	return quad.AddUp(quad.MulUp(0.0201643, u2), quad.MulUp(0.0060542, quad.MulUp(u2, u)))
}
