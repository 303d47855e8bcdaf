package dpkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// joint is several plans under one target.
type joint struct {
	s       *Session
	target  Target
	members []*plan // as they were made, each with a target of its own that says nothing

	once    sync.Once
	settled *jointQuote
	err     error
}

// jointQuote is a priced joint: public facts.
type jointQuote struct {
	parts     []jointPart
	scale     float64          // c of [Together]
	event     accountant.Event // all of it, what steps ask and failures included
	guarantee accountant.Guarantee
}

// jointPart is one of the plans with the target of its part.
type jointPart struct {
	pl    *plan
	q     quote
	share float64 // w/Σw
}

// name is a short one.
func (j *joint) name() string { return fmt.Sprintf("Together of %d plans", len(j.members)) }

// text is the joint as it is written: the text that [Parse] reads.
func (j *joint) text() string {
	args := []string{}
	for _, pl := range j.members {
		if pl == nil {
			args = append(args, "nil")
			continue
		}
		c := pl.clone()
		if pl.m != nil {
			c.m, _ = query.Retargeted(pl.m, 0, 0)
		}
		args = append(args, c.String())
	}
	head := strings.TrimSuffix(kind.Named("Together", j.target), ")")
	if len(args) > 0 && !strings.HasSuffix(head, "(") {
		head += ", "
	}
	return head + strings.Join(args, ", ") + ")"
}

// at says which of the plans an error is of.
func (j *joint) at(i int, err error) error {
	return fmt.Errorf("dpkit: together: plan %d of %d: %w", i+1, len(j.members), err)
}

// check reports everything that is wrong with the joint itself.
func (j *joint) check() error {
	var errs []error
	fail := func(i int, format string, args ...any) {
		errs = append(errs, j.at(i, fmt.Errorf(format+": %w", append(args, ErrParameter)...)))
	}
	if len(j.members) == 0 {
		errs = append(errs, fmt.Errorf("dpkit: together: got no plans, want at least one: %w", ErrParameter))
	}
	if err := j.checkTarget(); err != nil {
		errs = append(errs, fmt.Errorf("dpkit: together: %w", err))
	}
	seen := map[string]int{}
	first := slices.IndexFunc(j.members, func(pl *plan) bool { return pl != nil })
	for i, pl := range j.members {
		switch {
		case pl == nil:
			fail(i, "got none, want a plan that a release method of Pipeline returned")
			continue
		case pl.joint != nil:
			fail(i, "got plans that are released together already: list all plans in one Together")
			continue
		case pl.p.s != j.members[first].p.s:
			fail(i, "it is of another session than plan %d: one charge is made at one ledger, for the same rows; begin both chains at the Data of one session", first+1)
			continue
		case pl.fresh:
			fail(i, "got Fresh on one of the plans: call it on what Together returned, which draws all of them anew")
		case pl.wanted.Margin != 0 || pl.wanted.Level != 0:
			fail(i, "its target asks for a margin, and Together parts one (ε, δ): give it a zero target, or ask Session.Plan for the least budget that keeps all margins")
		case pl.odd:
			fail(i, "weight: got %g, want a positive finite number", pl.weight)
		}
		key := pl.key()
		if k, twice := seen[key]; twice {
			fail(i, "it is plan %d again, %s: raise its weight, or tell two draws apart with Named", k+1, key)
		}
		seen[key] = i
	}
	return errors.Join(errs...)
}

// checkTarget reports a target that is not one (ε, δ).
func (j *joint) checkTarget() error {
	t := j.target
	switch {
	case t.Margin != 0 || t.Level != 0:
		return fmt.Errorf("within: got a margin for plans of different kinds; ask Session.Plan for the least budget of plans that have a margin each: %w", ErrParameter)
	case t.Noise.Pure() || t.Noise == "" && t.Delta == 0:
		return query.CheckPure(t)
	}
	return t.Check()
}

// calibrated is the joint with the noise of all its plans settled: once, as plans never change.
func (j *joint) calibrated() (*jointQuote, error) {
	j.once.Do(func() {
		if j.err = j.check(); j.err == nil {
			j.settled, j.err = j.calibrate()
		}
	})
	return j.settled, j.err
}

// aim is what the calibration knows of a plan before its noise is settled.
type aim struct {
	pl      *plan
	share   float64 // w/Σw
	pure    bool    // it has a price at δ = 0
	kept    float64 // δ of its own tests and private bounds
	failing bool    // it is charged outside a failure that is a part of its δ
}

// aims finds what kind of release each plan is, by settling it alone under the whole target.
func (j *joint) aims() ([]aim, float64, error) {
	sum, kept := 0.0, 0.0
	for _, pl := range j.members {
		sum += pl.part()
	}
	if math.IsInf(sum, 1) {
		return nil, 0, fmt.Errorf("dpkit: together: the weights sum to %g, want a finite sum: %w", sum, ErrParameter)
	}
	out := make([]aim, len(j.members))
	var errs []error
	for i, pl := range j.members {
		a := aim{pl: pl, share: pl.part() / sum}
		own, _ := query.AimOf(pl.m)
		_, err := j.settle(a, j.target.Epsilon, 0)
		if a.pure = err == nil || own.Noise.Pure() || j.target.Delta == 0; a.pure && err != nil {
			errs = append(errs, j.at(i, err))
			continue
		}
		if !a.pure {
			alone, err := j.settle(a, j.target.Epsilon, j.target.Delta)
			if err != nil {
				errs = append(errs, j.at(i, err))
				continue
			}
			a.kept = alone.q.end.Spent.Delta
			_, fails, err := accountant.SplitFailures(alone.q.price.Event, alone.q.end.Before.Neighbours)
			if err != nil {
				errs = append(errs, j.at(i, err))
				continue
			}
			a.failing = fails > a.kept*(1+1e-9)
			kept = quad.AddUp(kept, a.kept)
		}
		out[i] = a
	}
	if err := errors.Join(errs...); err != nil {
		return nil, 0, err
	}
	if kept > 0 && !(kept < j.target.Delta) {
		return nil, 0, fmt.Errorf("dpkit: together: the tests of the plans may pass wrongly with probability %.6g together, want less than the δ of all, %g; give them a smaller Delta: %w", kept, j.target.Delta, ErrParameter)
	}
	return out, kept, nil
}

// settle is a plan with a target of its part.
func (j *joint) settle(a aim, epsilon, delta float64) (jointPart, error) {
	pl, ok := a.pl.retargeted(epsilon, delta)
	if !ok {
		if _, err := a.pl.quote(); err != nil { // it has worse than that
			return jointPart{}, err
		}
		return jointPart{}, fmt.Errorf("%s has no target that could be a part of another: %w", kind.Describe(a.pl.m), ErrParameter)
	}
	pl.beside = len(j.members) - 1
	q, err := pl.quote()
	return jointPart{pl: pl, q: q, share: a.share}, err
}

// retargeted is the plan with another target, and with no part of others.
func (pl *plan) retargeted(epsilon, delta float64) (*plan, bool) {
	m, ok := query.Retargeted(pl.m, epsilon, delta)
	if !ok || pl.with == nil {
		return pl, false
	}
	to := pl.with(m)
	c := pl.clone()
	c.m, c.of, c.amiss, c.wanted, c.weight, c.odd = to.m, to.of, nil, Target{}, 0, false
	return c, true
}
