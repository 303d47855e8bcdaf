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
	if p, ok := s.Step.(query.PrivateFit); ok {
		a.learnt, err = p.Learn(s.Stage, answers)
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
func (q quote) rest(i int, b []float64) (quote, error) {
	stages := slices.Clone(q.stages)
	open := 0
	for _, e := range stages[i].expenses {
		if e.Bound {
			open++
		}
	}
	step, ok := stages[i].Step.(query.Bounded)
	if !ok || len(b) != open {
		return q, fmt.Errorf("dpkit: step %d %s: got %d private bounds, want %d", i+1, kind.Describe(stages[i].Step), len(b), open)
	}
	stages[i].Step = step.WithBounds(stages[i].Stage, b)
	end := stages[i].Stage
	for k := i; k < len(stages); k++ {
		st, pr, err := advance(stages[k].Step, end, stages[:k])
		if err != nil {
			return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(stages[k].Step), err)
		}
		next := stageOf{steps.PricedStep{Stage: st, Propagation: pr, Step: stages[k].Step}, stages[k].expenses}
		if k > i && len(next.expenses) > 0 {
			if next.expenses, err = next.Step.(query.Spender).Expenses(st); err != nil {
				return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(next.Step), err)
			}
			for j := range next.expenses {
				e := &next.expenses[j]
				if err := e.Calibrate(q.end.Spent.Part(e.Share)); err != nil {
					return q, fmt.Errorf("dpkit: step %d %s: %w", k+1, kind.Describe(next.Step), err)
				}
			}
		}
		stages[k] = next
		end = stageBehind(st, pr)
	}
	q.stages = stages
	q.scope = scopeOf(stages).Join(q.own)
	end.Spent = q.end.Spent
	q.end = end
	return q, nil
}
