package dpkit

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// jointSteps are those of the scale of all noise in a doubling: noise is the least one to 0.07 %, and the same on every machine.
const jointSteps = 1 << 10

// calibration finds the noise of plans that are released together.
type calibration struct {
	j    *joint
	aims []aim
	rest float64 // δ without the failures of tests
	mu   float64 // μ*(ε, rest), 0 where all are pure
}

// calibrate settles all plans. Where each alone would use up the Gaussian μ* of the target, μ² is parted among them. Otherwise the scale c of all noise
// is looked for, from c = 1 up and down: the one that is taken was priced.
func (j *joint) calibrate() (*jointQuote, error) {
	aims, kept, err := j.aims()
	if err != nil {
		return nil, err
	}
	k := calibration{j: j, aims: aims, rest: j.target.Delta}
	if kept > 0 {
		k.rest = (k.rest - kept) * (1 - 0x1p-50)
	}
	for _, a := range aims {
		if a.pure {
			continue
		}
		if k.mu, err = accountant.CalibrateShared(Budget{Epsilon: j.target.Epsilon, Delta: k.rest}); err != nil {
			return nil, fmt.Errorf("dpkit: together: %w", err)
		}
		break
	}
	first, over, err := k.at(1)
	if err != nil {
		return nil, err
	}
	if k.gaussian(first) {
		for _, more := range []float64{0, 0x1p-42, 0x1p-36, 0x1p-30, 0x1p-24} { // for the rounding of many parts
			q, over, err := k.at(1 + more)
			if err != nil {
				return nil, err
			}
			if over <= 1 {
				return k.found(q)
			}
		}
	}
	return k.search(first, over)
}

// search brackets the least scale and halves the bracket; over is ε at c = 1 over the target's.
func (k *calibration) search(first *jointQuote, over float64) (*jointQuote, error) {
	const most = 40 * jointSteps
	at := func(step int) (*jointQuote, float64, error) {
		if step == 0 {
			return first, over, nil
		}
		return k.at(math.Exp2(float64(step) / jointSteps))
	}
	// ε falls about as the scale rises.
	lo, hi := math.MinInt32, math.MaxInt32
	var best *jointQuote
	var last error
	step, leap := 0, 8
	if !math.IsInf(over, 1) && over > 0 {
		step = int(math.Round(jointSteps * math.Log2(over)))
	}
	for {
		q, over, err := at(max(-most, min(most, step)))
		if err == nil && over <= 1 {
			hi, best = step, q
		} else {
			lo, last = step, err // noise that is too small to be drawn or priced counts as too little
		}
		switch {
		case hi == math.MaxInt32 && step >= most:
			return nil, errors.Join(last, fmt.Errorf("dpkit: together: no noise makes the plans meet (%g, %g) together: %w", k.j.target.Epsilon, k.j.target.Delta, ErrParameter))
		case hi == math.MaxInt32:
			step, leap = step+leap, 2*leap
		case lo == math.MinInt32 && step <= -most:
			return k.found(best)
		case lo == math.MinInt32:
			step, leap = step-leap, 2*leap
		case hi-lo <= 1:
			return k.found(best)
		default:
			step = lo + (hi-lo)/2
		}
	}
}

// gaussian says whether every plan is charged what its part of μ² is: Gaussian releases, and those that a Gaussian dominates at its
// whole μ.
func (k *calibration) gaussian(q *jointQuote) bool {
	for i, p := range q.parts {
		a := k.aims[i]
		if a.pure || a.failing {
			return false
		}
		rel := p.q.end.Before.Neighbours
		rest, _, err := accountant.SplitFailures(p.q.price.Event, rel)
		if err != nil || rest == nil {
			return false
		}
		mu, _, err := accountant.GDPOf(rest, rel)
		if err != nil || !(mu <= k.mu*math.Sqrt(a.share)*(1+1e-6)) {
			return false
		}
	}
	return true
}

// at prices the plans at a scale of all noise; over is the ε over the target's.
func (k *calibration) at(scale float64) (q *jointQuote, over float64, err error) {
	q = &jointQuote{scale: scale, parts: make([]jointPart, len(k.aims))}
	for i, a := range k.aims {
		epsilon, delta := k.target(a, scale)
		if len(k.aims) == 1 && scale == 1 { // the plan itself
			epsilon = k.j.target.Epsilon
			if !a.pure {
				delta = k.j.target.Delta
			}
		}
		if q.parts[i], err = k.j.settle(a, epsilon, delta); err != nil {
			return nil, math.Inf(1), k.j.at(i, err)
		}
	}
	if err := k.price(q); err != nil {
		return nil, math.Inf(1), err
	}
	return q, q.guarantee.Epsilon / k.j.target.Epsilon, nil
}

// target is that of a plan's part: for pure ones ε in proportion, for others the (ε, δ) of a Gaussian with its part of μ. Of a plan that is
// charged outside a failure in proportion to its δ, that is a part too.
func (k *calibration) target(a aim, scale float64) (epsilon, delta float64) {
	strength := math.Sqrt(a.share) / scale
	if a.pure {
		return k.j.target.Epsilon * strength, 0
	}
	delta = k.rest
	if a.failing {
		delta *= a.share
	}
	rel := k.j.s.neighbours
	for range 64 {
		g, err := accountant.EpsilonOf(accountant.Gaussian{Sensitivity: k.mu * strength, Sigma: 1, Neighbours: rel}, rel, delta*(1-accountant.SamplerShare))
		if err == nil && g.Epsilon > 1e-12 {
			epsilon = g.Epsilon
			break
		}
		delta /= 16 // so little is (0, δ)-DP
	}
	if a.kept > 0 {
		delta = quad.AddUp(delta*(1+0x1p-49), a.kept)
	}
	return epsilon, delta
}

// price composes the parts: by their Gaussian and Rényi routes, by the numerical accountant where all laws are known, and by the
// Gaussians that cover those without a law.
func (k *calibration) price(q *jointQuote) error {
	target := k.j.target
	rel := k.j.s.neighbours
	var parts []accountant.Event
	fail := 0.0
	scope := accountant.Scope{Kind: accountant.Unconditional}
	for _, p := range q.parts {
		rest, fails, err := accountant.SplitFailures(p.q.price.Event, rel)
		if err != nil {
			return fmt.Errorf("dpkit: together: %w", err)
		}
		if rest != nil {
			parts = append(parts, rest)
		}
		fail = quad.AddUp(fail, fails)
		scope = scope.Join(p.q.scope)
	}
	failing := func(e ...accountant.Event) accountant.Event {
		if fail > 0 {
			e = append(e, accountant.ApproxDP{Delta: fail, Neighbours: rel})
		}
		return accountant.Compose(e...)
	}
	q.event = failing(parts...)
	q.charged = q.event
	g, err := accountant.EpsilonOf(q.event, rel, target.Delta)
	if err == nil && !(g.Epsilon <= target.Epsilon) || !k.gaussian(q) {
		g, err = accountant.Best(q.event, rel, target.Delta, accountant.BestOptions{})
	}
	if err != nil {
		return fmt.Errorf("dpkit: together: %w", err)
	}
	if _, err := accountant.PLD(q.event, rel); err != nil && !k.gaussian(q) {
		if mu, tv, err := accountant.GDPOf(accountant.Compose(parts...), rel); err == nil {
			covers := []accountant.Event{accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}}
			// Laws within tv of such a pair differ by (1 + e^ε)·tv more, at the target's ε and below.
			if outside := quad.AddUp(fail, 2*(1+math.Exp(target.Epsilon))*tv); outside > 0 {
				covers = append(covers, accountant.ApproxDP{Delta: min(1, outside), Neighbours: rel})
			}
			if c, err := accountant.EpsilonOf(accountant.Compose(covers...), rel, target.Delta); err == nil && c.Epsilon <= target.Epsilon && c.Epsilon < g.Epsilon {
				g = c
				g.Route = "Gaussians that cover the parts"
			}
		}
	}
	g.Scope = scope
	q.guarantee = g
	return nil
}

// found is the quote with what a ledger is asked for.
func (k *calibration) found(q *jointQuote) (*jointQuote, error) {
	return q, nil
}
