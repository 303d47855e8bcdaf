package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// CalibrateGaussMix returns the least γ, rounded up, at which the exact profile of a [GaussMix] of k rows is
// within the budget under rel: noise of σ² = (γ−1) C² − λ, λ ≥ 0 a certified smallest eigenvalue of the
// common rows' Gram matrix (0 for all data). The profile was evaluated at the γ that is returned. Errors
// wrap [ErrEpsilon], [ErrDelta], [ErrNeighbours] or [ErrParameter].
func CalibrateGaussMix(b Budget, k int, rel Neighbours) (gamma float64, err error) {
	if err := rel.Validate(); err != nil {
		return math.NaN(), err
	}
	if k < 1 {
		return math.NaN(), fmt.Errorf("accountant: GaussMix: k: got %d, want at least 1 row: %w", k, ErrParameter)
	}
	c := mixCalibrations.Of(mixTask{b, k, rel}, func() calibrated[float64] {
		gamma, err := calibrateGaussMix(b, k, rel)
		return calibrated[float64]{gamma, err}
	})
	return c.event, c.err
}

type mixTask struct {
	budget Budget
	k      int
	rel    Neighbours
}

// mixCalibrations keeps the γ of rows alone: a plan whose steps displace rows starts from it.
var mixCalibrations memo.Memo[mixTask, calibrated[float64]]

func calibrateGaussMix(b Budget, k int, rel Neighbours) (gamma float64, err error) {
	mu, err := CalibrateGaussian(b)
	if err != nil {
		return math.NaN(), err
	}
	delta := func(gamma float64) float64 { return mixProfile(k, gamma-1, rel)(b.Epsilon) }
	// For large k the mixture is a Gaussian mechanism with μ = √(k/2)/γ, and √2 times that.
	rows := float64(k)
	if rel == ReplaceOne {
		rows *= 2
	}
	return leastNoise("GaussMix", b.Delta, 1, math.Sqrt(rows/2)/mu, delta)
}

// leastNoise returns the least base+s, rounded up, with delta(base+s) ≤ target, for a delta that falls with s;
// s is near start.
func leastNoise(event string, target, base, start float64, delta func(float64) float64) (float64, error) {
	logTarget := quad.Log(target)
	f := func(u float64) float64 { return quad.Log(delta(base+math.Exp(u))) - logTarget }
	u := math.Log(start)
	br, err := quad.Grow(f, quad.Bracket{Lo: u - 0.25, Hi: u + 0.25})
	if err == nil {
		br, err = quad.Brent(f, br)
	}
	if err != nil {
		return math.NaN(), fmt.Errorf("accountant: %s: calibrate: no noise in the range of float64 has delta %g: %w: %w", event, target, ErrDelta, err)
	}
	x := certify(math.Nextafter(base+math.Exp(br.Hi), math.Inf(1)), 1, math.NaN(), func(x float64) bool { return delta(x) <= target })
	if math.IsNaN(x) {
		return math.NaN(), fmt.Errorf("accountant: %s: calibrate: no certified noise near %g: %w", event, base+math.Exp(br.Hi), ErrDelta)
	}
	return x, nil
}
