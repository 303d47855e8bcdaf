package dpkit

import (
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/budget"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// spend prices the private queries of all steps against the target.
func spend(stages []stageOf, m any) (budget.Spent, error) {
	var s budget.Spent
	var errs []error
	fail := func(i int, err error) {
		errs = append(errs, fmt.Errorf("dpkit: step %d %s: %w", i+1, kind.Describe(stages[i].Step), err))
	}
	for i := range stages {
		step, ok := stages[i].Step.(query.Spender)
		if !ok {
			continue
		}
		list, err := step.Expenses(stages[i].Stage)
		if err != nil {
			fail(i, err)
			continue
		}
		stages[i].expenses = list
		for _, e := range list {
			s.Share += e.Share
			s.Delta = quad.AddUp(s.Delta, e.Delta)
			s.Open = s.Open || e.Bound
		}
		_, narrows := step.(query.Narrowing)
		s.Open = s.Open || narrows
	}
	if s.Share == 0 || len(errs) > 0 {
		return s, errors.Join(errs...)
	}
	if !(s.Share < 1) {
		return s, fmt.Errorf("dpkit: the steps' shares of the budget sum to %g, want less than 1: leave some to the release itself: %w", s.Share, ErrParameter)
	}
	target, ok := query.TargetOf(m)
	//dp:refuses spend/no-target private queries would have no part of a target
	if !ok {
		return s, fmt.Errorf("dpkit: %s takes no target with a δ that steps could share; end the chain with another mechanism, or leave its private steps out: %w", kind.Describe(m), ErrOrder)
	}
	var err error
	if s.Whole, err = s.Total(target); err != nil {
		return s, fmt.Errorf("dpkit: %w", err)
	}
	for i := range stages {
		for k := range stages[i].expenses {
			e := &stages[i].expenses[k]
			if err := e.Calibrate(s.Part(e.Share)); err != nil {
				fail(i, err)
				continue
			}
			s.Events = append(s.Events, s.Coarse(e.Query.Event(stages[i].Before.Neighbours, s.Widen(e.Query.S))))
		}
	}
	return s, errors.Join(errs...)
}

// answer is what one step's private queries gave.
type answer struct {
	learnt  stage.RowMap // of a private fit
	bounds  []float64    // certified by private bounds, in order, or found
	refused string       // the test that did not pass; empty if all did
}
