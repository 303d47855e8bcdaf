package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
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
// noise allows one that is 38 times smaller at (1, 1e-6) and 300 times at (0.1, 1e-6).
const noiseForLambda = 8.0 / 7

// CalibrateLogisticPerturbation returns p with the least noise, rounded up, at which it is μ-GDP under p.Neighbours;
// p.Sigma is ignored. With p.Lambda = 0 it is σ = (8/7)·C/μ, and Λ the least that allows it, rounded up, or, where that is not below, at a large μ,
// the σ = C/μ and Λ = 2σ² of the theorem. The result was priced again. Errors wrap [ErrNeighbours] or [ErrParameter].
func CalibrateLogisticPerturbation(mu float64, p LogisticPerturbation) (LogisticPerturbation, error) {
	p.Sigma = 0 // not read
	c := logisticCalibrations.Of(calibration[LogisticPerturbation]{mu, p}, func() calibrated[LogisticPerturbation] {
		e, err := calibrateLogisticPerturbation(mu, p)
		return calibrated[LogisticPerturbation]{e, err}
	})
	return c.event, c.err
}

var logisticCalibrations memo.Memo[calibration[LogisticPerturbation], calibrated[LogisticPerturbation]]

// calibrateLogisticPerturbation searches in units of a power of two near C, so that what it finds is the same in every unit of rows.
func calibrateLogisticPerturbation(mu float64, p LogisticPerturbation) (LogisticPerturbation, error) {
	inUnit := p
	_, unit := math.Frexp(p.C)
	inUnit.C, inUnit.Lambda = math.Ldexp(p.C, -unit), math.Ldexp(p.Lambda, -2*unit)
	if math.Ldexp(inUnit.Lambda, 2*unit) != p.Lambda { // beyond what a float64 holds
		inUnit, unit = p, 0
	}
	c, sigma, lambda, err := leastLogisticPerturbation(mu, inUnit)
	if err != nil { // which names the numbers as they were given
		_, _, _, err = leastLogisticPerturbation(mu, p)
		return p, err
	}
	given := p.Lambda
	p.Sigma, p.Lambda = math.Ldexp(sigma, unit), math.Ldexp(lambda, 2*unit)
	if err = c.certify(mu, p); given != 0 {
		return p, err
	}
	// At a large μ more noise buys little or nothing: there the least noise of all is taken, at Λ = 2σ².
	plain := p
	plain.Sigma = c.unit(mu) * math.Ldexp(1, unit)
	plain.Lambda = 2 * plain.Sigma * plain.Sigma * (1 + 0x1p-40)
	if err != nil || p.Lambda >= plain.Lambda {
		p, err = plain, c.certify(mu, plain)
	}
	return p, err
}

// leastLogisticPerturbation finds σ and Λ, and the search by which they are certified.
func leastLogisticPerturbation(mu float64, p LogisticPerturbation) (c composable, sigma, lambda float64, err error) {
	set := func(sigma, lambda float64) ObjectivePerturbation {
		at := p
		at.Sigma, at.Lambda = sigma, lambda
		return at.objective()
	}
	within := func(row, sigma, lambda float64) bool {
		l, err := set(sigma, lambda).loss(p.Neighbours)
		if err != nil || l.s > row {
			return false
		}
		if p.Lambda != 0 {
			return l.dominatedBy(row)
		}
		return logisticBends.dominatedBy(row, l)
	}
	c = composable{name: "LogisticPerturbation", neighbours: p.Neighbours, reach: p.C, given: p.Lambda, least: p.C * p.C / 1024, within: within}
	sigma, lambda, err = c.calibrate(mu, func(sigma, lambda float64) error {
		_, err := set(sigma, lambda).loss(p.Neighbours)
		return err
	})
	return c, sigma, lambda, err
}

// composable finds the noise of an objective perturbation that a Gaussian pair dominates.
type composable struct {
	name       string
	neighbours Neighbours
	reach      float64 // bound on the norm of a row's gradient
	given      float64 // Λ; 0: the least that is of use
	least      float64 // of Λ
	most       float64 // of Λ; 0: 2σ²
	// within reports that μ = row covers one row that is added or removed.
	within func(row, sigma, lambda float64) bool
}

// calibrate returns σ and Λ; check reports parameters that are out of range.
func (c composable) calibrate(mu float64, check func(sigma, lambda float64) error) (sigma, lambda float64, err error) {
	if !(mu > 0) || math.IsInf(mu, 1) {
		return 0, 0, fmt.Errorf("accountant: %s: calibrate: μ: got %g, want a positive finite number: %w", c.name, mu, ErrParameter)
	}
	if lambda = c.given; lambda == 0 {
		lambda = 1
	}
	if err := check(1, lambda); err != nil {
		return 0, 0, err
	}
	row, unit := c.row(mu), c.unit(mu)
	if c.given != 0 {
		sigma = leastOf(unit, 64*unit, func(sigma float64) bool { return c.within(row, sigma, lambda) })
	} else {
		sigma = noiseForLambda * unit
		most := c.most
		if most == 0 {
			most = 2 * sigma * sigma * (1 + 0x1p-40)
		}
		lambda = leastOf(c.least, most, func(lambda float64) bool { return c.within(row, sigma, lambda) })
	}
	if !(sigma > 0 && lambda > 0) || math.IsInf(sigma, 1) || math.IsInf(lambda, 1) {
		advice := "ask for a smaller μ"
		if c.given != 0 {
			advice = "regularise more, or leave it at 0"
		}
		err = fmt.Errorf("accountant: %s: calibrate: lambda: no noise gives %g-GDP with it; %s: %w", c.name, mu, advice, ErrParameter)
	}
	return sigma, lambda, err
}

// row is the μ of one row added or removed, with room for the rounding of cover.
func (c composable) row(mu float64) float64 {
	if c.neighbours == ReplaceOne {
		mu /= 2
	}
	return mu * (1 - 0x1p-15)
}

// unit is the noise of a Gaussian release of that μ.
func (c composable) unit(mu float64) float64 { return quad.DivUp(c.reach, c.row(mu)) }

// certify prices the result again.
func (c composable) certify(mu float64, e GDPer) error {
	if got, _, err := e.GDP(c.neighbours); err != nil || !(got <= mu) {
		return fmt.Errorf("accountant: %s: calibrate: %v: no certified noise near it for μ = %g: %w", c.name, e, mu, ErrParameter)
	}
	return nil
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
