package accountant

import (
	"fmt"
	"math"
)

// SGDPlan is a run of stochastic gradient descent: Steps times one [SubsampledGaussian].
type SGDPlan struct {
	C          float64    // bound on the norm of one row's gradient
	Sigma      float64    // standard deviation of the noise on the sum; 0 where it is calibrated
	Sampling   Sampling   // its rate is 0 where it is calibrated
	Steps      int        // 0 where they are calibrated
	Neighbours Neighbours // the relation of the target
	Shift      DisplacedRows
}

// Event is the whole run.
func (p SGDPlan) Event() Event {
	return Repeat(SubsampledGaussian{C: p.C, Sigma: p.Sigma, Sampling: p.Sampling, Neighbours: p.Neighbours, Shift: p.Shift}, p.Steps)
}

// calibrationTolerance is how far, relatively, a calibrated noise or rate may be from the edge of the budget.
const calibrationTolerance = 1e-6

// CalibrateSGD returns the least noise, from above to a relative 1e-6, with which the run keeps the budget by
// the Rényi curve of its steps at the best real order, or exactly where all rows are drawn. The run was
// priced at the noise that is returned. The plan's Sigma must be 0. Errors wrap [ErrEpsilon], [ErrDelta],
// [ErrNeighbours] or [ErrParameter].
func CalibrateSGD(b Budget, p SGDPlan) (sigma float64, err error) {
	if p.Sigma != 0 {
		return math.NaN(), fmt.Errorf("accountant: calibrate: sigma: got %g, want 0, as it is what is calibrated: %w", p.Sigma, ErrParameter)
	}
	if p.Sampling.none() || p.C == 0 {
		p.Sigma = 1
		return 0, p.check(b) // nothing is released
	}
	f, err := p.price(b, func(p SGDPlan, logX float64) SGDPlan {
		p.Sigma = math.Exp(logX)
		return p
	})
	if err != nil {
		return math.NaN(), err
	}
	start := p.C
	if free := p; p.Shift.Rows > 0 {
		free.Shift = DisplacedRows{} // costs less to price, and needs not much less noise
		if s, err := CalibrateSGD(b, free); err == nil && s > 0 {
			start = s
		}
	}
	logX, err := safeEdge(f, math.Log(start), 1)
	if err != nil {
		return math.NaN(), fmt.Errorf("accountant: calibrate: budget %+v: no noise in the range of float64: %w: %w", b, ErrDelta, err)
	}
	return math.Exp(logX), nil
}

// CalibrateSGDRate returns the largest rate of Poisson sampling, from below to a relative 1e-6, with which the
// run keeps the budget; see [CalibrateSGD]. The plan's rate must be 0.
func CalibrateSGDRate(b Budget, p SGDPlan) (rate float64, err error) {
	if p.Sampling != PoissonSampling(0) {
		return math.NaN(), fmt.Errorf("accountant: calibrate: sampling: got %v, want Poisson at rate 0, as the rate is what is calibrated: %w", p.Sampling, ErrParameter)
	}
	f, err := p.price(b, func(p SGDPlan, logX float64) SGDPlan {
		p.Sampling.Rate = min(1, math.Exp(logX))
		return p
	})
	if err != nil {
		return math.NaN(), err
	}
	if f(0) <= 0 {
		return 1, nil
	}
	logX, err := safeEdge(func(x float64) float64 {
		if x >= 0 {
			return f(0)
		}
		return f(x)
	}, math.Log(0.01), -1)
	if err != nil {
		return math.NaN(), fmt.Errorf("accountant: calibrate: budget %+v: no rate in the range of float64; add noise: %w: %w", b, ErrDelta, err)
	}
	return math.Exp(logX), nil
}

// CalibrateSGDSteps returns the largest number of steps with which the run keeps the budget; see
// [CalibrateSGD]. The plan's Steps must be 0. It is 0 where not even one step keeps it, and the
// largest int where any number does; above 2^53, or the largest int where that is less, it does not look.
func CalibrateSGDSteps(b Budget, p SGDPlan) (steps int, err error) {
	if p.Steps != 0 {
		return 0, fmt.Errorf("accountant: calibrate: steps: got %d, want 0, as they are what is calibrated: %w", p.Steps, ErrParameter)
	}
	p.Steps = 1
	if err := p.check(b); err != nil {
		return 0, err
	}
	if p.Sampling.none() || p.C == 0 {
		return math.MaxInt, nil
	}
	fits := func(n int) bool {
		p.Steps = n
		g, err := EpsilonOf(p.Event(), p.Neighbours, b.Delta)
		return err == nil && g.Epsilon <= b.Epsilon
	}
	const most = min(1<<53, math.MaxInt)
	if !fits(1) {
		return 0, nil
	}
	lo, hi := 1, 2
	for fits(hi) {
		if hi >= most {
			return most, nil
		}
		lo, hi = hi, hi+min(hi, most-hi)
	}
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, nil
}

func (p SGDPlan) check(b Budget) error {
	if err := b.Validate(); err != nil {
		return err
	}
	_, err := p.Event().RDP(p.Neighbours)
	return err
}

// price returns ln(ε/ε_target) of the plan as a function of the logarithm of the parameter that set puts in: +Inf
// where there is no bound.
func (p SGDPlan) price(b Budget, set func(p SGDPlan, logX float64) SGDPlan) (func(logX float64) float64, error) {
	if err := set(p, 0).check(b); err != nil {
		return nil, err
	}
	return func(logX float64) float64 {
		q := set(p, logX)
		g, err := EpsilonOf(q.Event(), p.Neighbours, b.Delta)
		if err != nil || math.IsNaN(g.Epsilon) {
			return math.Inf(1)
		}
		return math.Log(g.Epsilon / b.Epsilon)
	}, nil
}

// safeEdge finds where a monotone f changes its sign, rising for sign = -1 and falling for sign = 1, and returns
// a point within the tolerance where f ≤ 0 was seen.
func safeEdge(f func(float64) float64, start, sign float64) (float64, error) {
	// safe and unsafe bracket the edge; in the direction of sign it is safe.
	safe, unsafe := math.NaN(), math.NaN()
	var fs, fu float64
	x, fx := start, f(start)
	width := 1.0
	if a := math.Abs(fx); a < 4 {
		width = max(a, 1e-3) // ln ε changes at least about as much as the logarithm of the noise or the rate
	}
	for range 80 {
		if fx <= 0 {
			safe, fs = x, fx
			x -= sign * width
		} else {
			unsafe, fu = x, fx
			x += sign * width
		}
		if !math.IsNaN(safe) && !math.IsNaN(unsafe) {
			break
		}
		width *= 1.6
		fx = f(x)
	}
	if math.IsNaN(safe) || math.IsNaN(unsafe) {
		return math.NaN(), fmt.Errorf("no sign change from %g to %g", start, x)
	}
	// Illinois' method: the secant, with the value of an end that stays halved.
	side := 0
	for range 100 {
		if math.Abs(safe-unsafe) <= calibrationTolerance {
			break
		}
		m := (safe + unsafe) / 2
		if !math.IsInf(fs, 0) && !math.IsInf(fu, 0) && fu != fs {
			if s := safe - fs*(unsafe-safe)/(fu-fs); (s-safe)*(s-unsafe) < 0 {
				m = s
				// Stay off the ends, so that both close in.
				pad := 0.4 * calibrationTolerance
				m = max(min(safe, unsafe)+pad, min(m, max(safe, unsafe)-pad))
			}
		}
		if fm := f(m); fm <= 0 {
			safe, fs = m, fm
			if side == 1 {
				fu /= 2
			}
			side = 1
		} else {
			unsafe, fu = m, fm
			if side == -1 {
				fs /= 2
			}
			side = -1
		}
	}
	return safe, nil
}
