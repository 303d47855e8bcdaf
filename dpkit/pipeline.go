package dpkit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Pipeline is an immutable plan of preprocessing steps over a session's data. Building one reads
// nothing. Every method returns a longer copy.
type Pipeline struct {
	s     *Session
	steps []Preprocessor
}

// With appends a step of your own, which [Register] has to know before a private release. The bounds of its Propagate are believed: the guarantee is conditional
// on them, and names them, whatever scope the step reports beside.
func (p Pipeline) With(step Preprocessor) Pipeline {
	if step == nil {
		return p.with(broken{"With(nil)", fmt.Errorf("got no step, want a Preprocessor: %w", ErrParameter)})
	}
	return p.with(step)
}

func (p Pipeline) with(step Preprocessor) Pipeline {
	p.steps = append(slices.Clip(p.steps), step)
	return p
}

// stageOf is one priced step.
type stageOf struct {
	pricedStep
	expenses []expense // its private queries, calibrated to the target at the end of the chain
}

// stepsOf are the priced steps of stages, as a [follower] sees them.
func stepsOf(stages []stageOf) []pricedStep {
	out := make([]pricedStep, len(stages))
	for i, s := range stages {
		out[i] = s.pricedStep
	}
	return out
}

// trace follows the public domain and the pair state through the chain. It returns the priced
// steps and the stage of the mechanism behind them, and reports every step that is wrong; a step
// behind a wrong one is checked against the last good schema.
func (p Pipeline) trace() (stages []stageOf, end Stage, err error) {
	if p.s == nil {
		return nil, end, errors.New("dpkit: pipeline: got the zero value, want one that Session.Data returned")
	}
	end.In = p.s.schema
	end.Before, err = pair.Start(p.s.rows, startRadius(end.In), p.s.neighbours)
	if err != nil {
		return nil, end, fmt.Errorf("dpkit: %w", err)
	}
	var errs []error
	for i, step := range p.steps {
		st, pr, err := advance(step, end, stages)
		if err != nil {
			errs = append(errs, fmt.Errorf("dpkit: step %d %s: %w", i+1, describe(step), err))
			continue
		}
		stages = append(stages, stageOf{pricedStep: pricedStep{st, pr, step}})
		end = st.next(pr)
	}
	end.Out, end.After = end.In, end.Before
	return stages, end, errors.Join(errs...)
}

// next is the stage behind a step that was priced at st.
func (st Stage) next(pr Propagation) Stage {
	return Stage{
		In: st.Out, Out: st.Out, Before: pr.Pair, After: pr.Pair, Taint: pr.Taint,
		Empty: st.Empty || pr.Empties, Unordered: st.Unordered || pr.Empties,
	}
}

// advance prices one step at the given stage, behind the stages before it.
func advance(step Preprocessor, st Stage, before []stageOf) (Stage, Propagation, error) {
	var err error
	if err := refuseUnbounded(step, st.In); err != nil {
		return st, Propagation{}, err
	}
	if st.Out, err = step.Check(st.In); err != nil {
		return st, Propagation{}, err
	}
	if st.Empty && !isOwn(step) {
		return st, Propagation{}, fmt.Errorf("rows may have been removed before it, and a step of your own is not known to pass over empty rows; put Dedup behind it or leave one of them out: %w", ErrOrder)
	}
	pr, err := step.Propagate(st)
	if err != nil {
		return st, pr, err
	}
	if step, ok := step.(follower); ok {
		if err := step.follow(stepsOf(before), st, &pr); err != nil {
			return st, pr, err
		}
	}
	if err := succeeds(st.Before, pr.Pair); err != nil {
		return st, pr, err
	}
	if pr.Taint, err = pr.Taint.after(st.Taint, st.Out, pr.Pair); err != nil {
		return st, pr, err
	}
	if err := pr.Scope.Validate(); err != nil {
		return st, pr, fmt.Errorf("scope of its Propagation: %w; start from accountant.Scope{Kind: accountant.Unconditional}: %w", err, ErrParameter)
	}
	pr.Scope = pr.Scope.Join(believed(len(before)+1, step))
	st.After = pr.Pair
	return st, pr, nil
}

// believed is what a step rests on whose bounds nobody here has checked: one of the caller's own.
func believed(i int, step Preprocessor) accountant.Scope {
	if isOwn(step) {
		return accountant.Scope{Kind: accountant.Unconditional}
	}
	name := describe(step)
	if k, ok := kindFor(step); ok {
		name = k.name
	}
	return accountant.Scope{Kind: accountant.Conditional, On: []string{fmt.Sprintf("the bounds that step %d, %s, states", i, name)}}
}

// succeeds reports whether a step can lead from one pair state to the next: a mechanism at the end
// would read a NaN, a changed relation or a forgotten free row as a smaller price.
func succeeds(before, after pair.State) error {
	if err := after.Validate(); err != nil {
		return err
	}
	if after.Neighbours != before.Neighbours || after.N != before.N || after.F < before.F {
		return fmt.Errorf("pair state: got %v pair of %d rows, %d free, want %v, %d rows and at least %d free, as before the step; begin with Stage.Before: %w",
			after.Neighbours, after.N, after.F, before.Neighbours, before.N, before.F, ErrOrder)
	}
	return nil
}

// Schema returns the public domain of the rows at the end of the chain.
func (p Pipeline) Schema() (frames.Schema, error) {
	_, end, err := p.trace()
	return end.In, err
}

// Explain prints what every step does to a pair of neighbouring datasets. No row is read.
func (p Pipeline) Explain() (string, error) {
	stages, _, err := p.trace()
	if err != nil {
		return "", err
	}
	return explainSteps(stepCosts(stages)), nil
}

// String is the chain as it is written, with every parameter: [ParsePipeline] reads it back. The session is not in it.
func (p Pipeline) String() string { return strings.Join(texts(p.steps), ".") }

func texts(steps []Preprocessor) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = textOf(s)
	}
	return out
}

// broken is a step whose arguments were wrong when it was added: Check says so.
type broken struct {
	name string
	err  error
}

func (b broken) String() string { return b.name }
func (b broken) Check(in frames.Schema) (frames.Schema, error) {
	return in, b.err
}
func (b broken) Propagate(Stage) (Propagation, error) { return Propagation{}, b.err }
func (b broken) Fit(context.Context, frames.Source, Stage) (Transform, error) {
	return nil, b.err
}
