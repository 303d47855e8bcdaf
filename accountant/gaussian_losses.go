package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// Losses is the law of a shift by μ standard deviations, the same in all directions.
func (g Gaussian) Losses(rel Neighbours) ([]LossLaw, error) {
	mu, err := g.mu(rel)
	if err != nil {
		return nil, err
	}
	return gaussianLosses(mu)
}

func gaussianLosses(mu float64) ([]LossLaw, error) {
	switch {
	case mu == 0:
		return nil, nil
	case !(mu < 1e150):
		return []LossLaw{pld.Revealed()}, nil
	}
	law, err := pld.NewGaussian(max(mu, 1e-150))
	return one(law, err)
}

// one is the list of a law that holds in all directions.
func one(law LossLaw, err error) ([]LossLaw, error) {
	if err != nil {
		return nil, err
	}
	return []LossLaw{law}, nil
}

// integerShift returns the largest integer up to Δ in grid units, so far as Δ is known to rounding.
func (g DiscreteGaussian) integerShift() float64 {
	return math.Floor(g.Sensitivity / g.Sigma * g.GridSigma * (1 + 0x1p-40))
}
