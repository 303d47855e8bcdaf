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
	if len(j.members) == 1 {
		return j.alone()
	}
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
		q := first
		for _, more := range []float64{0x1p-42, 0x1p-36, 0x1p-30, 0x1p-24} { // for the rounding of many parts
			if over <= 1 && k.fits(q) {
				return q, nil
			}
			if q, over, err = k.at(1 + more); err != nil {
				return nil, err
			}
		}
	}
	return k.search(first, over)
}

// alone is one plan: as it would be released by itself with that target, at δ = 0 where it takes no δ.
func (j *joint) alone() (*jointQuote, error) {
	a := aim{pl: j.members[0], share: 1}
	p, err := j.settle(a, j.target.Epsilon, j.target.Delta)
	if err != nil && j.target.Delta > 0 {
		if pure, perr := j.settle(a, j.target.Epsilon, 0); perr == nil {
			p, err = pure, nil
		}
	}
	if err != nil {
		return nil, j.at(0, err)
	}
	return &jointQuote{parts: []jointPart{p}, scale: 1, event: p.q.price.Event, guarantee: p.q.price.Guarantee}, nil
}

// search brackets the least scale, and narrows the bracket by its ends' ε. over is ε at c = 1 over the target's.
func (k *calibration) search(first *jointQuote, over float64) (*jointQuote, error) {
	const most = 40 * jointSteps
	// ln ε falls about as ln c rises.
	guess := func(over float64) int {
		if !(over > 0) || math.IsInf(over, 1) {
			return jointSteps
		}
		return int(math.Ceil(jointSteps * math.Log2(over)))
	}
	lo, hi := math.MinInt32, math.MaxInt32
	var overLo, overHi float64
	var best *jointQuote
	var last error
	note := func(step int, q *jointQuote, over float64, err error) {
		if err == nil && over <= 1 {
			hi, overHi, best = step, over, q
			return
		}
		lo, overLo, last = step, over, err // noise that is too small to be drawn or priced counts as too little
		if err != nil {
			overLo = math.Inf(1)
		}
	}
	note(0, first, over, nil)
	leap, side := 2, 0
	for {
		step := 0
		switch {
		case hi == math.MaxInt32:
			if lo >= most {
				return nil, errors.Join(last, fmt.Errorf("dpkit: together: no noise makes the plans meet (%g, %g) together: %w", k.j.target.Epsilon, k.j.target.Delta, ErrParameter))
			}
			step = min(most, lo+max(leap, guess(overLo)))
			leap *= 2
		case lo == math.MinInt32:
			if hi <= -most {
				return best, nil
			}
			step = max(-most, hi-max(leap, -guess(overHi)+2))
			leap *= 2
		case hi-lo <= 1:
			return best, nil
		default:
			step = lo + (hi-lo)/2
			if inner := math.Log(overLo) / (math.Log(overLo) - math.Log(overHi)); side < 3 && inner > 0 && inner < 1 {
				// The chord, and a step beyond it towards the safe end, so that both ends close in.
				step = min(hi-1, max(lo+1, lo+int(math.Ceil(inner*float64(hi-lo)))))
			}
			side = (side + 1) % 4
		}
		q, over, err := k.at(math.Exp2(float64(step) / jointSteps))
		note(step, q, over, err)
	}
}

// fits says whether the parts together are μ*-GDP: a ledger whose whole budget is asked for takes no more.
func (k *calibration) fits(q *jointQuote) bool {
	rel := k.j.s.neighbours
	rest, _, err := accountant.SplitFailures(q.event, rel)
	if err != nil {
		return false
	}
	mu, _, err := accountant.GDPOf(rest, rel)
	return err == nil && mu <= k.mu
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
	g, err := accountant.EpsilonOf(q.event, rel, target.Delta)
	if err == nil && !(g.Epsilon <= target.Epsilon) || !k.gaussian(q) {
		g, err = accountant.Best(q.event, rel, target.Delta, accountant.BestOptions{})
	}
	stated := false                                  // by a route that the event's parts do not show
	covered := errors.Is(err, accountant.ErrNoRoute) // some part has no price in company but its Gaussian's
	if err != nil && !covered {
		return fmt.Errorf("dpkit: together: %w", err)
	}
	if covered {
		g.Epsilon = math.Inf(1)
	}
	if _, none := accountant.PLD(q.event, rel); covered || none != nil && !k.gaussian(q) {
		if mu, tv, err := accountant.GDPOf(accountant.Compose(parts...), rel); err == nil {
			covers := []accountant.Event{accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}}
			// Laws within tv of such a pair differ by (1 + e^ε)·tv more, at the target's ε and below.
			if outside := quad.AddUp(fail, 2*(1+math.Exp(target.Epsilon))*tv); outside > 0 {
				covers = append(covers, accountant.ApproxDP{Delta: min(1, outside), Neighbours: rel})
			}
			if c, err := accountant.EpsilonOf(accountant.Compose(covers...), rel, target.Delta); err == nil && (covered || c.Epsilon <= target.Epsilon) && c.Epsilon < g.Epsilon {
				g = c
				g.Route = "Gaussians that cover the parts"
				stated = true
			}
		}
	}
	if covered && math.IsInf(g.Epsilon, 1) && fail < target.Delta { // else less noise, and smaller failures, may do
		return fmt.Errorf("dpkit: together: %w", err)
	}
	if stated {
		q.event = accountant.Stated(q.event, g)
	}
	g.Scope = scope
	g.Unit = k.j.s.unit
	q.guarantee = g
	return nil
}
