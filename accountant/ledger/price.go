package ledger

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
)

// Price is what a ledger charges a release as: the ε, at its budget's δ, that it takes of a fresh ledger, rounded up.
// A release sold at another δ, or of another law than a Gaussian's, is charged as the Gaussian that covers it, so
// that this ε may be far from the one that it is sold as. Nothing is charged. An event that the ledger refuses is an error.
func (l *Ledger) Price(e accountant.Event) (accountant.Budget, error) {
	config := l.Config()
	c, err := costOf(e, config)
	if err != nil {
		return accountant.Budget{}, fmt.Errorf("ledger: price: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.hist.filter
	return accountant.Budget{Epsilon: f.asked(c), Delta: f.budget.Delta}, nil
}

// costOf is what the filter of a ledger takes e for.
func costOf(e accountant.Event, config Config) (cost, error) {
	rel := config.Neighbours
	event, fail, err := accountant.SplitFailures(e, rel)
	if err != nil {
		return cost{}, fmt.Errorf("event: %w", err)
	}
	mu, tv, err := math.NaN(), math.NaN(), accountant.ErrNoRoute
	if event != nil {
		mu, tv, err = accountant.GDPOf(event, rel)
	}
	if errors.Is(err, accountant.ErrNoRoute) {
		return cost{}, fmt.Errorf("event %T is not Gaussian and not pure, the ledger's filter composes Gaussian DP only: %w: use a Gaussian mechanism, or one of pure DP", e, ErrEvent)
	}
	if err != nil {
		return cost{}, fmt.Errorf("event: %w", err)
	}
	c := cost{mu: mu, tv: tv, fail: fail}
	if err := c.validate(); err != nil {
		return cost{}, fmt.Errorf("event %v: %w: %w", e, err, ErrEvent)
	}
	if config.Pure > 0 {
		c.pure = pureOf(event, rel)
	}
	return c, nil
}

// pureOf is the ε of an event of pure DP, the end of its curve; 0 for every other.
func pureOf(e accountant.Event, rel accountant.Neighbours) float64 {
	curve, err := e.RDP(rel)
	if err != nil {
		return 0
	}
	if eps := curve(math.Inf(1)); eps > 0 && !math.IsInf(eps, 1) {
		return eps
	}
	return 0
}

// exceeded says that c does not fit, in what was asked and in what the ledger takes it for.
func (h *history) exceeded(r Request, c cost, why string) error {
	f := h.filter
	asked := fmt.Sprintf("asked (%v, %v)", r.Guarantee.Epsilon, r.Guarantee.Delta)
	if eps := roundedUp(f.asked(c)); r.Guarantee.Delta != f.budget.Delta || eps != roundedUp(r.Guarantee.Epsilon) {
		asked += fmt.Sprintf(", which is ε = %s at the ledger's δ", eps)
	}
	if why == tooMuch {
		why = ""
		if c.pure > 0 {
			why = fmt.Sprintf(", and ε = %s of the %v for pure releases", roundedDown(f.pureLeft()), f.pureMax)
		}
	} else {
		why = ": " + why
	}
	return fmt.Errorf("ledger: %w: at the ledger's δ = %v, %v: spent ε = %s, %s, left ε = %s of %v%s: "+
		"nothing was charged: ask for at most what is left, or repeat an earlier release, which is free (release %s)", ErrBudget, f.budget.Delta, h.config.Neighbours, roundedUp(f.spent()), asked, roundedDown(f.left()), f.budget.Epsilon, why, r.label())
}
