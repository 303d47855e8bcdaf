package dpkit

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Pipeline is an immutable plan of preprocessing steps over a session's data. Building one reads
// nothing. Every method returns a longer copy.
type Pipeline struct {
	s     *Session
	steps []stage.Preprocessor
}

// With appends a step of your own, which [stage.Register] has to know before a private release. The bounds of its Propagate are believed: the guarantee is conditional
// on them, and names them, whatever scope the step reports beside.
func (p Pipeline) With(step stage.Preprocessor) Pipeline {
	if step == nil {
		return p.with(steps.Broken{Name: "With(nil)", Err: fmt.Errorf("got no step, want a Preprocessor: %w", ErrParameter)})
	}
	return p.with(step)
}

func (p Pipeline) with(step stage.Preprocessor) Pipeline {
	p.steps = append(slices.Clip(p.steps), step)
	return p
}

// stageOf is one priced step.
type stageOf struct {
	steps.PricedStep
	expenses []query.Expense // its private queries, calibrated to the target at the end of the chain
	charged  []query.Expense // as they are charged, where they were calibrated anew behind bounds that came out
}

// stepsOf are the priced steps of stages, as a [steps.Follower] sees them.
func stepsOf(stages []stageOf) []steps.PricedStep {
	out := make([]steps.PricedStep, len(stages))
	for i, s := range stages {
		out[i] = s.PricedStep
	}
	return out
}

// trace follows the public domain and the pair state through the chain. It returns the priced
// steps and the stage of the mechanism behind them, and reports every step that is wrong; a step
// behind a wrong one is checked against the last good schema. Chains over a second table have no end of their own.
func (p Pipeline) trace() (stages []stageOf, end stage.Stage, err error) {
	//dp:refuses chain/second-table its rows are of people, and its ledger is that of the first
	if p.s != nil && p.s.second != "" {
		return nil, end, fmt.Errorf("dpkit: pipeline: table %q was added to a session: its rows are read by JoinPeople, behind a chain over Session.Data alone; open a session over it for releases of its own: %w", p.s.second, ErrOrder)
	}
	return p.traced()
}

func (p Pipeline) traced() (stages []stageOf, end stage.Stage, err error) {
	if p.s == nil {
		return nil, end, errors.New("dpkit: pipeline: got the zero value, want one that Session.Data returned")
	}
	end.In = p.s.schema
	_, end.People = end.In.Person()
	end.Unordered = !end.People && len(frames.SortedBy(p.s.src)) > 0 // people have places of their own, which their rows' order does not move
	end.Before, err = pair.Start(p.s.rows, stage.StartRadius(end.In), p.s.neighbours)
	if err != nil {
		return nil, end, fmt.Errorf("dpkit: %w", err)
	}
	var errs []error
	for i, step := range p.steps {
		st, pr, err := advance(step, end, stages)
		if err != nil {
			errs = append(errs, fmt.Errorf("dpkit: step %d %s: %w", i+1, kind.Describe(step), err))
			continue
		}
		stages = append(stages, stageOf{PricedStep: steps.PricedStep{Stage: st, Propagation: pr, Step: step}})
		end = stageBehind(step, st, pr)
	}
	end.Out, end.After = end.In, end.Before
	return stages, end, errors.Join(errs...)
}

// advance prices one step at the given stage, behind the stages before it.
func advance(step stage.Preprocessor, st stage.Stage, before []stageOf) (stage.Stage, stage.Propagation, error) {
	var err error
	if err := unbounded.RefuseUnbounded(step, st.In); err != nil {
		return st, stage.Propagation{}, err
	}
	if j, ok := step.(steps.JoinPeople); ok {
		if _, err := stagesOfSecond(j, st.Before); err != nil {
			return st, stage.Propagation{}, err
		}
	}
	if st.Out, err = step.Check(st.In); err != nil {
		return st, stage.Propagation{}, err
	}
	//dp:refuses chain/own-step-on-removed-rows a step of the caller may read what was removed
	if st.Empty && !kind.IsOwn(step) {
		return st, stage.Propagation{}, fmt.Errorf("rows may have been removed before it, and a step of your own is not known to pass over empty rows; put Dedup behind it or leave one of them out: %w", ErrOrder)
	}
	pr, err := step.Propagate(st)
	if err != nil {
		return st, pr, ofOnePerson(st, err, func(one stage.Stage) error { _, err := step.Propagate(one); return err })
	}
	if st.People {
		if err := ofPeople(step, st, pr); err != nil {
			return st, pr, err
		}
	}
	if step, ok := step.(steps.Follower); ok {
		if err := step.Follow(stepsOf(before), st, &pr); err != nil {
			return st, pr, err
		}
	}
	//dp:refuses chain/bounds-nobody a bound of a person is believed of rows that are nobody's
	if pr.Bounds.Rows > 0 && !st.People { // ofPeople has seen to the others
		return st, pr, fmt.Errorf("rows are not of people, and it bounds what a person contributes: %w", ErrOrder)
	}
	//dp:refuses chain/keeps-places a step of the caller may choose by cells who is left
	if pr.Places > 0 && !kind.IsOwn(step) {
		return st, pr, fmt.Errorf("it keeps %d of the places of rows, which only a step of dpkit can: remove rows in place: %w", pr.Places, ErrOrder)
	}
	if err := succeeds(placed(st.Before, pr), pr.Pair); err != nil {
		return st, pr, err
	}
	if pr.Taint, err = taintBehind(pr.Taint, st.Taint, st.Out, pr.Pair); err != nil {
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
func believed(i int, step stage.Preprocessor) accountant.Scope {
	if kind.IsOwn(step) {
		return accountant.Scope{Kind: accountant.Unconditional}
	}
	name := kind.Describe(step)
	if k, ok := kind.KindFor(step); ok {
		name = k.Name
	}
	return accountant.Scope{Kind: accountant.Conditional, On: []string{fmt.Sprintf("the bounds that step %d, %s, states", i, name)}}
}

// placed is the state before a step that gives every person so many places, or keeps so many places.
func placed(p pair.State, to stage.Propagation) pair.State {
	if p.N *= max(1, to.Bounds.Rows); to.Places > 0 {
		p.N = min(p.N, to.Places)
	}
	return p
}

// succeeds reports whether a step can lead from one pair state to the next: a mechanism at the end
// would read a NaN, a changed relation or a forgotten free row as a smaller price.
func succeeds(before, after pair.State) error {
	if err := after.Validate(); err != nil {
		return err
	}
	//dp:refuses chain/forgets a step may not forget rows, free ones or the relation
	if after.Neighbours != before.Neighbours || after.N != before.N || after.F < before.F {
		return fmt.Errorf("pair state: got %v pair of %d rows, %d free, want %v, %d rows and at least %d free, as before the step; begin with Stage.Before: %w",
			after.Neighbours, after.N, after.F, before.Neighbours, before.N, before.F, ErrOrder)
	}
	return nil
}

// Schema returns the public domain of the rows at the end of the chain.
func (p Pipeline) Schema() (frames.Schema, error) {
	_, end, err := p.traced()
	return end.In, err
}

// Explain prints what every step does to a pair of neighbouring datasets. No row is read.
func (p Pipeline) Explain() (string, error) {
	stages, _, err := p.traced()
	if err != nil {
		return "", err
	}
	text := cost.Explain(stepCosts(stages))
	for _, w := range p.s.schema.Warnings() {
		text += fmt.Sprintf("warning: %s\n", w)
	}
	return text, nil
}

// String is the chain as it is written, with every parameter: [ParsePipeline] reads it back. The session is not in it.
func (p Pipeline) String() string { return strings.Join(texts(p.steps), ".") }

func texts(steps []stage.Preprocessor) []string {
	out := make([]string, len(steps))
	for i, s := range steps {
		out[i] = kind.TextOf(s)
	}
	return out
}
