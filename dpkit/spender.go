package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// ErrTestFailed is returned by a release one of whose tests did not pass: nothing but that was
// released, and the release is paid for. The same release replays its refusal; one that asks for
// less (a smaller gap, a larger cap) is a new release.
var ErrTestFailed = errors.New("the test of a declared number did not pass")

// A spender is a step that asks private queries of the rows that reach it, before it is fitted: a
// test of a number that its price rests on, or a private fit that prediction may use. Each query
// takes a share of the budget of the release at the end of the chain.
type spender interface {
	Preprocessor
	// expenses describes the queries from public facts; none if the step was built without.
	expenses(st Stage) ([]expense, error)
	// measure computes their exact statistics, in order. What it returns is private.
	measure(ctx context.Context, in frames.Source, st Stage) ([][]float64, error)
}

// A privateFit is a spender whose row map is made of released values alone, so that prediction may
// use it.
type privateFit interface {
	spender
	// learn makes the map of the noisy answers to its queries.
	learn(st Stage, noisy [][]float64) (RowMap, error)
}

// expense is one private query of a step.
type expense struct {
	what  string // in words, for the cost table
	share float64
	query gaussianQuery

	// A test passes iff statistic + noise ≥ floor + Δ_T + tail(δ₀), so that a statistic below floor,
	// or that of a neighbour of such rows, passes with probability δ₀ at most (stability calculus,
	// Lemma 7, with Gaussian noise in place of Laplace noise: the proof only needs the tail).
	test  bool
	floor float64
	delta float64 // δ₀
}

func (e *expense) cost(rel accountant.Neighbours) QueryCost {
	c := QueryCost{
		Name: e.what, Share: e.share, Delta: e.delta, Sensitivity: e.query.s, Sigma: e.query.sigma,
	}
	if e.query.gridSD > 0 { // calibrated: a chain without a release at its end is not
		c.Event = e.query.event(rel).String()
		if e.test {
			c.Threshold = e.threshold()
		}
	}
	return c
}

// threshold is the least noisy statistic that passes.
func (e *expense) threshold() float64 {
	return e.floor + up(e.query.s) + e.query.tail(e.delta)
}

// spent is what the steps of a chain take from the target of its release. The mechanism at the end
// is calibrated to what they leave.
type spent struct {
	events []accountant.Event
	share  float64 // Σ of the shares of μ²
	delta  float64 // Σ δ₀
}

// mu is what is left to a mechanism with that target: μ(ε, δ − Σδ₀)·√(1 − Σ shares). Gaussian
// mechanisms compose by adding μ², adaptively too (Dong, Roth, Su 2022).
func (s spent) mu(target accountant.Budget) (float64, error) {
	mu, err := s.total(target)
	if s.share == 0 || err != nil {
		return mu, err
	}
	return mu * math.Sqrt(1-s.share) * (1 - 0x1p-50), nil
}

// total is μ(ε, δ − Σδ₀), for all noise of the release together.
func (s spent) total(target accountant.Budget) (float64, error) {
	if s.delta > 0 {
		target.Delta = (target.Delta - s.delta) * (1 - 0x1p-50)
		if !(target.Delta > 0) {
			return 0, fmt.Errorf("the tests of the chain may pass wrongly with probability %.6g together, want less than the release's δ; give them a smaller Delta: %w", s.delta, ErrParameter)
		}
	}
	return accountant.CalibrateShared(target)
}

// compose returns the event of the whole release: the steps' queries, the failures of their tests, and e.
func (s spent) compose(e accountant.Event, rel accountant.Neighbours) accountant.Event {
	if len(s.events) == 0 {
		return e
	}
	parts := append([]accountant.Event{}, s.events...)
	if s.delta > 0 {
		parts = append(parts, accountant.ApproxDP{Delta: s.delta, Neighbours: rel})
	}
	return accountant.Compose(append(parts, e)...)
}

// targeted is a mechanism that is calibrated to a target, so that steps can take shares of it.
type targeted interface{ budget() accountant.Budget }

// spend prices the private queries of all steps against the target.
func spend(stages []stageOf, m any) (spent, error) {
	var s spent
	var errs []error
	fail := func(i int, err error) {
		errs = append(errs, fmt.Errorf("dpkit: step %d %s: %w", i+1, describe(stages[i].step), err))
	}
	for i := range stages {
		step, ok := stages[i].step.(spender)
		if !ok {
			continue
		}
		list, err := step.expenses(stages[i].Stage)
		if err != nil {
			fail(i, err)
			continue
		}
		stages[i].expenses = list
		for _, e := range list {
			s.share += e.share
			s.delta += e.delta
		}
	}
	if s.share == 0 || len(errs) > 0 {
		return s, errors.Join(errs...)
	}
	s.delta *= 1 + 0x1p-50 // a sum of few terms, rounded up
	if !(s.share < 1) {
		return s, fmt.Errorf("dpkit: the steps' shares of the budget sum to %g, want less than 1: leave some to the release itself: %w", s.share, ErrParameter)
	}
	t, ok := m.(targeted)
	if !ok {
		return s, fmt.Errorf("dpkit: %s takes no target that steps could share; end the chain with another mechanism, or leave its private steps out: %w", describe(m), ErrOrder)
	}
	total, err := s.total(t.budget())
	if err != nil {
		return s, fmt.Errorf("dpkit: %w", err)
	}
	for i := range stages {
		for k := range stages[i].expenses {
			e := &stages[i].expenses[k]
			if err := e.query.calibrate(total * math.Sqrt(e.share) * (1 - 0x1p-50)); err != nil {
				fail(i, err)
				continue
			}
			s.events = append(s.events, e.query.event(stages[i].Before.Neighbours))
		}
	}
	return s, errors.Join(errs...)
}

// refusal is the name of a test that did not pass; empty if all did.
type refusal string

// fitStage runs one step: it asks its private queries, if it has any, and fits it. rng is nil on
// public data, where a query is answered exactly and a test always passes.
func fitStage(ctx context.Context, in frames.Source, s stageOf, rng *noise.Source) (t Transform, learnt RowMap, no refusal, err error) {
	step, ok := s.step.(spender)
	if !ok || len(s.expenses) == 0 {
		t, err = s.step.Fit(ctx, in, s.Stage)
		return t, nil, "", err
	}
	answers, err := step.measure(ctx, in, s.Stage)
	if err != nil {
		return nil, nil, "", err
	}
	for k := range s.expenses {
		e := &s.expenses[k]
		if rng != nil {
			answers[k] = e.query.draw(rng, answers[k])
			if e.test && !(answers[k][0] >= e.threshold()) {
				return nil, nil, refusal(e.what), nil
			}
		}
	}
	p, ok := s.step.(privateFit)
	if !ok {
		t, err = s.step.Fit(ctx, in, s.Stage)
		return t, nil, "", err
	}
	if learnt, err = p.learn(s.Stage, answers); err != nil {
		return nil, nil, "", err
	}
	t, width, err := learnt.transform(len(s.In.Features()))
	if err == nil && width != len(s.Out.Features()) {
		err = fmt.Errorf("its map makes %d columns, want %d", width, len(s.Out.Features()))
	}
	return t, learnt, "", err
}
