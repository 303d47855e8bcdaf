package accountant

import (
	"fmt"
	"math"
	"reflect"

	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// LossLaw is the law of a privacy loss of a dominating pair.
type LossLaw = pld.Law

// Dominated is an Event that is dominated by pairs of distributions, one for each direction that must be
// covered. Losses returns their laws: none for an event that costs nothing, one that holds in all
// directions, or two, for the removal of a row and for its addition. The error wraps [ErrNoRoute] where
// no pair is known. Laws must be safe to use concurrently.
type Dominated interface {
	Losses(rel Neighbours) ([]LossLaw, error)
}

// LossDistribution is the privacy-loss distribution of an event. It is safe for concurrent use.
type LossDistribution struct {
	directions []*pld.Composition
	tv         float64 // distance of the samplers from the laws
	options    pld.Options
}

// PLD returns the privacy-loss distribution of an event that is composed, by [Compose] and [Repeat], of
// [Dominated] events and [GDPer] ones: exact for the Gaussian parts, which are merged, numerical with
// bounds on all errors for others ([pld.Composition]). Equal events are convolved together, so that counts up to
// 1e5 and hundreds of distinct events are cheap. Errors wrap [ErrNoRoute] if a part has no
// dominating pair, [ErrNeighbours] or [ErrParameter].
func PLD(e Event, rel Neighbours) (*LossDistribution, error) {
	if err := rel.Validate(); err != nil {
		return nil, err
	}
	w := lossWalk{rel: rel, index: map[Event]int{}}
	if err := w.visit(e, 1); err != nil {
		return nil, err
	}
	d := &LossDistribution{tv: min(1, w.tv)}
	for i := range w.directions() {
		var terms []pld.Term
		for _, p := range w.parts {
			terms = append(terms, pld.Term{Law: p.laws[min(i, len(p.laws)-1)], Count: p.count})
		}
		c, err := pld.Compose(terms...)
		if err != nil {
			return nil, fmt.Errorf("accountant: PLD: %w: %w", err, ErrParameter)
		}
		d.directions = append(d.directions, c)
	}
	return d, nil
}

// With returns the same distribution with other options for its queries.
func (d *LossDistribution) With(o pld.Options) *LossDistribution {
	c := *d
	c.options = o
	return &c
}

// Epsilon bounds from both sides the least ε for which (ε, δ)-DP holds for the dominating pairs, the worse of the directions.
// The upper end is a guarantee; the lower one shows what discretisation has cost. The error wraps [ErrDelta].
func (d *LossDistribution) Epsilon(delta float64) (upper, lower float64, err error) {
	if err := checkDelta(delta); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if d.tv == 0 || delta == 1 {
		return d.epsilon(delta)
	}
	// The reserve for the distance rises with ε: grow it until the ε that is left is covered.
	reserve := tvCost(0, d.tv)
	for range 20 {
		if !(reserve < delta) {
			break
		}
		upper, _, err := d.epsilon(math.Nextafter(delta-reserve, 0))
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		cost := tvCost(upper, d.tv)
		if cost <= reserve {
			// At the true ε ≤ upper the pairs have a δ of at most delta + cost.
			_, lower, err := d.epsilon(min(1, quad.AddUp(delta, cost)))
			return upper, min(lower, upper), err
		}
		reserve = cost * (1 + 1e-4)
	}
	return math.Inf(1), 0, nil
}

func (d *LossDistribution) epsilon(delta float64) (upper, lower float64, err error) {
	o := d.options
	for _, c := range d.directions {
		r, err := c.Epsilon(delta, o)
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		upper, lower = max(upper, r.Upper), max(lower, r.Lower)
		o.Beside = lower
	}
	return upper, lower, nil
}

// Delta bounds from both sides the least δ for which (ε, δ)-DP holds for the dominating pairs; see [LossDistribution.Epsilon].
// The error wraps [ErrEpsilon].
func (d *LossDistribution) Delta(epsilon float64) (upper, lower float64, err error) {
	if err := checkEpsilon(epsilon); err != nil {
		return math.NaN(), math.NaN(), err
	}
	o := d.options
	for _, c := range d.directions {
		r, err := c.Delta(epsilon, o)
		if err != nil {
			return math.NaN(), math.NaN(), err
		}
		upper, lower = max(upper, r.Upper), max(lower, r.Lower)
		o.Beside = lower
	}
	cost := tvCost(epsilon, d.tv)
	return min(1, quad.AddUp(upper, cost)), max(0, lower-cost), nil
}

// EpsilonPLD is [PLD] and [LossDistribution.Epsilon] in one call.
func EpsilonPLD(e Event, rel Neighbours, delta float64) (upper, lower float64, err error) {
	d, err := PLD(e, rel)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	return d.Epsilon(delta)
}

// A lossPart is a leaf with the number of times that it occurs.
type lossPart struct {
	laws  []LossLaw
	count int
}

// A lossWalk collects the leaves of an event.
type lossWalk struct {
	rel   Neighbours
	parts []lossPart
	index map[Event]int // of equal leaves in parts
	tv    float64
}

func (w *lossWalk) directions() int {
	n := 1
	for _, p := range w.parts {
		n = max(n, len(p.laws))
	}
	return n
}

func (w *lossWalk) visit(e Event, count int) error {
	switch e := e.(type) {
	case stated:
		if err := e.validate(w.rel); err != nil {
			return err
		}
		return w.visit(e.of, count)
	case nil:
		return fmt.Errorf("accountant: PLD: event: got nil, want an event: %w", ErrParameter)
	case composition:
		for i, part := range e.parts {
			if err := w.visit(part, count); err != nil {
				return fmt.Errorf("accountant: Compose: event %d of %d: %w", i+1, len(e.parts), err)
			}
		}
		return nil
	case repetition:
		if err := e.validate(); err != nil {
			return err
		}
		if e.n > math.MaxInt32/count {
			return fmt.Errorf("accountant: PLD: count: got %d times %d, want at most %d: %w", e.n, count, math.MaxInt32, ErrNoRoute)
		}
		return w.visit(e.of, e.n*count)
	case gaussianCovered:
		if err := e.validate(); err != nil {
			return err
		}
		w.tv = quad.AddUp(w.tv, quad.MulUp(float64(count), e.tv))
		return w.visit(e.of, count)
	}
	comparable := reflect.ValueOf(e).Comparable()
	if comparable {
		if i, ok := w.index[e]; ok {
			if w.parts[i].count > math.MaxInt32-count {
				return fmt.Errorf("accountant: PLD: %v: got more than %d of it: %w", e, math.MaxInt32, ErrNoRoute)
			}
			w.parts[i].count += count
			return nil
		}
	}
	laws, tv, err := lossesOf(e, w.rel)
	if err != nil {
		return err
	}
	w.tv = quad.AddUp(w.tv, quad.MulUp(float64(count), tv))
	if len(laws) == 0 {
		return nil
	}
	if comparable && tv == 0 {
		w.index[e] = len(w.parts)
	}
	w.parts = append(w.parts, lossPart{laws, count})
	return nil
}

// lossesOf returns the laws of a leaf and the distance of its sampler from them.
func lossesOf(e Event, rel Neighbours) (laws []LossLaw, tv float64, err error) {
	err = fmt.Errorf("accountant: %v: no law of its privacy loss: %w", e, ErrNoRoute)
	if d, ok := e.(Dominated); ok {
		if laws, err = d.Losses(rel); optional(err) != nil || err == nil {
			return laws, 0, err
		}
	}
	mu, tv, gdpErr := gdpOf(e, rel)
	switch {
	case gdpErr == nil:
		laws, err = gaussianLosses(mu)
		return laws, tv, err
	case optional(gdpErr) != nil:
		return nil, 0, gdpErr
	}
	return nil, 0, err
}
