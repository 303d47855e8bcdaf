package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// LogisticPerturbation is [ObjectivePerturbation] with the logistic loss, under the same conditions, priced as the
// Gaussian pair that dominates it: so it adds up with Gaussian releases in compositions, filters and ledgers. Alone,
// the profile of an [ObjectivePerturbation] is better.
//
// It is (C/σ)-GDP where Λ ≥ 2σ². With a little more noise far less Λ is enough: see
// [CalibrateLogisticPerturbation].
type LogisticPerturbation struct {
	C          float64 // bound on the rows' norms
	Sigma      float64 // standard deviation of the linear term's coefficients; 0 costs +Inf
	Lambda     float64 // Λ, above 0
	Neighbours Neighbours
}

var _ = registerLeaf[LogisticPerturbation]("logistic_perturbation")

// GDP is the least μ, rounded up, of a Gaussian pair whose profile is nowhere below that of the release; the total
// variation is 0. Errors wrap [ErrNeighbours] or [ErrParameter].
func (p LogisticPerturbation) GDP(rel Neighbours) (mu, tv float64, err error) {
	mu, err = p.objective().gaussianCover(rel)
	return mu, 0, err
}

// RDP is the Gaussian's. Errors wrap [ErrNeighbours] or [ErrParameter].
func (p LogisticPerturbation) RDP(rel Neighbours) (Curve, error) {
	mu, _, err := p.GDP(rel)
	if err != nil {
		return nil, err
	}
	return gaussianCurve(mu), nil
}

// String names the mechanism and its parameters.
func (p LogisticPerturbation) String() string {
	return fmt.Sprintf("LogisticPerturbation(C %.6g, sigma %.6g, lambda %.6g, %v)", p.C, p.Sigma, p.Lambda, p.Neighbours)
}

func (p LogisticPerturbation) objective() ObjectivePerturbation {
	return ObjectivePerturbation{C: p.C, Sigma: p.Sigma, Lambda: p.Lambda, Neighbours: p.Neighbours}
}

// noiseForLambda is σ in units of C/μ where Λ is left to the library. At 1 the theorem asks for Λ = 2C²/μ²; a seventh more
// noise allows one that is 8 times smaller at (1, 1e-6) and 60 times at (0.1, 1e-6), and more noise gains little.
const noiseForLambda = 8.0 / 7

// CalibrateLogisticPerturbation returns p with the least noise, rounded up, at which it is μ-GDP under p.Neighbours;
// p.Sigma is ignored. With p.Lambda = 0 it is σ = (8/7)·C/μ, and Λ the least that allows it, rounded up. The result was
// priced again. Errors wrap [ErrNeighbours] or [ErrParameter].
func CalibrateLogisticPerturbation(mu float64, p LogisticPerturbation) (LogisticPerturbation, error) {
	if !(mu > 0) || math.IsInf(mu, 1) {
		return p, fmt.Errorf("accountant: LogisticPerturbation: calibrate: μ: got %g, want a positive finite number: %w", mu, ErrParameter)
	}
	given := p.Lambda != 0
	if !given {
		p.Lambda = 1
	}
	p.Sigma = 1
	if _, err := p.objective().loss(p.Neighbours); err != nil {
		return p, err
	}
	row := mu // of one row added or removed
	if p.Neighbours == ReplaceOne {
		row /= 2
	}
	row *= 1 - 0x1p-15 // room for the rounding of cover
	unit := quad.DivUp(p.C, row)
	within := func(sigma, lambda float64) bool {
		at := p
		at.Sigma, at.Lambda = sigma, lambda
		l, err := at.objective().loss(p.Neighbours)
		return err == nil && l.s <= row && l.dominatedBy(row)
	}
	if given {
		p.Sigma = leastOf(unit, 64*unit, func(sigma float64) bool { return within(sigma, p.Lambda) })
	} else {
		p.Sigma = noiseForLambda * unit
		p.Lambda = leastOf(p.C*p.C/1024, 2*p.Sigma*p.Sigma*(1+0x1p-40), func(lambda float64) bool { return within(p.Sigma, lambda) })
	}
	if !(p.Sigma > 0 && p.Lambda > 0) || math.IsInf(p.Sigma, 1) || math.IsInf(p.Lambda, 1) {
		return p, fmt.Errorf("accountant: LogisticPerturbation: calibrate: lambda: no noise gives %g-GDP with it; regularise more, or leave it at 0: %w", mu, ErrParameter)
	}
	if got, _, err := p.GDP(p.Neighbours); err != nil || !(got <= mu) {
		return p, fmt.Errorf("accountant: LogisticPerturbation: calibrate: no certified noise near %g for μ = %g: %w", p.Sigma, mu, ErrParameter)
	}
	return p, nil
}

// leastOf returns a number in [lo, hi] that is ok, within 1e-5 of the least where ok does not change twice; NaN where
// hi is not.
func leastOf(lo, hi float64, ok func(float64) bool) float64 {
	if ok(lo) {
		return lo
	}
	if !ok(hi) {
		return math.NaN()
	}
	for hi > lo*(1+1e-5) {
		if mid := math.Sqrt(lo) * math.Sqrt(hi); ok(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
