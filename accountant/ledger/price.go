package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
)

// Price is what a ledger charges a release as: the ε, at its budget's δ, that it takes of a fresh ledger, rounded up.
// A release sold at another δ, or of another law than a Gaussian's, is charged as the Gaussian that covers it, so
// that this ε may be another than the one that it is sold as. Nothing is charged. An event that the ledger refuses is an error.
func (l *Ledger) Price(e accountant.Event) (accountant.Budget, error) {
	b, _, err := l.PriceParts(e)
	return b, err
}

// Prices are what this ledger and those of its projects, in order, charge a release as: one may keep a part for pure releases that another lacks, or
// another δ.
func (l *Ledger) Prices(e accountant.Event) (all []accountant.Budget, err error) {
	for ; l != nil; l = l.project {
		b, err := l.Price(e)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, nil
}

// PriceParts is [Ledger.Price] and what the charge takes of each part of a fresh ledger, as [Entry.Taken] says it.
func (l *Ledger) PriceParts(e accountant.Event) (accountant.Budget, string, error) {
	config := l.Config()
	ways, err := costOf(e, config)
	if err != nil {
		return accountant.Budget{}, "", fmt.Errorf("ledger: price: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.hist.filter
	c := f.fresh(ways)
	return accountant.Budget{Epsilon: f.worth(c), Delta: f.budget.Delta}, Entry{Mu: c.mu, Fail: c.fail, Pure: c.pure}.Taken(), nil
}

const (
	// reserveShare is the part of the reserve that a release may take to be covered closely: less costs it little
	// (docs/theory/mechanisms.md#budgets-of-a-ledger), and more would leave nothing for the next.
	reserveShare = 1.0 / 32
	// smallShare is that of a release that takes less than 1/64 of the Gaussian part.
	smallShare = 1.0 / 1024
	// gaussianFirst is by how much a charge must be below that of a Gaussian to be taken in its place: Gaussians add up by squares.
	gaussianFirst = 1.05
	// reserveLast is by how much a charge must be below another that takes less of the reserve.
	reserveLast = 1.02
)

// costOf are the ways in which a ledger may charge e, each sound by itself, that which is to be tried first at the beginning. It
// follows from the event and the configuration alone; which of them is charged, from what is left as well.
func costOf(e accountant.Event, config Config) ([]cost, error) {
	muStar, err := calibrate(config)
	if err != nil {
		return nil, err
	}
	f := newFilter(config, muStar)
	ways, err := f.ways(e, config, config.Reserve*reserveShare)
	if err == nil && config.Reserve > 0 && f.small(ways[0]) {
		ways, err = f.ways(e, config, config.Reserve*smallShare)
	}
	return ways, err
}

func (f *filter) small(c cost) bool { return c.pure == 0 && c.mu*c.mu*64 < muSquare(f) }

func muSquare(f *filter) float64 { v, _ := f.muStar2.Float64(); return v }

// ways lists the charges of e, preferred ones first, where covers may take that much of the reserve.
func (f *filter) ways(e accountant.Event, config Config, failure float64) ([]cost, error) {
	charges, err := accountant.Charges(e, config.Neighbours, failure, config.Pure > 0, func(mu float64) float64 { return f.epsilonUp(square(mu)) })
	if e == nil {
		return nil, fmt.Errorf("event: got nil, want what is drawn: %w", ErrEvent)
	}
	if errors.Is(err, accountant.ErrNoRoute) {
		return nil, fmt.Errorf("%w: this ledger cannot charge a release of this kind, or not at so large an ε: %s", ErrEvent, askLess)
	}
	if err != nil {
		return nil, fmt.Errorf("event: %w", err)
	}
	var ways []cost
	var bad error
	for _, w := range charges {
		c := cost{mu: w.Mu, tv: w.TV, fail: w.Failure, pure: w.Pure}
		if err := c.validate(); err != nil {
			if math.IsInf(c.mu, 1) || math.IsInf(c.pure, 1) {
				bad = fmt.Errorf("%w: this ledger cannot charge a release of this kind at so large an ε: %s", ErrEvent, askLess)
			} else if bad == nil {
				bad = fmt.Errorf("event %v: %w: %w", e, err, ErrEvent)
			}
			continue
		}
		ways = append(ways, c)
	}
	if len(ways) == 0 {
		return nil, bad
	}
	f.order(ways)
	return ways, nil
}

// askLess is what to do where no finite μ covers a release.
const askLess = "ask for less, or release it in parts; for pure releases keep a part of ε for them by Options.Pure"

// order puts first what is worth the least ε. A Gaussian is worth 1/gaussianFirst of its own, and what takes more of the reserve than
// another reserveLast of its own.
func (f *filter) order(ways []cost) {
	least := slices.MinFunc(ways, func(a, b cost) int { return cmp.Compare(a.fail, b.fail) }).fail
	worth := func(c cost) float64 {
		epsilon := f.worth(c)
		if c.pure == 0 {
			epsilon /= gaussianFirst
		}
		if c.fail > least {
			epsilon *= reserveLast
		}
		return epsilon
	}
	slices.SortStableFunc(ways, func(a, b cost) int { return cmp.Compare(worth(a), worth(b)) })
}

// exceeded says that c does not fit, in what was asked and in what the ledger takes it for.
func (h *history) exceeded(r Request, c []cost, why string) error {
	f := h.filter.of(r.splitKey(), r.Part)
	asked := fmt.Sprintf("asked (%v, %v)", r.Guarantee.Epsilon, r.Guarantee.Delta)
	if eps := roundedUp(f.asked(c)); r.Guarantee.Delta != f.budget.Delta || eps != roundedUp(r.Guarantee.Epsilon) {
		asked += fmt.Sprintf(", which is ε = %s at the ledger's δ", eps)
	}
	advice := "; to repeat an earlier release is free"
	if why == tooMuch {
		why, advice = "", ": ask for at most what is left, or repeat an earlier release, which is free"
		if slices.ContainsFunc(c, func(c cost) bool { return c.pure > 0 }) {
			why = fmt.Sprintf(", and ε = %s of the %v for pure releases", roundedDown(f.pureLeft()), f.pureMax)
		}
	} else {
		why = ": " + why + h.wayOut(why)
	}
	return fmt.Errorf("ledger: %w: at the ledger's δ = %v, %v: spent ε = %s, %s, left ε = %s of %v%s: "+
		"nothing was charged%s (release %s)", ErrBudget, f.budget.Delta, h.config.Neighbours, roundedUp(f.spent()), asked, roundedDown(f.left()), f.budget.Epsilon, why, advice, r.label())
}
