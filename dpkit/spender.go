package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
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

// bounded is a spender some of whose queries are private bounds.
type bounded interface {
	spender
	// withBounds returns the step that rests on statistic ≥ b, for each of its private bounds in order.
	withBounds(st Stage, b []float64) Preprocessor
}

// spent is what the steps of a chain take from the target of its release. The mechanism at the end
// is calibrated to what they leave.
type spent struct {
	events []accountant.Event
	share  float64 // Σ of the shares of μ²
	delta  float64 // Σ δ₀
	whole  float64 // μ of the whole release
	open   bool    // a private bound will change the sensitivities behind it
}

// part is the μ of a query with that share.
func (s spent) part(share float64) float64 { return s.whole * math.Sqrt(share) * (1 - 0x1p-50) }

// mu is what is left to a mechanism with that target: μ(ε, δ − Σδ₀)·√(1 − Σ shares). Gaussian
// mechanisms compose by adding μ², adaptively too (Dong, Roth, Su 2022).
func (s spent) mu(target accountant.Budget) (float64, error) {
	mu, err := s.total(target)
	if s.share == 0 || err != nil {
		return mu, err
	}
	mu *= math.Sqrt(1-s.share) * (1 - 0x1p-50)
	if s.open { // see widen
		mu *= 1 - 0x1p-30
	}
	return mu, nil
}

// widen is the sensitivity at which a release behind a private bound is charged. The noise is drawn for
// the sensitivity that comes out, with the same μ up to the rounding of another grid: the charge
// is above it by far more than that, and mu below.
func (s spent) widen(sensitivity float64) float64 {
	if s.open {
		return sensitivity * (1 + 0x1p-31)
	}
	return sensitivity
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

// targetOf is the target of a mechanism that steps can take shares of: one of pure ε has none.
func targetOf(m any) (accountant.Budget, bool) {
	t, ok := m.(targeted)
	if !ok || t.budget().Delta == 0 {
		return accountant.Budget{}, false
	}
	return t.budget(), true
}

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
			s.delta = quad.AddUp(s.delta, e.delta)
			s.open = s.open || e.bound
		}
	}
	if s.share == 0 || len(errs) > 0 {
		return s, errors.Join(errs...)
	}
	if !(s.share < 1) {
		return s, fmt.Errorf("dpkit: the steps' shares of the budget sum to %g, want less than 1: leave some to the release itself: %w", s.share, ErrParameter)
	}
	target, ok := targetOf(m)
	if !ok {
		return s, fmt.Errorf("dpkit: %s takes no target with a δ that steps could share; end the chain with another mechanism, or leave its private steps out: %w", describe(m), ErrOrder)
	}
	var err error
	if s.whole, err = s.total(target); err != nil {
		return s, fmt.Errorf("dpkit: %w", err)
	}
	for i := range stages {
		for k := range stages[i].expenses {
			e := &stages[i].expenses[k]
			if err := e.calibrate(s.part(e.share)); err != nil {
				fail(i, err)
				continue
			}
			s.events = append(s.events, e.query.event(stages[i].Before.Neighbours, s.widen(e.query.s)))
		}
	}
	return s, errors.Join(errs...)
}

// answer is what one step's private queries gave.
type answer struct {
	learnt  RowMap    // of a private fit
	bounds  []float64 // certified by private bounds, in order
	refused string    // the test that did not pass; empty if all did
}

// ask puts the private queries of a step; rng is nil on public data, where a query is answered
// exactly, a test always passes, and a bound need not be known.
func (s *stageOf) ask(ctx context.Context, in frames.Source, rng *noise.Source) (a answer, err error) {
	step, ok := s.step.(spender)
	if !ok || len(s.expenses) == 0 {
		return a, nil
	}
	answers, err := step.measure(ctx, in, s.Stage)
	if err != nil {
		return a, err
	}
	for k := range s.expenses {
		e := &s.expenses[k]
		if rng == nil {
			continue
		}
		answers[k] = e.query.draw(rng, answers[k])
		if e.test && !(answers[k][0] >= e.threshold()) {
			return answer{refused: e.what}, nil
		}
		if e.bound {
			a.bounds = append(a.bounds, e.certified(answers[k][0]))
		}
	}
	if p, ok := s.step.(privateFit); ok {
		a.learnt, err = p.learn(s.Stage, answers)
	}
	return a, err
}

// fit returns the row map of a step behind its queries.
func (s *stageOf) fit(ctx context.Context, in frames.Source, a answer) (Transform, error) {
	if a.learnt == nil {
		return s.step.Fit(ctx, in, s.Stage)
	}
	t, width, err := a.learnt.transform(len(s.In.Features()))
	if err == nil && width != len(s.Out.Features()) {
		err = fmt.Errorf("its map makes %d columns, want %d", width, len(s.Out.Features()))
	}
	return t, err
}

// rest prices the chain again from step i on, which now rests on the bounds that came out: a function
// of released values alone. The noise of the steps and of the mechanism keeps its parameter μ.
func (q quote) rest(i int, b []float64) (quote, error) {
	stages := slices.Clone(q.stages)
	open := 0
	for _, e := range stages[i].expenses {
		if e.bound {
			open++
		}
	}
	step, ok := stages[i].step.(bounded)
	if !ok || len(b) != open {
		return q, fmt.Errorf("dpkit: step %d %s: got %d private bounds, want %d", i+1, describe(stages[i].step), len(b), open)
	}
	stages[i].step = step.withBounds(stages[i].Stage, b)
	end := stages[i].Stage
	for k := i; k < len(stages); k++ {
		st, pr, err := advance(stages[k].step, end, stages[:k])
		if err != nil {
			return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, describe(stages[k].step), err)
		}
		next := stageOf{pricedStep{st, pr, stages[k].step}, stages[k].expenses}
		if k > i && len(next.expenses) > 0 {
			if next.expenses, err = next.step.(spender).expenses(st); err != nil {
				return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, describe(next.step), err)
			}
			for j := range next.expenses {
				e := &next.expenses[j]
				if err := e.calibrate(q.end.spent.part(e.share)); err != nil {
					return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, describe(next.step), err)
				}
			}
		}
		stages[k] = next
		end = st.next(pr)
	}
	q.stages = stages
	q.scope = scopeOf(stages).Join(q.own)
	end.spent = q.end.spent
	q.end = end
	return q, nil
}
