package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/internal/progress"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// release is [Plan.Release]; the value is a *V, or nil where there is none.
func (pl *plan) release(ctx context.Context) (Result[any], error) {
	if pl.joint != nil {
		return pl.releaseJoint(ctx)
	}
	var zero Result[any]
	q, err := pl.quote()
	if err != nil {
		return zero, err
	}
	if err := pl.ready(q); err != nil {
		return zero, err
	}
	if err := pl.initialised(); err != nil {
		return zero, err
	}
	if err := pl.refuseAfar(ctx, q); err != nil {
		return zero, err
	}
	s := pl.p.s
	if q.made.Unread != "" {
		return pl.releaseUnread(ctx, q)
	}
	switch s.mode {
	case modePublic:
		v, err := pl.run(ctx, q, nil)
		if err != nil {
			return zero, err
		}
		return pl.finish(q, v, Result[any]{NotPrivate: "computed without noise on data that its owner declared public"})
	case modeDemo:
		v, err := pl.run(ctx, q, noise.NewDemo(s.seed))
		if err != nil {
			return zero, err
		}
		return pl.finish(q, v, Result[any]{NotPrivate: demoReason})
	case modePrivate:
		if pl.otherwise != nil {
			return pl.chargeEither(ctx, q)
		}
	}
	return pl.charge(ctx, q)
}

// releaseUnread makes a release of public facts alone: no row is read, and the ledger is not asked.
func (pl *plan) releaseUnread(ctx context.Context, q quote) (Result[any], error) {
	draw, err := q.made.Read(ctx, nil)
	if err != nil {
		return Result[any]{}, err
	}
	v, err := draw(ctx, nil)
	if err != nil {
		return Result[any]{}, err
	}
	r := Result[any]{Guarantee: q.price.Guarantee}
	if pl.p.s.mode == modeDemo {
		r = Result[any]{NotPrivate: demoReason}
	}
	if pl.p.s.ledger != nil {
		if r.Status, err = pl.p.s.ledger.Status(); err != nil {
			return Result[any]{}, fmt.Errorf("dpkit: release: %w", err)
		}
		r.Status = pl.p.s.remarked(r.Status)
	}
	return pl.finish(q, outcome{Value: v}, r)
}

// ready reports what a release lacks that a price does not need.
func (pl *plan) ready(q quote) error {
	if _, ok := pl.of.Zero().(models.Deployed); ok && !pl.blind {
		if _, err := q.deploy(nil); err != nil {
			return err
		}
	}
	if m, ok := pl.m.(mechanism.Readier); ok {
		if err := m.Ready(); err != nil {
			return fmt.Errorf("dpkit: release: %s: %w", kind.Describe(pl.m), err)
		}
	}
	return nil
}

// initialised refuses a release that every later cell of a notebook would make again.
func (pl *plan) initialised() error {
	if (pl.name == "" || pl.fresh) && calledFromInitialiser() {
		return fmt.Errorf("dpkit: release: it runs while variables are initialised, which a notebook does again in every later cell; move it into the cell's body, or name it with Named(…) and without Fresh so that it replays: %w", ErrInitialiser)
	}
	return nil
}

// charge makes a private release through the ledger.
func (pl *plan) charge(ctx context.Context, q quote) (Result[any], error) {
	req, err := pl.request(ctx, q)
	if err != nil {
		return Result[any]{}, err
	}
	receipt, at, err := pl.chargeAs(ctx, q, req)
	if err != nil {
		return Result[any]{}, err
	}
	return pl.charged(q, req, receipt, at)
}

// chargeAs asks the ledger for the request's value. at is nil where nothing was drawn.
func (pl *plan) chargeAs(ctx context.Context, q quote, req ledger.Request) (receipt ledger.Receipt, at *quote, err error) {
	charged := false
	receipt, err = pl.p.s.ledger.Release(ctx, req, func(ctx context.Context) (json.RawMessage, error) {
		charged = true
		out, err := pl.run(ctx, q, noise.New())
		if err != nil {
			return nil, err
		}
		at = out.at
		if q.asks() {
			return json.Marshal(out)
		}
		return json.Marshal(out.Value)
	})
	if err != nil {
		if charged {
			pl.taggedFailure(q, req)
		}
		return receipt, at, fmt.Errorf("dpkit: release: %w", err)
	}
	return receipt, at, nil
}

// charged reads what the ledger returned.
func (pl *plan) charged(q quote, req ledger.Request, receipt ledger.Receipt, at *quote) (Result[any], error) {
	var err error
	out := outcome{Value: pl.of.Zero(), at: at} // to decode into
	if q.asks() {
		err = json.Unmarshal(receipt.Value, &out)
	} else {
		err = json.Unmarshal(receipt.Value, out.Value)
	}
	if err != nil {
		return Result[any]{}, fmt.Errorf("dpkit: release: the ledger's value cannot be read by this version: %w", err)
	}
	g := receipt.Guarantee // as it was charged, which a version before may have taken for unconditional
	for i, step := range pl.p.steps {
		g = g.Within(believed(i+1, step))
	}
	r, err := pl.finish(q, out, Result[any]{
		Guarantee: g, Entry: req.ID, Replayed: receipt.Replayed, When: receipt.When, Status: pl.p.s.remarked(receipt.Status),
	})
	pl.tagged(r, req.Event, false)
	return r, err
}

// outcome is what a release draws. All of it is released: it may be stored.
type outcome struct {
	Value any `json:"value"` // a *V; nil where a test did not pass
	// Learnt are the row maps that private fits of the chain learnt, by position from 0.
	Learnt map[int]stage.RowMap `json:"learnt,omitempty"`
	// Bounds are those that the private bounds of a step came out at, in order, likewise.
	Bounds map[int][]float64 `json:"bounds,omitempty"`
	// Refused names the test that did not pass; there is no value then.
	Refused string `json:"refused,omitempty"`

	at *quote // settled at the bounds that came out; nil: not known, as behind a replay
}

// run fits every step in turn and draws the release; rng is nil on public data.
func (pl *plan) run(ctx context.Context, q quote, rng *noise.Source) (outcome, error) {
	q = q.read(pl.p.s.schema, pl.m)
	src, err := pl.readable(pl.p.s.src, q.columns)
	if err != nil {
		return outcome{}, fmt.Errorf("dpkit: release: %w", err)
	}
	a, err := q.follow(ctx, src, rng)
	switch {
	case err != nil || a.refused != "":
	case rng != nil && a.q.made.Packs:
		a.rows, err = rows.HoldForPasses(ctx, a.rows)
	case rng == nil || !a.q.made.Once || !rows.Near(a.rows):
		a.rows, err = rows.Hold(ctx, a.rows)
	}
	out := outcome{Value: pl.of.Zero(), Learnt: a.learnt, Bounds: a.bounds, Refused: a.refused}
	if a.refused != "" {
		out.Value = nil
	}
	if err != nil || a.refused != "" {
		return out, err
	}
	if rng == nil {
		out.Value, err = pl.of.Exact(ctx, pl.table(a.rows), a.q.end)
		return out, err
	}
	if len(a.bounds) > 0 {
		if a.q, err = a.q.resettled(); err != nil {
			return out, err
		}
	}
	out.at = &a.q
	draw, err := a.q.made.Read(ctx, pl.table(a.rows))
	if err != nil {
		return out, err
	}
	out.Value, err = draw(ctx, rng)
	var no linear.Refusal
	if errors.As(err, &no) {
		out.Value, out.Refused = nil, no.What
		return out, nil
	}
	return out, err
}

// cameOut is the quote at the bounds of an outcome.
func (pl *plan) cameOut(q quote, out outcome) (quote, error) {
	if out.at != nil {
		return *out.at, nil
	}
	if len(out.Bounds) == 0 {
		return q, nil
	}
	for i := range q.stages { // in order: a later bound rests on an earlier one
		b, ok := out.Bounds[i]
		if !ok {
			continue
		}
		var err error
		if q, err = q.rest(i, b); err != nil {
			return q, err
		}
	}
	return q.resettled()
}

// finish makes the result of an outcome.
func (pl *plan) finish(q quote, out outcome, r Result[any]) (Result[any], error) {
	s := pl.p.s
	event := q.price.Event // as it was charged
	q, err := pl.cameOut(q, out)
	if err != nil {
		return r, err
	}
	if s.mode != modePublic {
		r.Cost = cost.WithLaw(s.priced(q.cost(), event), q.law(event))
		r.Cost.Warnings = append(r.Cost.Warnings, q.stillWide(out.Bounds)...)
	}
	if out.Refused != "" {
		r.Refused = out.Refused
		return r, fmt.Errorf("dpkit: release: %s: %w", out.Refused, ErrTestFailed)
	}
	if err := pl.complete(q, out, pl.provenance(r)); err != nil {
		return r, err
	}
	r.Value = out.Value
	return r, nil
}

// complete gives the value of an outcome what it carries along.
func (pl *plan) complete(q quote, out outcome, from origin.Provenance) error {
	if d, ok := out.Value.(models.Deployed); ok && !pl.blind {
		ops, err := q.deploy(out.Learnt)
		if err != nil {
			return err
		}
		models.Deploy(d, q.readable(pl.p.s.schema), ops)
	}
	if v, ok := out.Value.(origin.Carrier); ok {
		*origin.Of(v) = from
		origin.Of(v).Part = pl.p.s.readPart(q)
		if _, ok := out.Value.(models.Predictor); ok {
			origin.Of(v).Predicted, origin.Of(v).PredictedOf = q.expected()
		}
	}
	return nil
}

// provenance is what the value of a result carries along.
func (pl *plan) provenance(r Result[any]) origin.Provenance {
	o := origin.Provenance{Release: kind.Describe(pl.m) + pl.company(), NotPrivate: r.NotPrivate}
	if o.NotPrivate == "" {
		o.Guarantee = &r.Guarantee
		o.Unit, o.Dataset, o.Entry, o.Charged = r.Guarantee.Unit.String(), r.Status.Dataset, r.Entry, r.When
	}
	return o
}

// applied is the end of a chain that was fitted to rows.
type applied struct {
	rows    frames.Source
	q       quote // priced with the bounds that came out
	learnt  map[int]stage.RowMap
	bounds  map[int][]float64
	refused string // the test that did not pass
}

// apply is [quote.follow] with the rows at the end at hand, where they may be held.
func (q quote) apply(ctx context.Context, src frames.Source, rng *noise.Source) (applied, error) {
	out, err := q.follow(ctx, src, rng)
	if err == nil && out.refused == "" {
		out.rows, err = rows.Hold(ctx, out.rows)
	}
	return out, err
}

// follow asks every step's queries and fits it, in turn; rng is nil on public data. The rows at the end are mapped as they are read.
func (q quote) follow(ctx context.Context, src frames.Source, rng *noise.Source) (applied, error) {
	kept := src // a table that is not the chain's own
	src, err := q.load(ctx, src)
	if err != nil {
		return applied{}, fmt.Errorf("dpkit: %w", err)
	}
	out := applied{rows: src, q: q, learnt: map[int]stage.RowMap{}, bounds: map[int][]float64{}}
	report := progress.Of(ctx)
	defer report(len(q.stages), len(q.stages))
	for i := range q.stages {
		report(i, len(q.stages))
		s := &out.q.stages[i]
		fail := func(err error) (applied, error) {
			return applied{}, fmt.Errorf("dpkit: step %d %s: %w", i+1, kind.Describe(s.Step), err)
		}
		if learns(*s) {
			if out.rows, err = rows.Hold(ctx, out.rows); err != nil {
				return fail(err)
			}
		}
		a, err := s.ask(ctx, out.rows, rng)
		if err != nil {
			return fail(err)
		}
		if a.refused != "" {
			out.refused = fmt.Sprintf("step %d %s: %s", i+1, kind.Describe(s.Step), a.refused)
			return out, nil
		}
		if a.learnt != nil {
			out.learnt[i] = a.learnt
		}
		if len(a.bounds) > 0 {
			out.bounds[i] = a.bounds
			if out.q, err = out.q.rest(i, a.bounds); err != nil {
				return applied{}, err
			}
			s = &out.q.stages[i]
		}
		t, err := s.fit(ctx, out.rows, a)
		if err != nil {
			return fail(err)
		}
		if out.rows, err = q.transformed(ctx, out.rows, kept, i, *s, t); err != nil {
			return fail(err)
		}
	}
	return out, nil
}

// learns reports a step that may read the rows before it, of its queries or to fit itself.
func learns(s stageOf) bool {
	return s.Role != stage.RolePublic || len(s.expenses) > 0 || !kind.IsOwn(s.Step)
}
