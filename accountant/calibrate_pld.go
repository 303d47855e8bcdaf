package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// CalibratePLDOptions tune [CalibratePLD]. The zero value asks for the defaults.
type CalibratePLDOptions struct {
	// RelTol is how far the ε of the noise that is returned may lie below the budget's, relatively, where the
	// search stops. 0 stands for 2e-4.
	RelTol float64
}

// CalibratePLD returns a noise scale σ at which the event of the family has the budget by [PLD]: its ε
// was computed at the σ that is returned. The cost of the family must fall as σ grows; if it does not the result is a
// valid noise scale, only not the least. Estimates of the ε give a start, and a secant in the
// logarithms ends after a few evaluations. Errors wrap [ErrEpsilon] or [ErrDelta] for a budget that is
// not one or that no noise meets, and are those of the family's events otherwise.
func CalibratePLD(b Budget, rel Neighbours, family func(sigma float64) Event, o CalibratePLDOptions) (sigma float64, err error) {
	if err := b.Validate(); err != nil {
		return math.NaN(), err
	}
	if family == nil {
		return math.NaN(), fmt.Errorf("accountant: calibrate: family: got nil, want a function: %w", ErrParameter)
	}
	if o.RelTol == 0 {
		o.RelTol = 2e-4
	}
	if !(o.RelTol > 1e-9 && o.RelTol < 1) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: relative tolerance: got %g, want a number in (1e-9, 1): %w", o.RelTol, ErrParameter)
	}
	s := lossSearch{budget: b, rel: rel, family: family, relTol: o.RelTol}
	start, err := s.start()
	if err != nil {
		return math.NaN(), err
	}
	return s.run(start)
}

// A lossSearch looks for ln σ with ln ε(σ) = ln ε − relTol/2.
type lossSearch struct {
	budget Budget
	rel    Neighbours
	family func(sigma float64) Event
	relTol float64
	slope  float64 // of ln ε in ln σ, estimated
}

// rough returns ln of the estimated over the wanted ε.
func (s *lossSearch) rough(u float64) (float64, error) {
	d, err := PLD(s.family(math.Exp(u)), s.rel)
	if err != nil {
		return math.NaN(), err
	}
	if d.directions[0].Revealing() {
		return math.Inf(1), nil
	}
	eps := 0.0
	for _, c := range d.directions {
		eps = max(eps, c.Rough(s.budget.Delta))
	}
	return math.Log(eps / s.budget.Epsilon), nil
}

// exact returns ln of the upper bound over the wanted ε.
func (s *lossSearch) exact(u float64) (float64, error) {
	d, err := PLD(s.family(math.Exp(u)), s.rel)
	if err != nil {
		return math.NaN(), err
	}
	upper, _, err := d.With(pld.Options{RelTol: s.relTol / 4, UpperOnly: true}).Epsilon(s.budget.Delta)
	return math.Log(upper / s.budget.Epsilon), err
}

// start bisects the estimates.
func (s *lossSearch) start() (u float64, err error) {
	lo, hi := 0.0, 0.0
	f, err := s.rough(0)
	for step := 1.0; err == nil && f > 0 && hi < 200; step *= 2 {
		lo, hi = hi, hi+step
		f, err = s.rough(hi)
	}
	for step := 1.0; err == nil && lo == hi && lo > -200; step *= 2 {
		if f, err = s.rough(lo - step); f > 0 {
			lo -= step
			break
		}
		lo, hi = lo-step, lo-step
	}
	if err != nil {
		return 0, err
	}
	flo, fhi := math.NaN(), math.NaN()
	for hi-lo > 0.02 {
		mid := (lo + hi) / 2
		if f, err = s.rough(mid); err != nil {
			return 0, err
		}
		if f > 0 {
			lo, flo = mid, f
		} else {
			hi, fhi = mid, f
		}
	}
	s.slope = (fhi - flo) / (hi - lo)
	if !(s.slope < -0.1 && s.slope > -50) {
		s.slope = -1
	}
	return (lo + hi) / 2, nil
}

func (s *lossSearch) run(u float64) (sigma float64, err error) {
	// Unsafe below lo, safe at hi.
	lo, hi := math.Inf(-1), math.Inf(1)
	flo, fhi := math.NaN(), math.NaN()
	aim := -s.relTol / 2
	for range 60 {
		f, err := s.exact(u)
		if err != nil {
			return math.NaN(), err
		}
		if f <= 0 {
			hi, fhi = u, f
			if f >= -s.relTol {
				break
			}
		} else {
			lo, flo = u, f
		}
		if hi-lo < s.relTol*1e-3 {
			break
		}
		slope := s.slope
		if secant := (fhi - flo) / (hi - lo); secant < -0.1 && secant > -1e3 {
			slope = secant
		}
		step := max(-1, min(1, (aim-f)/slope))
		if math.IsNaN(step) {
			step = 1
		}
		u += step
		if !(u > lo && u < hi) {
			u = (lo + hi) / 2
		}
		if u > 300 {
			break
		}
	}
	sigma = math.Exp(hi)
	if math.IsInf(sigma, 1) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: budget %+v: no noise scale was found that meets it: %w", s.budget, ErrDelta)
	}
	return sigma, nil
}
