package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// FeatureChoice holds the public constants of [LeastSquaresGradient] that suit rows of the law N(0, Σ), with C = Σ
// (Hendrikx, Mangold, Bellet 2025, Proposition 3, with corrected conditions). They are a matter of utility: privacy holds for
// rows of any law, and a test or a private bound decides about ρ.
type FeatureChoice struct {
	Leverage float64 // R_c² = 2d: what half of the law's mass is well below
	Strength float64 // ρ = ρ̄/2, ρ̄ = E min(χ²_d, R_c²)/d
	Ridge    float64 // μ over ‖Σ‖ with which A ⪰ ρ̄Σ but for a probability ν
	Rows     int     // least n with which the test of ρ then passes with probability 1 − δ at least
}

// ChooseGaussianFeatures returns the constants for n rows in d dimensions, a test at (ε, δ) by [TestThresholdLaplace], and a
// probability ν with which rows of the law may fail.
//
// With A ⪰ ρ̄C the test's statistic is at least ρ̄, and it passes but for the noise's tail δ where ρ̄/2 ≥ Δ (1 + 2 ln(1/(2δ))/ε),
// Δ = R_c²/n: n ≥ 2R_c² (1 + 2 ln(1/(2δ))/ε)/ρ̄. (The paper's condition is four times weaker than its proof, drops ρ̄, and has
// the test always pass, which Laplace noise does not.) The error wraps [ErrParameter], [ErrEpsilon] or [ErrDelta].
func ChooseGaussianFeatures(n, d int, test Budget, nu float64) (FeatureChoice, error) {
	switch {
	case n < 1:
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: n: got %d, want at least 1: %w", n, ErrParameter)
	case d < 1 || d > 1<<20:
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: d: got %d, want 1 to 2^20: %w", d, ErrParameter)
	case !(nu > 0 && nu < 1):
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: nu: got %g, want a probability in (0, 1): %w", nu, ErrParameter)
	case !(test.Epsilon > 0) || math.IsInf(test.Epsilon, 1):
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: epsilon of the test: got %g, want a positive finite number: %w", test.Epsilon, ErrEpsilon)
	case !(test.Delta > 0 && test.Delta <= 0.5):
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: delta of the test: got %g, want a probability above 0, at most 1/2: %w", test.Delta, ErrDelta)
	}
	c := FeatureChoice{Leverage: 2 * float64(d)}
	c.Strength = GaussianStrength(d, c.Leverage)
	c.Ridge = 4 * c.Leverage * math.Sqrt(math.Log(2*float64(d)/nu)/float64(n))
	need := c.Leverage * (1 + 2*math.Log(1/(2*test.Delta))/test.Epsilon) / c.Strength
	rows := math.Ceil(max(need, 4*math.Log(2*float64(d)/nu)/9))
	if !(rows < math.MaxInt) {
		return FeatureChoice{}, fmt.Errorf("accountant: Gaussian features: got a test that %g rows pass, want fewer than %d: raise its ε: %w", rows, math.MaxInt, ErrEpsilon)
	}
	c.Rows = int(rows)
	return c, nil
}

// GaussianStrength is ρ = E min(χ²_d, R_c²)/(2d) = (d F_{d+2}(R_c²) + R_c² (1 − F_d(R_c²)))/(2d), F_k the distribution function
// of χ²_k: half of what clipping to xᵀΣ⁻¹x ≤ R_c² leaves of the covariance of N(0, Σ). NaN outside d ≥ 1, R_c² > 0.
func GaussianStrength(d int, leverage float64) float64 {
	if d < 1 || !(leverage > 0) {
		return math.NaN()
	}
	k := float64(d)
	return (k*math.Exp(quad.LogChiSquareCDF(leverage, d+2)) + leverage*math.Exp(quad.LogChiSquareSF(leverage, d))) / (2 * k)
}
