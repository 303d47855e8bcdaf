package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Gaussian is the release of a vector with independent real-valued Gaussian noise in each
// coordinate. A program that rounds or samples on a grid releases a [DiscreteGaussian].
type Gaussian struct {
	Sensitivity float64    // L2 sensitivity of the vector under Neighbours
	Sigma       float64    // standard deviation of the noise, in the same units; 0 costs +Inf
	Neighbours  Neighbours // the relation that the sensitivity was computed for
}

var _ = registerLeaf[Gaussian]("gaussian")

// RDP is α Δ²/(2σ²) (Mironov 2017, Corollary 3). Errors wrap [ErrNeighbours] or [ErrParameter].
func (g Gaussian) RDP(rel Neighbours) (Curve, error) {
	mu, err := g.mu(rel)
	if err != nil {
		return nil, err
	}
	return gaussianCurve(mu), nil
}

// Profile is the exact profile of the Gaussian mechanism (Balle, Wang 2018, Theorem 8; docs/theory/mechanisms.md#gaussian-noise).
func (g Gaussian) Profile(rel Neighbours) (Profile, error) {
	mu, err := g.mu(rel)
	if err != nil {
		return nil, err
	}
	return gaussianProfile(mu, 0), nil
}

// GDP returns μ = Δ/σ and no distance: the release is exactly μ-GDP (Dong, Roth, Su 2022, Theorem 1).
func (g Gaussian) GDP(rel Neighbours) (mu, tv float64, err error) {
	mu, err = g.mu(rel)
	return mu, 0, err
}

// String names the mechanism, its sensitivity and its noise.
func (g Gaussian) String() string {
	return fmt.Sprintf("Gaussian(sensitivity %.6g, sigma %.6g, %v)", g.Sensitivity, g.Sigma, g.Neighbours)
}

// mu returns Δ/σ, rounded up: 0 for a release that does not depend on the data, +Inf without noise.
func (g Gaussian) mu(rel Neighbours) (float64, error) {
	if err := g.Neighbours.match("Gaussian", rel); err != nil {
		return math.NaN(), err
	}
	return noiseRatio("Gaussian", g.Sensitivity, g.Sigma)
}

// noiseRatio checks a sensitivity and a noise scale and divides them, rounding up.
func noiseRatio(event string, sensitivity, sigma float64) (float64, error) {
	if !(sensitivity >= 0) || math.IsInf(sensitivity, 1) {
		return math.NaN(), fmt.Errorf("accountant: %s: sensitivity: got %g, want a finite number, at least 0; clip the contributions: %w",
			event, sensitivity, ErrParameter)
	}
	if !(sigma >= 0) || math.IsInf(sigma, 1) {
		return math.NaN(), fmt.Errorf("accountant: %s: sigma: got %g, want a finite number, at least 0: %w", event, sigma, ErrParameter)
	}
	switch {
	case sensitivity == 0:
		return 0, nil
	case sigma == 0:
		return math.Inf(1), nil
	}
	return quad.DivUp(sensitivity, sigma), nil
}

// gaussianCurve is the RDP of one shift by μ standard deviations.
func gaussianCurve(mu float64) Curve {
	half := quad.MulUp(mu, mu) / 2
	if half == 0 && mu > 0 {
		half = math.SmallestNonzeroFloat64
	}
	return func(alpha float64) float64 {
		if !(alpha > 0) {
			return math.Inf(1)
		}
		return quad.MulUp(alpha, half)
	}
}

// gaussianProfile is the profile of μ-GDP up to a total-variation distance tv on either side: for
// laws P, Q within tv of P₀, Q₀,
//
//	P(S) ≤ P₀(S) + tv ≤ e^ε Q₀(S) + δ(ε) + tv ≤ e^ε Q(S) + δ(ε) + (1 + e^ε) tv.
//
// The last term rises with ε, but a promise at a smaller ε holds at a larger one. The bound is
// convex in e^ε with the slope tv − Φ(−μ/2 − ε/μ), so its least value is at ε = μ(−Φ⁻¹(tv) − μ/2);
// from there on it is kept. Any ε would be sound there.
func gaussianProfile(mu, tv float64) Profile {
	if tv == 0 {
		return func(epsilon float64) float64 { return gaussianDelta(epsilon, mu) }
	}
	if !(tv < 0.5) || math.IsInf(mu, 1) {
		return func(float64) float64 { return 1 }
	}
	bottom := mu * (-quad.NormalQuantile(tv) - mu/2)
	return func(epsilon float64) float64 {
		if math.IsNaN(epsilon) {
			return 1
		}
		// Below 0 the envelope would not reach ε; there the sum at ε itself is the bound.
		epsilon = min(epsilon, max(bottom, 0))
		return min(1, quad.AddUp(gaussianDelta(epsilon, mu), tvCost(epsilon, tv)))
	}
}

// tvCost is (1 + e^ε) tv, rounded up.
func tvCost(epsilon, tv float64) float64 {
	if tv == 0 {
		return 0
	}
	return quad.MulUp(tv, quad.Inflate(1+math.Exp(epsilon), 0x1p-50))
}
