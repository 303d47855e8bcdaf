package cost

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
)

// Law is what a plan's curves come from: its release as an event, and its mechanism at the noise that was calibrated, on other
// pairs of tables than those that the plan is priced for. It is made of public facts.
type Law struct {
	Event accountant.Event // the whole release, what the steps ask privately included
	Asked accountant.Event // what the steps ask privately; nil for nothing
	End   pair.State       // behind the steps
	// Behind is the mechanism on a pair state of as many rows of that norm; nil where rows that are displaced have no price.
	Behind func(p pair.State) (accountant.Event, error)
	// Onward is what the steps behind the i-th, from 0, make of a pair state behind it.
	Onward func(i int, p pair.State) (pair.State, error)
}

// errNoLaw says why a plan has no curves.
var errNoLaw = errors.New("the cost was not made by a plan, and was not read with its curves")

// errNotDisplaced says why a plan has no smooth curve.
var errNotDisplaced = errors.New("the release wants rows that no step displaced: nothing bounds how far it moves with them")

// WithLaw is a cost with its curves: those of the law.
func WithLaw(c Plan, l Law) Plan {
	c.law = &l
	return c
}

// curve is that of an event; outside is the probability of a failure outside which it holds.
func curve(e accountant.Event, rel accountant.Neighbours) (c accountant.Curve, outside float64, err error) {
	if c, err = e.RDP(rel); err == nil {
		return c, 0, nil
	}
	if a, ok := e.(accountant.ApproxRDPer); ok {
		if c, outside, err := a.ApproxRDP(rel); err == nil {
			return c, outside, nil
		}
	}
	return nil, 0, err
}

// at is a curve at an order, +Inf at one that is none.
func at(c accountant.Curve, alpha float64) float64 {
	if !(alpha > 1) {
		return math.Inf(1)
	}
	if v := c(alpha); v >= 0 {
		return v
	}
	return math.Inf(1) // NaN
}

// whole is the curve of the release.
func (l *Law) whole() (accountant.Curve, float64, error) { return curve(l.Event, l.End.Neighbours) }

// displaced is the end of the chain where rows differ by tau in all instead, and nothing else is known of how: with the free rows
// of the chain, or with none. tau is in the units of the rows that reach the release.
func (l *Law) displaced(tau float64, free bool) (pair.State, error) {
	p := l.End
	if !(tau >= 0) || math.IsInf(tau, 1) {
		return p, fmt.Errorf("displacement τ: got %g, want a finite number, at least 0: %w", tau, accountant.ErrParameter)
	}
	if !free {
		p.F, p.DFree = 0, math.Inf(1)
	}
	p.M, p.T1, p.TF, p.TInf = p.N-p.F, tau, tau, math.Min(tau, 2*p.R)
	return p.Close(), nil
}

// mechanism is the mechanism's curve on a pair state.
func (l *Law) mechanism(p pair.State) (accountant.Curve, error) {
	if p.F == 0 && !p.Displaced() {
		return func(float64) float64 { return 0 }, nil // the tables are the same
	}
	if l.Behind == nil {
		return nil, errNotDisplaced
	}
	e, err := l.Behind(p)
	if err != nil {
		return nil, err
	}
	c, _, err := curve(e, p.Neighbours)
	return c, err
}

// asked is the curve of what the steps ask.
func (l *Law) asked() (accountant.Curve, error) {
	if l.Asked == nil {
		return func(float64) float64 { return 0 }, nil
	}
	c, _, err := curve(l.Asked, l.End.Neighbours)
	return c, err
}

// smooth is the curve of the displacement alone.
func (l *Law) smooth(tau float64) (accountant.Curve, error) {
	p, err := l.displaced(tau, false)
	if err != nil {
		return nil, err
	}
	return l.mechanism(p)
}

// direct is the curve with the free rows and the displacement in one hop.
func (l *Law) direct(tau float64) (accountant.Curve, error) {
	p, err := l.displaced(tau, true)
	if err != nil {
		return nil, err
	}
	return l.withAsked(l.mechanism(p))
}

// theorem2 is the curve of two hops: a row that changes, then the displacement.
func (l *Law) theorem2(tau float64) (accountant.Curve, error) {
	p, err := l.displaced(0, true)
	if err != nil {
		return nil, err
	}
	free, err := l.mechanism(p)
	if err != nil {
		return nil, err
	}
	shift, err := l.smooth(tau)
	if err != nil {
		return nil, err
	}
	return l.withAsked(accountant.PaperTheorem2(free, shift), nil)
}

// withAsked adds what the steps ask, whose answers the mechanism may depend on: curves add up.
func (l *Law) withAsked(c accountant.Curve, err error) (accountant.Curve, error) {
	if err != nil || l.Asked == nil {
		return c, err
	}
	a, err := l.asked()
	if err != nil {
		return nil, err
	}
	return func(alpha float64) float64 { return math.Nextafter(a(alpha)+c(alpha), math.Inf(1)) }, nil
}

// fromStep is the curve of all that stands behind a step, from 0, where rows differ by the step's displacement alone.
func (l *Law) fromStep(i int, s Step) (accountant.Curve, error) {
	p := pair.State{
		Neighbours: l.End.Neighbours, N: l.End.N, R: s.R, M: s.Moved,
		T1: s.Displacement, TF: s.Frobenius, TInf: s.LargestRow, DFree: math.Inf(1),
	}
	p = p.Close()
	if !p.Displaced() {
		return l.mechanism(p)
	}
	end, err := l.Onward(i, p)
	if err != nil {
		return nil, err
	}
	return l.mechanism(end)
}
