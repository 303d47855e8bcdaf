package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// RDPFor returns the largest Rényi divergence at the order α > 1, rounded down, which gives the budget,
//
//	D = ε − ln(1 − 1/α) + (ln α + ln δ)/(α − 1),
//
// the inverse of [Curve.EpsilonAt]; ε at α = +Inf. The error wraps [ErrEpsilon], [ErrDelta] or [ErrOrder],
// or [ErrBudget] where the order is too low for any divergence above 0: take a higher one.
func RDPFor(b Budget, alpha float64) (float64, error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	if !(alpha > 1) {
		return math.NaN(), fmt.Errorf("accountant: budget: order: got %g, want a number above 1: %w", alpha, ErrOrder)
	}
	logDelta := quad.Log(b.Delta)
	d := rdpFor(b.Epsilon, logDelta, alpha)
	if d > 0 {
		d = certify(d, -1, 0, func(d float64) bool { return constant(d).epsilonAt(alpha, logDelta) <= b.Epsilon })
	}
	if !(d > 0) {
		return math.NaN(), fmt.Errorf("accountant: budget %+v: order: got %g, at which no divergence gives it, want a higher one: %w", b, alpha, ErrBudget)
	}
	return d, nil
}

// RhoFor returns the largest ρ, rounded down, for which ρ-zCDP gives the budget at its best order: the
// inverse of [EpsilonOf] a [ZCDP]. Errors wrap [ErrEpsilon] or [ErrDelta].
// The inverse for Gaussian DP is [CalibrateGaussian].
func RhoFor(b Budget) (rho float64, err error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	logDelta := quad.Log(b.Delta)
	alpha, least := minimizeOrder(func(alpha float64) float64 { return -rdpFor(b.Epsilon, logDelta, alpha) / alpha })
	// At that order, and at the one that a price is found at: that search may end beside it.
	rho = certify(-least, -1, math.NaN(), func(rho float64) bool {
		if !(rho > 0 && zcdpCurve(rho).epsilonAt(alpha, logDelta) <= b.Epsilon) {
			return false
		}
		eps, _, err := zcdpCurve(rho).Epsilon(b.Delta)
		return err == nil && eps <= b.Epsilon
	})
	if !(rho > 0) {
		return math.NaN(), fmt.Errorf("accountant: budget %+v: no rate of zCDP in the range of float64: %w", b, ErrDelta)
	}
	return rho, nil
}

// rdpFor is RDPFor before rounding; it may be negative.
func rdpFor(epsilon, logDelta, alpha float64) float64 {
	if math.IsInf(alpha, 1) {
		return epsilon
	}
	return epsilon - math.Log1p(-1/alpha) + (math.Log1p(alpha-1)+logDelta)/(alpha-1)
}

func constant(d float64) Curve { return func(float64) float64 { return d } }
