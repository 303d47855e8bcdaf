package accountant

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// Losses is the exact law on the lattice for one coordinate and a grid of at most σ = 10000 steps. In
// other cases, where the worst vector of integers is not known or the Gaussian is near, the error wraps
// [ErrNoRoute], and the event is priced by [DiscreteGaussian.GDP].
func (g DiscreteGaussian) Losses(rel Neighbours) ([]LossLaw, error) {
	mu, err := g.nominal(rel)
	if err != nil {
		return nil, err
	}
	shift := g.integerShift()
	switch {
	case mu == 0 || shift == 0:
		return nil, nil // vectors that are closer than one grid step are equal
	case g.Coordinates > 1 || !(g.GridSigma >= 0.05 && g.GridSigma <= 10000) || !(shift <= 1e3*g.GridSigma):
		return nil, fmt.Errorf("accountant: %v: no law of its loss: %w", g, ErrNoRoute)
	}
	return one(pld.NewDiscreteGaussian(int(shift), g.GridSigma))
}
