package accountant

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Charge is what an event takes of a budget that adds up three numbers, μ², a part of ε and failures: for its laws P, Q on
// neighbouring datasets, both ways, and every w > 0,
//
//	sup over S of P(S) − w e^Pure Q(S)  ≤  Failure + sup over S of N(Mu, 1)(S) − w N(0, 1)(S),
//
// up to samplers at the total variation TV. A release of pure ε-DP is Charge{Pure: ε}, one that is (ε, δ)-DP
// Charge{Pure: ε, Failure: δ}, one of μ-GDP Charge{Mu: μ}. Such charges add up, however each is chosen from what came out before
// (docs/theory/mechanisms.md#budgets-of-a-ledger).
type Charge struct{ Mu, Pure, TV, Failure float64 }

// Charges lists ways to charge an event, each sound by itself, where failure is what may be added to its own failures to cover it
// closely; 0 for nothing. pure says whether ε may be charged, beside μ or alone; epsilonOf what ε a μ is worth, by which the
// part of a charge in ε is chosen. The Gaussian of [GDPOf], with the failures that the event names, is first where there is one and no
// cover that takes less of them. No way at all, or no event, is an error that wraps [ErrNoRoute]; others wrap [ErrNeighbours] or
// [ErrParameter].
func Charges(e Event, rel Neighbours, failure float64, pure bool, epsilonOf func(mu float64) float64) ([]Charge, error) {
	if e == nil {
		return nil, fmt.Errorf("accountant: charges: event: got nil, want an event: %w", ErrNoRoute)
	}
	c, err := newChargeable(e, rel)
	if err != nil {
		return nil, err
	}
	var ways, covers []Charge
	if failure > 0 && !c.exact {
		if covers, err = c.covers(failure, pure, epsilonOf); optional(err) != nil {
			return nil, err
		}
	}
	var plainErr error
	if c.named == 0 || !slices.ContainsFunc(covers, func(w Charge) bool { return w.Pure == 0 }) { // else one of covers takes less of failures
		plain, err := c.gaussian()
		if plainErr = err; optional(err) != nil {
			return nil, err
		}
		if err == nil {
			ways = append(ways, plain)
		}
	}
	if pure {
		if w, ok := c.pure(); ok {
			ways = append(ways, w)
		}
		if w, ok := c.transported(); ok {
			ways = append(ways, w)
		}
		if w, ok := c.byKind(); ok {
			ways = append(ways, w)
		}
		if failure == 0 && c.named == 0 && !c.exact {
			apart, err := c.apart(flat(c.of, nil), 0, true, epsilonOf)
			if err != nil {
				return nil, err
			}
			ways = append(ways, apart...)
		}
	}
	if ways = append(ways, covers...); len(ways) == 0 {
		return nil, plainErr
	}
	return ways, nil
}

// chargeable is an event, taken apart.
type chargeable struct {
	rel   Neighbours
	of    Event   // without mere failures; nil: nothing but them
	own   float64 // failures that are no cover's
	named float64 // those of covers, which another choice replaces
	exact bool    // all parts are Gaussian, or all are pure: no cover is closer
}

func newChargeable(e Event, rel Neighbours) (*chargeable, error) {
	c := &chargeable{rel: rel}
	parts := flat(e, nil)
	rest, total, err := splitFailures(parts, rel)
	if err != nil {
		return nil, err
	}
	gaussians, pures := 0, 0
	for _, p := range rest {
		if g, ok := p.(gaussianCovered); ok {
			c.named = quad.AddUp(c.named, g.delta0)
			continue
		}
		if _, _, err := gdpOf(p, rel); err == nil {
			gaussians++
		} else if curve, err := exactCurve(p, rel); err == nil && curve(math.Inf(1)) < math.Inf(1) {
			pures++
		}
	}
	c.exact = gaussians == len(rest) || pures == len(rest) && pures <= 1
	switch {
	case c.named > total: // a cover without its failure beside it: only what is named is paid
		c.own, c.named = total, 0
	case c.named > 0:
		c.own = max(0, quad.AddUp(total, -c.named))
	default:
		c.own = total
	}
	switch len(rest) {
	case 0:
	case 1:
		c.of = rest[0]
	default:
		c.of = composition{rest}
	}
	return c, nil
}

// flat lists the parts of nested compositions.
func flat(e Event, into []Event) []Event {
	e = unstated(e)
	if c, ok := e.(composition); ok {
		for _, p := range c.parts {
			into = flat(p, into)
		}
		return into
	}
	return append(into, e)
}

func exactCurve(e Event, rel Neighbours) (Curve, error) {
	if e == nil {
		return nil, ErrNoRoute
	}
	return e.RDP(rel)
}

// gaussian is the Gaussian that covers each part, with the failures that the event names.
func (c *chargeable) gaussian() (Charge, error) {
	w := Charge{Failure: min(1, quad.AddUp(c.own, c.named))}
	if c.of == nil {
		return w, fmt.Errorf("accountant: charges: nothing but failures: %w", ErrNoRoute)
	}
	var err error
	w.Mu, w.TV, err = GDPOf(c.of, c.rel)
	return w, err
}

// pure is the ε of an event of pure DP, outside failures: the end of its curve. It costs no cover.
func (c *chargeable) pure() (Charge, bool) {
	if c.of == nil || c.named > 0 {
		return Charge{}, false
	}
	curve, failure, err := approxRDP(c.of, c.rel)
	if err != nil {
		return Charge{}, false
	}
	epsilon := curve(math.Inf(1))
	return Charge{Pure: epsilon, Failure: min(1, quad.AddUp(c.own, failure))}, epsilon > 0 && epsilon < math.Inf(1)
}

// byKind charges each part of a composition where it is exact: those of pure DP in ε, others as Gaussians.
func (c *chargeable) byKind() (Charge, bool) {
	of, ok := c.of.(composition)
	if !ok || c.named > 0 {
		return Charge{}, false
	}
	var others []Event
	w := Charge{Failure: c.own}
	for _, p := range of.parts {
		curve, err := exactCurve(p, c.rel)
		if err != nil || !(curve(math.Inf(1)) < math.Inf(1)) {
			others = append(others, p)
			continue
		}
		w.Pure = quad.AddUp(w.Pure, curve(math.Inf(1)))
	}
	if w.Pure == 0 || len(others) == 0 {
		return Charge{}, false
	}
	var err error
	w.Mu, w.TV, err = GDPOf(composition{others}, c.rel)
	return w, err == nil
}

// transported is the charge of one objective perturbation in two parts, exactly: its profile for a row that is removed is at most
// δ_G(ε − D, s), for one that is added δ_G(ε, s), and so is the total variation of both (see [transport]). It takes no failure.
func (c *chargeable) transported() (Charge, bool) {
	p, ok := c.of.(ObjectivePerturbation)
	if !ok || c.rel != AddRemove {
		return Charge{}, false
	}
	l, err := p.loss(c.rel)
	if err != nil || !l.oneSign {
		return Charge{}, false
	}
	t := l.transport()
	if !(t.added(0) <= -math.Expm1(-t.det)*(1-0x1p-50)) || math.IsInf(t.s, 1) { // the condition of cover.holds
		return Charge{}, false
	}
	return Charge{Mu: t.s, Pure: t.det, Failure: c.own}, true
}

// covers are the closest ways outside failures of which covers may take that much: of all parts as one law, and part by part.
func (c *chargeable) covers(failure float64, pure bool, epsilonOf func(mu float64) float64) ([]Charge, error) {
	if c.named > 0 {
		failure = min(failure, c.named)
	}
	parts := flat(c.of, nil)
	whole, tv, err := c.profile(parts, failure)
	if optional(err) != nil {
		return nil, err
	}
	if err != nil { // no law of all together
		return c.apart(parts, failure, pure, epsilonOf)
	}
	var ways []Charge
	add := func(mu, eps float64) {
		ways = append(ways, Charge{Mu: mu, Pure: eps, TV: tv, Failure: min(1, quad.AddUp(c.own, failure))})
	}
	if mu := whole.least(0, 1e-6); !math.IsInf(mu, 1) {
		add(mu, 0)
	}
	if !pure {
		return ways, nil
	}
	if eps, ok := whole.pure(); ok {
		add(0, eps)
		if eps, mu := whole.parted(eps, epsilonOf); eps > 0 {
			add(mu, eps)
		}
	}
	return ways, nil
}

// pure is the ε from which on the profile is at most δ₀, rounded up.
func (c cover) pure() (float64, bool) {
	for i, d := range c.delta {
		if d > c.delta0 {
			continue
		}
		if i == 0 {
			return 0, false
		}
		// Below the chord in w = e^ε between the two points.
		share := (c.delta[i-1] - c.delta0) / (c.delta[i-1] - d) * (1 + 0x1p-40)
		eps := c.epsilon[i-1] + math.Log1p(min(1, share)*math.Expm1(c.epsilon[i]-c.epsilon[i-1]))
		return min(c.epsilon[i], quad.Inflate(eps, 0x1p-40)), true
	}
	return 0, false
}

// parted is the split into ε and μ that is worth the least, where ε may be up to most.
func (c cover) parted(most float64, epsilonOf func(mu float64) float64) (epsilon, mu float64) {
	const cells = 24
	best := math.Inf(1)
	for i := 1; i < cells; i++ {
		eps := most * float64(i) / cells
		m := c.least(eps, 1e-3)
		if math.IsInf(m, 1) {
			continue
		}
		if v := eps + epsilonOf(m); v < best {
			best, epsilon = v, eps
		}
	}
	if epsilon > 0 {
		mu = c.least(epsilon, 1e-6)
	}
	return epsilon, mu
}

// apart charges each part of a composition by itself, with an equal share of the failure where it has no law of its own in this
// currency: all as Gaussians, and each as is best.
func (c *chargeable) apart(parts []Event, failure float64, pure bool, epsilonOf func(mu float64) float64) ([]Charge, error) {
	dear := 0.0
	for _, p := range parts {
		if _, _, err := gdpOf(p, c.rel); err != nil {
			dear++
		}
	}
	if len(parts) < 2 || dear == 0 {
		return nil, nil
	}
	gaussian, best := Charge{Failure: c.own}, Charge{Failure: c.own}
	covered := true // each by a Gaussian
	for _, p := range parts {
		if mu, tv, err := gdpOf(p, c.rel); err == nil {
			gaussian, best = gaussian.with(Charge{Mu: mu, TV: tv}), best.with(Charge{Mu: mu, TV: tv})
			continue
		}
		if g, ok := p.(gaussianCovered); ok {
			p = composition{[]Event{g, ApproxDP{Delta: g.delta0, Neighbours: c.rel}}}
		}
		ways, err := Charges(p, c.rel, failure/dear*(1-0x1p-50), pure, epsilonOf)
		if err != nil {
			return nil, optional(err)
		}
		least, leastGaussian := ways[0], Charge{Mu: math.Inf(1)}
		for _, w := range ways {
			if w.Pure+epsilonOf(w.Mu) < least.Pure+epsilonOf(least.Mu) {
				least = w
			}
			if w.Pure == 0 && w.Mu < leastGaussian.Mu {
				leastGaussian = w
			}
		}
		covered = covered && leastGaussian.Mu < math.Inf(1)
		gaussian, best = gaussian.with(leastGaussian), best.with(least)
	}
	ways := []Charge{best}
	if covered {
		ways = append(ways, gaussian)
	}
	return ways, nil
}

// with adds up two charges.
func (w Charge) with(o Charge) Charge {
	return Charge{
		Mu:   quad.SqrtUp(quad.AddUp(quad.MulUp(w.Mu, w.Mu), quad.MulUp(o.Mu, o.Mu))),
		Pure: quad.AddUp(w.Pure, o.Pure), TV: min(1, quad.AddUp(w.TV, o.TV)), Failure: min(1, quad.AddUp(w.Failure, o.Failure)),
	}
}

// transport is that of a loss whose derivative has one sign.
func (l objectiveLoss) transport() transport {
	return transport{s: l.s, r: math.Max(quad.Inflate(math.Expm1(l.det), 0x1p-50), 0x1p-500), det: l.det, oneSign: l.oneSign}
}

// ideal is an event with a law of its loss, or a Gaussian that covers it, for an ideal sampler, and the sampler's distance.
func ideal(e Event, rel Neighbours) (Event, float64, error) {
	if g, ok := e.(gaussianCovered); ok {
		of, tv, err := ideal(g.of, rel)
		return of, quad.AddUp(tv, g.tv), errors.Join(err, g.validate())
	}
	mu, tv, err := gdpOf(e, rel)
	if err == nil {
		return Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: rel}, tv, nil
	}
	return e, 0, optional(err)
}
