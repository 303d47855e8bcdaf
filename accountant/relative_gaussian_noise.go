package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Sigma is the standard deviation of the noise on each coordinate where the query has that norm,
//
//	√(γ ‖q‖² + c γ R²/η²),
//
// for an absolute part R of the relative sensitivity. It is as secret as the norm.
func (r RelativeGaussian) Sigma(norm, absolute float64) float64 {
	return math.Sqrt(r.Gamma) * math.Hypot(norm, math.Sqrt(r.Matched)*absolute/r.Eta)
}

// Widened is a mechanism whose curve holds where the standard deviation that is drawn with is not s = [RelativeGaussian.Sigma]
// but any function of the data between s and (1 + excess) s: rounded up to the steps of a grid, say. Matched must be at least 1.
//
// Proof. With â the deviation over √γ, â ≥ a' = √(‖q‖² + R²/η²). The curve of η″ needs that distances are at most
// η″ min(â, b̂), and they are at most η min(a', b'); and that â/b̂ is within (1+η″)^{±1}, and it is within
// (1+η)(1+excess), which is 1 + η″. ∎ The error wraps [ErrParameter].
func (r RelativeGaussian) Widened(excess float64) (RelativeGaussian, error) {
	if err := r.validate(r.Neighbours); err != nil {
		return r, err
	}
	if !(excess >= 0 && excess <= 1) || !(r.Matched >= 1) {
		return r, fmt.Errorf("accountant: RelativeGaussian: widen: excess %g, matched %g: want an excess from 0 to 1 and matched at least 1: %w", excess, r.Matched, ErrParameter)
	}
	// η + (1+η) excess.
	r.Eta = quad.AddUp(r.Eta, quad.MulUp(quad.AddUp(1, r.Eta), excess))
	return r, nil
}

// NoiseComparison is the standard deviation on each coordinate of the relative and of the plain Gaussian mechanism at
// equal privacy.
type NoiseComparison struct {
	Relative float64 // at the given norm of the query
	Plain    float64 // at every norm
	// Crossing is the norm up to which the relative mechanism adds less noise: 0 where it never does.
	Crossing float64
}

// CompareRelativeGaussian returns the noise of n releases within the budget: of a query of that norm and relative sensitivity
// (r.Eta, absolute) by [RelativeGaussian], and of one of that ℓ2 sensitivity, by clipping or by a bound, by [Gaussian]. Which is
// better is a matter of the norm: the relative mechanism has no need of a bound on it. Both are priced by their Rényi
// curves. Errors are those of [CalibrateRelativeGaussian].
func CompareRelativeGaussian(b Budget, r RelativeGaussian, n int, norm, absolute, sensitivity float64) (NoiseComparison, error) {
	for _, f := range []struct {
		name string
		v    float64
	}{{"norm", norm}, {"absolute", absolute}, {"sensitivity", sensitivity}} {
		if !(f.v >= 0) || math.IsInf(f.v, 1) {
			return NoiseComparison{}, fmt.Errorf("accountant: RelativeGaussian: compare: %s: got %g, want a finite number, at least 0: %w", f.name, f.v, ErrParameter)
		}
	}
	r, err := CalibrateRelativeGaussian(b, r, n)
	if err != nil {
		return NoiseComparison{}, err
	}
	// The same route for both: the μ of n Gaussian releases by their Rényi curve.
	lo, hi := 0.0, 1.0
	fits := func(mu float64) bool {
		eps, _, err := gaussianCurve(mu).Epsilon(b.Delta)
		return err == nil && eps <= b.Epsilon
	}
	for fits(hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1e-9*hi {
		if mid := lo + (hi-lo)/2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	c := NoiseComparison{Relative: r.Sigma(norm, absolute), Plain: sensitivity * math.Sqrt(float64(n)) / lo}
	base := r.Sigma(0, absolute)
	c.Crossing = math.Sqrt(max(0, c.Plain*c.Plain-base*base) / r.Gamma)
	return c, nil
}
