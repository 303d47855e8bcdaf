package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussianSum is a release of Σ_i φ(z_i) + N(0, σ² I).
type GaussianSum struct {
	Output []float64 // what was released
	Sigma  float64   // σ, above 0
}

// Loss is the loss of a record with the contribution φ(z) to the given sum,
//
//	(‖o − q'‖² − ‖o − q‖²)/(2σ²) = (±2 φᵀ(o − q) + ‖φ‖²)/(2σ²),
//
// + and q' = q − φ for a member, − and q' = q + φ for another record. Errors wrap [ErrParameter].
func (g GaussianSum) Loss(sum, contribution []float64, member bool) (Curator[float64], error) {
	none := Curator[float64]{}
	if err := g.validate(len(sum), len(contribution)); err != nil {
		return none, err
	}
	inner := 0.0
	for j, phi := range contribution {
		inner += phi * (g.Output[j] - sum[j])
	}
	if !member {
		inner = -inner
	}
	variance := g.Sigma * g.Sigma
	loss := (inner + dot(contribution, contribution)/2) / variance
	if math.IsNaN(loss - loss) {
		return none, fmt.Errorf("pdp: GaussianSum: got an output, a sum or a contribution that is not finite or too large: %w", ErrParameter)
	}
	return sealed(loss), nil
}

// PDP is the per-instance privacy of a record before the run (Wang 2019): the least ε with (ε, δ)-DP between any
// data with the record and without it, that of the Gaussian mechanism at the sensitivity ‖φ(z)‖, rounded up. It
// does not depend on the other records and may be told to the owner of this one.
// Errors wrap [ErrParameter] or [accountant.ErrDelta].
func (g GaussianSum) PDP(contribution []float64, delta float64) (Curator[float64], error) {
	none := Curator[float64]{}
	if err := g.validate(len(g.Output), len(contribution)); err != nil {
		return none, err
	}
	norm := quad.Inflate(math.Sqrt(dot(contribution, contribution)), 0x1p-50*float64(len(contribution)+8))
	e := accountant.Gaussian{Sensitivity: norm, Sigma: g.Sigma, Neighbours: accountant.AddRemove}
	if math.IsNaN(norm - norm) {
		return none, fmt.Errorf("pdp: GaussianSum: got a contribution that is not finite: %w", ErrParameter)
	}
	bound, err := accountant.EpsilonOf(e, accountant.AddRemove, delta)
	if err != nil {
		return none, err
	}
	return sealed(bound.Epsilon), nil
}

func (g GaussianSum) validate(sum, contribution int) error {
	if !(g.Sigma > 0) || math.IsInf(g.Sigma, 1) {
		return fmt.Errorf("pdp: GaussianSum: sigma: got %g, want a positive finite number: %w", g.Sigma, ErrParameter)
	}
	if d := len(g.Output); d == 0 || sum != d || contribution != d {
		return fmt.Errorf("pdp: GaussianSum: got an output of %d, a sum of %d and a contribution of %d coordinates, want as many and at least one: %w",
			d, sum, contribution, ErrParameter)
	}
	return nil
}
