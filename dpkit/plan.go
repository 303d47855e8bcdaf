package dpkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Plan is a pipeline with a mechanism at its end: an immutable value that can be priced and released. Plans come from
// the methods of [Pipeline]; there are no others, and the zero value, nil, has no methods to call.
//
// It is an interface since a program compiles every method of every generic struct that it can reach, here all kinds
// of release whichever it makes, and a notebook's cell is a program that somebody waits for.
type Plan[V any] interface {
	// String is the plan as a chain is written, with every parameter: [Parse] reads it back.
	fmt.Stringer

	// Named gives the release a name. A named release may be called from a variable initialiser or an
	// init function, where it replays.
	Named(name string) Plan[V]

	// Fresh asks for a new draw although the same release was made before, or was charged and
	// interrupted: it is paid for again. Use it for one run and take it out: a cell that keeps it pays
	// at every run; without it the new value replays.
	Fresh() Plan[V]

	// WithoutPrediction releases a model's coefficients alone. They are in the units of the transformed
	// rows, whose fitted maps stay secret: the model cannot read rows.
	WithoutPrediction() Plan[V]

	// Weight is the plan's part among those that are released [Together], in proportion to the others': of μ², so that noise falls with
	// its root. 1 where none is given. A plan that is released alone has no use for it.
	Weight(w float64) Plan[V]

	// Of finds the plan's own release in one of several [Together]. The error wraps [ErrParameter] where the plan is not among them, and
	// [ErrTestFailed] where a test of its chain did not pass.
	Of(r Result[Joint]) (Result[V], error)

	// Within asks for the least ε, of three digits and rounded up, at which what Error predicts is within margin: at a level in (0, 1) where
	// it has levels, and at level 0 where it is an expectation, as of models. Leave the ε of the options at 0. It is found from public
	// facts when the plan is made; its text, Cost and entry have it, and nothing is spent before Release. A margin that no ε keeps is an
	// error of whatever prices the plan. See Target.Within of what that ε is when versions differ.
	Within(margin, level float64) Plan[V]

	// Cost prices the plan from public facts. No row is read and nothing is charged.
	Cost() (Cost, error)

	// Event is the release as the accountant sees it, end to end, what steps ask privately included, and the relation that it is
	// priced for: public facts. At the δ of the guarantee it costs the ε of the guarantee ([accountant.Best]); with others it composes as
	// its parts do, which is what a ledger charges. Data that was declared public has none.
	Event() (accountant.Event, accountant.Neighbours, error)

	// Explain renders Cost as text.
	Explain() (string, error)

	// Error predicts how far off the release will be by its noise, in the units of what is released, at a level in (0, 1): half-widths of
	// intervals of counts, sums, means and entries of matrices, of quantiles rows by which the rank is off, of models the excess error
	// of a reference population, of classifiers as the accuracy that the noise takes, with an interval of it over populations unlike one
	// another, as public facts do not tell which of them the rows are like (docs/theory/mechanisms.md#what-a-model-is-predicted-to-be-worth). It is made of public facts: no row is read and nothing is charged. Plans of which nothing is predicted
	// return an error that wraps [ErrParameter].
	Error(level float64) (cost.Prediction, error)

	// Compare prices every step of the plan in every way that is known (public, non-private, tested, private) and without it, and every
	// mechanism that can end the chain for the same question, and ranks them by the predicted error of the whole plan: that of the noise,
	// as [Plan].Error predicts it, and what the way loses or gains on a public reference population
	// (docs/theory/calculus.md#which-way-to-take-a-step). Where nothing is predicted they are ranked by the noise. Recommended has the ways
	// that are best together.
	//
	//   - A way that is predicted to be as good within 2 % gives way to the one with the least noise.
	//   - Never recommended: what changes the question (near duplicates that stay, other columns, a value of another type), what rests on
	//     knowledge that only you can have, and what a ledger charges more for. It is listed.
	//   - Where prediction needs a fit that is not private, a private one.
	//
	// No row is read and nothing is charged. The shares of private ways and the numbers of tested ones are public rules of thumb, named in
	// the notes: what is right for your data only you can declare. So is the reference population: on data unlike it another way may be
	// better.
	Compare() (Comparison, error)

	// Recommended is the plan that Compare recommends, and the plan itself where nothing is predicted to be better. It is another release.
	Recommended() (Plan[V], error)

	// Release makes the release. Everything public is checked first; then the ledger is charged and
	// synced; only then are rows read and noise drawn, and the value is stored before it is returned.
	// The same release again (same data, chain, parameters and name) is replayed from the ledger at no
	// cost. If ctx ends after the charge, the charge stands. Where a test of the chain does not pass the
	// error wraps [ErrTestFailed], and the result tells what was paid.
	Release(ctx context.Context) (Result[V], error)

	// Replicate makes so many releases of a demonstration, to study how far off a plan is: the i-th, from 0, is that of a
	// session whose seed is i larger. Rows are prepared once, where no step of the chain draws noise. None of the releases is
	// private, and sessions on private data refuse: there every release is charged.
	Replicate(ctx context.Context, releases int) ([]V, error)

	// Audit computes what a release of this plan cost every row of the table. It reads the rows, charges nothing and makes no
	// draw: what comes out is not released and not private. It is the one thing beside releases that leaves a session, and it leaves
	// sealed: a [pdp.Curator] value prints, logs and serialises as nothing until Open is called. A session never stores it,
	// and nothing computed from it may be published, no count and no maximum either: that is what [PrivacyReport] is for.
	//
	// It wants the add/remove relation, a chain of public steps, and a release whose law is known: [Pipeline.FitLogistic] by
	// [ByObjective], [Pipeline.FitLogisticWithReport], [Pipeline.Gram], [Pipeline.GaussMix], and [Pipeline.FitLinear] by
	// [LinearMixing] with CoefficientsOnly. The losses of the first two are those of the exact minimiser's density at the
	// released coefficients; the noise that hides how near the solver came adds ε₀ to them ([pdp]); what a report has noisy
	// statistics for is not in them: it costs a row at most [pdp.View].Report more.
	Audit(ctx context.Context, released V) (Audit, error)

	sealed
}

// sealed keeps other packages from making plans: a plan is priced by what made it.
type sealed interface{ plan() *plan }

// newPlan is called by functions that are not inlined: a program that inlines them compiles typedPlan and m's adapter too.
func newPlan[V any](p Pipeline, m mechanism.Mechanism[V]) Plan[V] {
	with := func(m any) *plan {
		of := m.(mechanism.Mechanism[V])
		return &plan{p: p, m: of, of: mechanism.Typed[V]{M: of}}
	}
	pl := aimed(with(m), with)
	pl.with = with
	pl.wanted, _ = query.AimOf(m)
	return typedPlan[V]{held{lawful(pl, m, with)}}
}

// newPlanAmong is newPlan of a mechanism beside others for the same question.
func newPlanAmong[V any](p Pipeline, m mechanism.Mechanism[V], ends func(written *plan) []ending) Plan[V] {
	pl := newPlan[V](p, m)
	of := pl.plan()
	if of.ends = ends; of.otherwise != nil {
		of.otherwise.ends = ends
	}
	return pl
}

// typedPlan is a plan whose value is a V: the one [Plan].
type typedPlan[V any] struct{ held }

// held is a plan of any value, in the hands of a typedPlan.
type held struct{ of *plan }

func (h held) plan() *plan { return h.of }

func (pl typedPlan[V]) Named(name string) Plan[V] { return typedPlan[V]{held{pl.of.named(name)}} }

func (pl typedPlan[V]) Fresh() Plan[V] { return typedPlan[V]{held{pl.of.redrawn()}} }

func (pl typedPlan[V]) WithoutPrediction() Plan[V] { return typedPlan[V]{held{pl.of.blinded()}} }

func (pl typedPlan[V]) Weight(w float64) Plan[V] { return typedPlan[V]{held{pl.of.weighing(w)}} }

func (pl typedPlan[V]) Of(r Result[Joint]) (Result[V], error) {
	own, err := pl.of.gaussian().among(r)
	return resultOf[V](own), err
}

func (pl typedPlan[V]) Within(margin, level float64) Plan[V] {
	return typedPlan[V]{held{pl.of.within(margin, level)}}
}

func (pl typedPlan[V]) Cost() (Cost, error) { return pl.of.now().Cost() }

func (pl typedPlan[V]) Event() (accountant.Event, accountant.Neighbours, error) {
	return pl.of.now().event()
}

func (pl typedPlan[V]) Explain() (string, error) { return pl.of.now().explain() }

func (pl typedPlan[V]) Error(level float64) (cost.Prediction, error) {
	return pl.of.now().predicted(level)
}

func (pl typedPlan[V]) Compare() (Comparison, error) {
	c, _, err := pl.of.gaussian().compare()
	return c, err
}

func (pl typedPlan[V]) Recommended() (Plan[V], error) {
	best, err := pl.of.gaussian().recommended()
	if err != nil {
		return nil, err
	}
	return typedPlan[V]{held{best}}, nil
}

func (pl typedPlan[V]) Release(ctx context.Context) (Result[V], error) {
	r, err := pl.of.release(ctx)
	return resultOf[V](r), err
}

// resultOf is a result whose value is a *V, or nil where there is none.
func resultOf[V any](r Result[any]) Result[V] {
	out := Result[V]{
		Guarantee: r.Guarantee, NotPrivate: r.NotPrivate, Refused: r.Refused, Cost: r.Cost, Entry: r.Entry,
		Replayed: r.Replayed, When: r.When, Status: r.Status,
	}
	out.Value, _ = pointed(r.Value).(V)
	return out
}

func (pl typedPlan[V]) Replicate(ctx context.Context, releases int) ([]V, error) {
	all, err := pl.of.replicate(ctx, releases)
	if err != nil {
		return nil, err
	}
	out := make([]V, len(all))
	for i, v := range all {
		out[i] = pointed(v).(V)
	}
	return out, nil
}

// pointed is what a releaser's *V points to; nil for nil.
func pointed(v any) any {
	if v == nil {
		return nil
	}
	return reflect.ValueOf(v).Elem().Interface()
}

func (pl typedPlan[V]) Audit(ctx context.Context, released V) (Audit, error) {
	return pl.of.now().audit(ctx, released)
}

// plan is a [Plan] of any value.
type plan struct {
	p     Pipeline
	m     any                // the mechanism, for what it may say beside
	of    mechanism.Releaser // of m
	name  string
	fresh bool
	blind bool  // no prediction
	amiss error // why no ε keeps what is asked of the release's error

	with   func(m any) *plan // the plan with another mechanism of its kind
	wanted Target            // as the plan was made, with the margin that it asked for
	weight float64           // among plans that are released together; 0 stands for 1
	odd    bool              // the weight is none: see weighing
	beside int               // how many plans it is released together with; 0: alone
	joint  *joint            // the plans that it releases together; m is nil then
	// otherwise makes the release where the ledger's part for pure releases has no room for this one, whose law was chosen for
	// that part; nil where no law was chosen. It has the name and the rest of the plan that it was made for.
	otherwise *plan
	rivals    []*plan                      // of the other laws of pure ε: what a version before released by them replays
	ends      func(written *plan) []ending // mechanisms for the same question; nil where it is the only one
}

func (pl *plan) clone() *plan { c := *pl; return &c }

func (pl *plan) named(name string) *plan { c := pl.clone(); c.name = name; return c }

func (pl *plan) redrawn() *plan { c := pl.clone(); c.fresh = true; return c }

func (pl *plan) blinded() *plan { c := pl.clone(); c.blind = true; return c }

// Cost is [Plan.Cost].
func (pl *plan) Cost() (Cost, error) {
	if pl.joint != nil {
		return pl.jointCost()
	}
	if pl.p.s != nil && pl.p.s.mode == modePublic {
		return Cost{}, errors.New("dpkit: cost: the data was declared public: there is nothing to price")
	}
	q, err := pl.quote()
	if err != nil {
		return Cost{}, err
	}
	return pl.costOf(q), nil
}

// costOf is the cost of a plan that was quoted.
func (pl *plan) costOf(q quote) Cost {
	c := cost.WithLaw(pl.p.s.priced(q.cost(), q.price.Event), q.law(q.price.Event))
	if pl.p.s.mode == modeDemo {
		c.NotPrivate = demoReason
	}
	if p := q.made.Predicted; p.Known() {
		at := predictionAt(p, warningLevel)
		at.Unknown = pl.leftOut(q)
		c.Predicted = &at
	}
	if w := cmp.Or(q.idle(), pl.lost(q)); w != "" {
		c.Warnings = append(c.Warnings, w)
	}
	return c
}

// event is [Plan.Event].
func (pl *plan) event() (accountant.Event, accountant.Neighbours, error) {
	if pl.joint != nil {
		return pl.jointEvent()
	}
	if pl.p.s != nil && pl.p.s.mode == modePublic {
		return nil, 0, errors.New("dpkit: event: the data was declared public: there is nothing to price")
	}
	q, err := pl.quote()
	if err != nil {
		return nil, 0, err
	}
	return q.price.Event, q.end.Before.Neighbours, nil
}

func (pl *plan) explain() (string, error) {
	c, err := pl.Cost()
	if err != nil {
		return "", err
	}
	return c.String(), nil
}

// String is the plan as a chain is written: the text that [Parse] reads.
func (h held) String() string { return h.of.String() }

func (pl *plan) String() string {
	chain := texts(pl.p.steps)
	if pl.joint != nil {
		chain = append(chain, pl.joint.text())
	} else {
		chain = append(chain, kind.TextOf(pl.m))
	}
	if pl.blind {
		chain = append(chain, "WithoutPrediction()")
	}
	if pl.name != "" {
		chain = append(chain, kind.Call("Named", strconv.Quote(pl.name)))
	}
	if pl.weight != 0 || pl.odd {
		chain = append(chain, kind.Call("Weight", kind.Decimal(pl.weight)))
	}
	return strings.Join(chain, ".")
}
