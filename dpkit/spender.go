package dpkit

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// ask puts the private queries of a step; rng is nil on public data, where a query is answered
// exactly, a test always passes, and a bound need not be known.
func (s *stageOf) ask(ctx context.Context, in frames.Source, rng *noise.Source) (a answer, err error) {
	step, ok := s.Step.(query.Spender)
	if !ok || len(s.expenses) == 0 {
		return a, nil
	}
	answers, err := step.Measure(ctx, in, s.Stage)
	if err != nil {
		return a, err
	}
	before, err := recalled(in, answers)
	if err != nil {
		return a, err
	}
	for k := range s.expenses {
		e := &s.expenses[k]
		if rng == nil && !before {
			continue
		}
		if !before {
			answers[k] = e.Query.Draw(rng, answers[k])
		}
		if e.Test && !(before || rehearsed(in)) && !(answers[k][0] >= e.Threshold()) {
			return answer{refused: e.What}, nil
		}
		if e.Bound {
			a.bounds = append(a.bounds, e.Certified(answers[k][0]))
		}
	}
	noteAnswers(in, answers)
	fit, ok := s.Step.(query.PrivateFit)
	if n, narrows := s.Step.(query.Narrowing); narrows {
		a.bounds = n.Find(s.Stage, s.expenses, answers)
		fit = n.WithBounds(s.Stage, a.bounds).(query.PrivateFit)
	}
	if ok {
		a.learnt, err = fit.Learn(s.Stage, answers)
	}
	return a, err
}

// fit returns the row map of a step behind its queries.
func (s *stageOf) fit(ctx context.Context, in frames.Source, a answer) (stage.Transform, error) {
	if a.learnt == nil {
		return s.Step.Fit(ctx, in, s.Stage)
	}
	t, width, err := a.learnt.Transform(s.In.Width())
	if err == nil && width != s.Out.Width() {
		err = fmt.Errorf("its map makes %d columns, want %d", width, s.Out.Width())
	}
	return t, err
}

// rest prices the chain again from step i on, which now rests on the bounds that came out: a function
// of released values alone. The noise of the steps and of the mechanism keeps its parameter μ.
//
// Where something behind a step that narrows columns has no price at the bounds that came out, or would be charged more, it is left at the
// widest ones, as it was priced before the release: rows within the narrow bounds are within those, and a release never fails for what
// came out.
func (q quote) rest(i int, b []float64) (quote, error) {
	at, err := q.restOn(i, b)
	if _, narrows := q.stages[i].Step.(query.Narrowing); !narrows {
		return at, err
	}
	if err == nil {
		at, err = at.resettled()
	}
	if err != nil || !at.covers() {
		return q, nil
	}
	return at, nil
}

func (q quote) restOn(i int, b []float64) (quote, error) {
	stages := slices.Clone(q.stages)
	step, ok := stages[i].Step.(query.Bounded)
	if want := awaits(stages[i]); !ok || len(b) != want {
		return q, fmt.Errorf("dpkit: step %d %s: got %d private bounds, want %d", i+1, kind.Describe(stages[i].Step), len(b), want)
	}
	stages[i].Step = step.WithBounds(stages[i].Stage, b)
	end := stages[i].Stage
	for k := i; k < len(stages); k++ {
		st, pr, err := advance(stages[k].Step, end, stages[:k])
		if err != nil {
			return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(stages[k].Step), err)
		}
		next := stageOf{PricedStep: steps.PricedStep{Stage: st, Propagation: pr, Step: stages[k].Step}, expenses: stages[k].expenses, charged: stages[k].charged}
		if k > i && len(next.expenses) > 0 {
			if next.charged == nil {
				next.charged = next.expenses
			}
			if next.expenses, err = next.Step.(query.Spender).Expenses(st); err != nil {
				return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(next.Step), err)
			}
			for j := range next.expenses {
				e := &next.expenses[j]
				if err := e.Calibrate(q.end.Spent.Part(e.Share)); err != nil {
					return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(next.Step), err)
				}
				if was := next.charged[j].Query; !(e.Query.S/e.Query.Sigma <= was.S/was.Sigma*widerMu) || e.Query.GridSD < was.GridSD/8 {
					return q, fmt.Errorf("dpkit: step %d %s: its noise cannot be drawn that exactly", k+1, kind.Describe(next.Step))
				}
			}
		}
		stages[k] = next
		end = stageBehind(stages[k].Step, st, pr)
	}
	q.stages = stages
	q.scope = scopeOf(stages).Join(q.own)
	end.Spent = q.end.Spent
	q.end = end
	return q, nil
}

// awaits is how many bounds come out of a step.
func awaits(s stageOf) (open int) {
	if n, ok := s.Step.(query.Narrowing); ok {
		return n.Awaits()
	}
	for _, e := range s.expenses {
		if e.Bound {
			open++
		}
	}
	return open
}
