package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// CalibrateGaussian returns the largest μ, rounded down, at which μ-GDP gives the budget: noise of
// σ = Δ/μ on a vector of L2 sensitivity Δ (Balle, Wang 2018, without their binary search's tolerance).
// Errors wrap [ErrEpsilon] or [ErrDelta].
func CalibrateGaussian(b Budget) (mu float64, err error) {
	return CalibrateGaussianTV(b, 0)
}

// CalibrateGaussianTV is CalibrateGaussian for a release whose noise is within the total-variation
// distance tv of the Gaussian law ([GDPer]): (1 + e^ε) tv of the budget's δ is set aside. The error
// wraps [ErrDelta] where nothing is left.
func CalibrateGaussianTV(b Budget, tv float64) (mu float64, err error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	if !(tv >= 0 && tv <= 1) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: total variation: got %g, want a number in [0, 1]: %w", tv, ErrParameter)
	}
	c := gaussianCalibrations.Of(gaussianTask{budget: b, tv: tv}, func() calibrated[float64] {
		mu, err := calibrateGaussianTV(b, tv)
		return calibrated[float64]{mu, err}
	})
	return c.event, c.err
}

// gaussianTask asks for the noise of a Gaussian release; those of a chain ask for the same again and again.
type gaussianTask struct {
	budget Budget
	tv     float64
}

var gaussianCalibrations memo.Memo[gaussianTask, calibrated[float64]]

func calibrateGaussianTV(b Budget, tv float64) (mu float64, err error) {
	reserve := tvCost(b.Epsilon, tv)
	left := b.Delta - reserve
	if !(left > 0) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: delta: got %g with total variation %g, want more than (1+e^ε)·tv = %g; draw on a finer grid: %w",
			b.Delta, tv, reserve, ErrDelta)
	}
	fits := func(mu float64) bool {
		return quad.AddUp(gaussianDelta(b.Epsilon, mu), reserve) <= b.Delta
	}
	logLeft := quad.Log(left)
	f := func(u float64) float64 { return quad.Log(gaussianDelta(b.Epsilon, math.Exp(u))) - logLeft }
	// For large ε or small δ the root is near √(2(ε + ln 1/δ)) − √(2 ln 1/δ); it brackets from there.
	t := math.Sqrt(-2 * logLeft)
	u := math.Log(2 * b.Epsilon / (math.Sqrt(2*b.Epsilon+t*t) + t))
	br, err := quad.Grow(f, quad.Bracket{Lo: u - 0.5, Hi: u + 0.5})
	if err == nil {
		br, err = quad.Brent(f, br)
	}
	if err != nil {
		return math.NaN(), fmt.Errorf("accountant: calibrate: budget %+v: no noise scale in the range of float64: %w: %w", b, ErrDelta, err)
	}
	mu = certify(math.Exp(br.Lo), -1, math.NaN(), fits)
	if !(mu > 0) || !fits(mu) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: budget %+v: no certified noise scale near μ = %g: %w", b, math.Exp(br.Lo), ErrDelta)
	}
	return mu, nil
}

// SamplerShare is the part of a budget's δ that a release and a ledger keep back for the
// total-variation distance between exact discrete samplers and the Gaussian law. On the grids in
// use that distance is below 1e-25, so that a millionth of δ is ample.
const SamplerShare = 0x1p-20

// CalibrateShared is [CalibrateGaussian] with [SamplerShare] of δ kept back. A release calibrated
// with it fits a ledger whose whole budget it asks for, because the ledger calibrates alike.
func CalibrateShared(b Budget) (mu float64, err error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	b.Delta *= 1 - SamplerShare
	return CalibrateGaussian(b)
}
