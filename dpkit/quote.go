package dpkit

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// quote is a priced plan.
type quote struct {
	stages []stageOf
	end    stage.Stage // what the mechanism sees
	made   mechanism.Settled[any]
	price  query.Bill // of made, within the scope of the chain
	// charged is the bill before bounds came out, and settle calibrates the mechanism at a stage; nil where no bounds do.
	charged *query.Bill
	likely  *quote // at the bounds with which predictions reckon; nil where none come out, or nobody has said where the rows are
	settle  func(stage.Stage) (mechanism.Settled[any], error)
	scope   accountant.Scope
	own     accountant.Scope // what the mechanism's own bounds rest on
	asking  bool             // the mechanism asks private queries of its own
	unit    accountant.Unit  // whom the guarantee protects
	place   func() (rows.PlaceKey, error)
	second  func(table string) (frames.Source, error) // a further table of the same people
	held    int                                       // bytes of tables that may be held in memory; 0: heldBytes
	// elsewhere says that the source's rows lie elsewhere, file that they are read anew for every pass, where they are not loaded.
	elsewhere, file bool
	// columns are those of the source that the plan reads; nil: not known, so that all are read.
	columns []string
}

func (pl *plan) quote() (quote, error) {
	stages, end, err := pl.p.trace()
	if pl.p.s == nil {
		return quote{}, err
	}
	q := quote{stages: stages, end: end, settle: pl.settle, held: pl.p.s.held, unit: pl.p.s.unit, place: pl.p.s.place, second: pl.p.s.tables.source}
	q.elsewhere, q.file = whereRows(pl.p.s.src)
	q.own = accountant.Scope{Kind: accountant.Unconditional}
	if a, ok := pl.m.(query.Asker); ok {
		q.own, q.asking = a.Scope(), a.Asks()
		if d, ok := pl.m.(query.Situated); ok {
			q.own = d.ScopeIn(q.unit, pl.p.s.neighbours, pl.p.s.mode == modeDemo)
		}
	}
	q.scope = scopeOf(stages).Join(q.own)
	if uerr := unbounded.RefuseUnbounded(pl.m, end.In); uerr != nil {
		return quote{}, errors.Join(err, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), uerr))
	}
	//dp:refuses people/release-of-their-rows a release of rows of people is priced for one row
	if end.People {
		return quote{}, errors.Join(err, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), manyRows(end.In)))
	}
	if pl.p.s.mode == modePublic { // nothing to price
		return q, errors.Join(err, pl.unseen(q))
	}
	if pl.amiss != nil {
		return quote{}, errors.Join(err, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), pl.amiss))
	}
	s, serr := spend(stages, pl.m)
	q.end.Spent, err = s, errors.Join(err, serr)
	made, merr := pl.of.Settle(q.end)
	merr = ofOnePerson(q.end, merr, func(one stage.Stage) error { _, err := pl.of.Settle(one); return err })
	if merr != nil {
		err = errors.Join(err, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), merr))
	}
	if err != nil {
		return quote{}, err
	}
	if err := pl.unseen(q); err != nil {
		return quote{}, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), err)
	}
	q = q.as(made)
	if err := q.open(); err != nil {
		return quote{}, fmt.Errorf("dpkit: step %d %s: %w", len(pl.p.steps)+1, kind.Describe(pl.m), err)
	}
	return q.reckoned(), nil
}

// settle is that of the mechanism.
func (pl *plan) settle(end stage.Stage) (mechanism.Settled[any], error) {
	made, err := pl.of.Settle(end)
	if err != nil {
		return made, fmt.Errorf("dpkit: %s: %w", kind.Describe(pl.m), err)
	}
	return made, nil
}

// as is the quote with the mechanism settled.
func (q quote) as(made mechanism.Settled[any]) quote {
	q.made, q.price = made, made.Bill.Stated()
	q.price.Guarantee.Scope, q.price.Guarantee.Unit = q.scope, q.unit
	return q
}

// scopeOf is what all steps together rest on.
func scopeOf(stages []stageOf) accountant.Scope {
	scope := accountant.Scope{Kind: accountant.Unconditional}
	for _, s := range stages {
		scope = scope.Join(s.Scope)
	}
	return scope
}

func (q quote) cost() Cost {
	c := Cost{
		Rows: q.end.Before.N / max(1, q.end.Contributions.Rows), Neighbours: q.end.Before.Neighbours, Steps: stepCosts(q.stages),
		Release: q.price.Cost, Guarantee: q.price.Guarantee, Held: q.holds(),
	}
	if q.made.Unread != "" {
		c.Warnings = append(c.Warnings, q.made.Unread)
	}
	return c
}

// expected is the error that is predicted of a model, and of what; "" where nothing is.
func (q quote) expected() (size float64, of string) {
	p := q.made.Predicted
	if !p.Known() || p.Law != "" || len(p.Size) != 1 || math.IsInf(p.Size[0], 0) || math.IsNaN(p.Size[0]) {
		return 0, ""
	}
	return p.Size[0], p.Of
}

// law is where the curves of the release come from, which is priced as event.
func (q quote) law(event accountant.Event) cost.Law {
	l := cost.Law{Event: event, End: q.end.Before, Behind: q.price.Behind, Onward: q.onward}
	if asked := q.end.Spent.Events; len(asked) > 0 {
		l.Asked = accountant.Compose(asked...)
	}
	return l
}

// onward is what the steps behind the i-th make of a pair state behind it. What a step can tell from those before it
// ([steps.Follower]) does not count: it is of the chain's own pairs.
func (q quote) onward(i int, p pair.State) (pair.State, error) {
	for _, s := range q.stages[i+1:] {
		st := s.Stage
		st.Before, st.After = p, pair.State{}
		pr, err := s.Step.Propagate(st)
		if err != nil {
			return p, err
		}
		p = pr.Pair
	}
	return p, nil
}

// deploy collects the row maps of the chain for prediction: public ones, and those that private
// fits learnt, by position. A step without one is an error: the release rule. With learnt nil
// it reports whether there would be a map.
func (q quote) deploy(learnt map[int]stage.RowMap) (stage.RowMap, error) {
	var all stage.RowMap
	for i, s := range q.stages {
		if makesPeople(s) { // a model reads rows of people
			all = nil
			continue
		}
		if _, ok := s.Step.(query.PrivateFit); ok {
			all = append(all, learnt[i]...)
			continue
		}
		d, ok := s.Step.(stage.Deployer)
		//dp:refuses deploy/secret-fit a model would release what a fit learnt as it is
		if !ok {
			return nil, fmt.Errorf("dpkit: step %d %s: it is needed at prediction time, but what it learns is not private; put a public or a privately released step in its place, or call WithoutPrediction on the plan to release the coefficients alone: %w", i+1, kind.Describe(s.Step), ErrOrder)
		}
		m, err := d.Deploy(s.Stage)
		if err != nil {
			return nil, fmt.Errorf("dpkit: step %d %s: %w", i+1, kind.Describe(s.Step), err)
		}
		all = append(all, m...)
	}
	return all, nil
}

// readable is the schema of the rows that a model reads: those of people where rows were made such.
func (q quote) readable(raw frames.Schema) frames.Schema {
	for _, s := range q.stages {
		if makesPeople(s) {
			raw = s.Out
		}
	}
	return raw
}

// makesPeople reports a step whose rows are no longer those that the session's source has: rows of people, or joined ones.
func makesPeople(s stageOf) bool {
	switch s.Step.(type) {
	case rows.Collapser, rows.Joiner:
		return true
	}
	return false
}

// asks reports whether steps of the chain, or the mechanism, make private queries of their own.
func (q quote) asks() bool {
	if q.asking {
		return true
	}
	for _, s := range q.stages {
		if len(s.expenses) > 0 {
			return true
		}
	}
	return false
}
