package ledger

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// PrefersPure says whether pure, an event of pure DP, is charged to the part for pure releases of this ledger and of its project's, and
// as no more than other is, up to one part in a hundred, each alone in a fresh ledger of the same configuration. It is a matter of
// configurations alone, which are fixed when a ledger is made, and never of what was released. Errors are those of Price.
func (l *Ledger) PrefersPure(pure, other accountant.Event) (bool, error) {
	for ; l != nil; l = l.project {
		config := l.Config()
		ways, err := costOf(pure, config)
		if err != nil {
			return false, fmt.Errorf("ledger: price: %w", err)
		}
		l.mu.Lock()
		c := l.hist.filter.fresh(ways)
		l.mu.Unlock()
		o, err := l.Price(other)
		if err != nil {
			return false, err
		}
		if !(c.pure > 0) || c.mu > 0 || !(c.pure <= config.Pure) || !(c.pure <= 1.01*o.Epsilon) {
			return false, nil
		}
	}
	return true, nil
}

// PureLeft is the ε of the largest release of pure DP that the part for such releases takes, in this ledger and in its project's, rounded
// down; 0 where none is kept.
func (l *Ledger) PureLeft() (float64, error) {
	s, err := l.Status()
	if err != nil {
		return 0, err
	}
	left := math.Inf(1)
	for of := &s; of != nil; of = of.Project {
		left = min(left, of.PureLeft)
	}
	for ; l.project != nil; l = l.project { // a project that cannot be read is in no status
		if s.Project == nil {
			return 0, nil
		}
		s = *s.Project
	}
	return left, nil
}

// keepsPure says why a request that wants the part for pure releases, or nothing, may not be charged in any of these ways; nil if it may.
func (h *history) keepsPure(r Request, ways []cost) error {
	f := h.filter.of(r.splitKey(), r.Part)
	c := f.route(ways...)
	if !r.PureOnly || c.pure > 0 && c.mu == 0 && f.amiss(c) == "" {
		return nil
	}
	for _, w := range ways {
		if w.mu == 0 {
			c = w // what was asked for
		}
	}
	return fmt.Errorf("ledger: %w: asked ε = %s, left %s of %v: nothing was charged (release %s)", ErrPureLeft, roundedUp(c.pure), roundedDown(f.pureLeft()), f.pureMax, r.label())
}
