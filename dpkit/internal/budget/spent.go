package budget

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// Spent is what the steps of a chain take from the target of its release. The mechanism at the end
// is calibrated to what they leave.
type Spent struct {
	Events []accountant.Event
	Share  float64 // Σ of the shares of μ²
	Delta  float64 // Σ δ₀
	Whole  float64 // μ of the whole release
	Open   bool    // a private bound will change the sensitivities behind it
}

// Part is the μ of a query with that share.
func (s Spent) Part(share float64) float64 { return s.Whole * math.Sqrt(share) * (1 - 0x1p-50) }

// Mu is what is left to a mechanism with that target: μ(ε, δ − Σδ₀)·√(1 − Σ shares). Gaussian
// mechanisms compose by adding μ², adaptively too (Dong, Roth, Su 2022).
func (s Spent) Mu(target accountant.Budget) (float64, error) {
	mu, err := s.Total(target)
	if s.Share == 0 || err != nil {
		return mu, err
	}
	mu *= math.Sqrt(1-s.Share) * (1 - 0x1p-50)
	if s.Open { // see Widen
		mu *= 1 - 0x1p-30
	}
	return mu, nil
}

// Widen is the sensitivity at which a release behind a private bound is charged. The noise is drawn for
// the sensitivity that comes out, with the same μ up to the rounding of another grid: the charge
// is above it by far more than that, and mu below.
func (s Spent) Widen(sensitivity float64) float64 {
	if s.Open {
		return sensitivity * (1 + 0x1p-31)
	}
	return sensitivity
}

// Coarse is the event as it is charged behind a private bound: on the grid that comes out σ may have fewer steps, by which the sampler is
// further from the Gaussian law.
func (s Spent) Coarse(e accountant.Event) accountant.Event {
	if g, ok := e.(accountant.DiscreteGaussian); ok && s.Open {
		g.GridSigma /= 16
		return g
	}
	return e
}

// Total is μ(ε, δ − Σδ₀), for all noise of the release together.
func (s Spent) Total(target accountant.Budget) (float64, error) {
	if s.Delta > 0 {
		target.Delta = (target.Delta - s.Delta) * (1 - 0x1p-50)
		if !(target.Delta > 0) {
			return 0, fmt.Errorf("the tests of the chain may pass wrongly with probability %.6g together, want less than the release's δ; give them a smaller Delta: %w", s.Delta, kind.ErrParameter)
		}
	}
	return accountant.CalibrateShared(target)
}

// Compose returns the event of the whole release: the steps' queries, the failures of their tests, and e.
func (s Spent) Compose(e accountant.Event, rel accountant.Neighbours) accountant.Event {
	if len(s.Events) == 0 {
		return e
	}
	parts := append([]accountant.Event{}, s.Events...)
	if s.Delta > 0 {
		parts = append(parts, accountant.ApproxDP{Delta: s.Delta, Neighbours: rel})
	}
	return accountant.Compose(append(parts, e)...)
}
