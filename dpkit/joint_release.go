package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// jointOutcome is what a release of several plans draws: all of it, or nothing.
type jointOutcome struct {
	Together []outcome `json:"together"`
}

// releaseJoint is [Plan.Release] of [Together]; the value is a *Joint.
func (pl *plan) releaseJoint(ctx context.Context) (Result[any], error) {
	var zero Result[any]
	j := pl.joint
	q, err := pl.drawable()
	if err != nil {
		return zero, err
	}
	if pl.blind {
		return zero, fmt.Errorf("dpkit: together: got WithoutPrediction on all plans, want it on those of models: %w", ErrParameter)
	}
	for i, p := range q.parts {
		if err := p.pl.ready(p.q); err != nil {
			return zero, j.at(i, err)
		}
	}
	if err := pl.initialised(); err != nil {
		return zero, err
	}
	for i, p := range q.parts {
		if err := p.pl.refuseAfar(ctx, p.q); err != nil {
			return zero, j.at(i, err)
		}
	}
	switch j.s.mode {
	case modePublic:
		out, err := j.draw(ctx, q, nil)
		if err != nil {
			return zero, err
		}
		return pl.finishJoint(q, out, Result[any]{NotPrivate: "computed without noise on data that its owner declared public"})
	case modeDemo:
		out, err := j.draw(ctx, q, noise.NewDemo(j.s.seed))
		if err != nil {
			return zero, err
		}
		return pl.finishJoint(q, out, Result[any]{NotPrivate: demoReason})
	default:
		return pl.chargeJoint(ctx, q)
	}
}

// drawable is what is released: priced, or, on data that was declared public, without a price.
func (pl *plan) drawable() (*jointQuote, error) {
	j := pl.joint
	if j.s == nil || j.s.mode != modePublic {
		q, err := j.calibrated()
		if err == nil {
			q.readTogether(j.s)
		}
		return q, err
	}
	if err := j.check(); err != nil {
		return nil, err
	}
	q := &jointQuote{parts: make([]jointPart, len(j.members))}
	for i, pl := range j.members {
		p, err := j.settle(aim{pl: pl}, j.target.Epsilon, j.target.Delta)
		if err != nil {
			return nil, j.at(i, err)
		}
		q.parts[i] = p
	}
	q.readTogether(j.s)
	return q, nil
}

// chargeJoint makes a private release through the ledger: one charge for all plans.
func (pl *plan) chargeJoint(ctx context.Context, q *jointQuote) (Result[any], error) {
	var zero Result[any]
	j := pl.joint
	req, err := pl.jointRequest(ctx, q)
	if err != nil {
		return zero, err
	}
	var drawn []outcome
	charged := false
	receipt, err := j.s.ledger.Release(ctx, req, func(ctx context.Context) (json.RawMessage, error) {
		charged = true
		out, err := j.draw(ctx, q, noise.New())
		if err != nil {
			return nil, err
		}
		drawn = out
		return json.Marshal(jointOutcome{out})
	})
	if err != nil {
		if charged {
			pl.taggedFailure(quote{price: q.bill()}, req)
		}
		return zero, fmt.Errorf("dpkit: release: %w", err)
	}
	out, err := q.outcomes(receipt.Value)
	if err != nil {
		return zero, fmt.Errorf("dpkit: release: the ledger's value cannot be read by this version: %w", err)
	}
	g := receipt.Guarantee // as it was charged, which a version before may have taken for unconditional
	for i, p := range q.parts {
		for k, step := range p.pl.p.steps {
			g = g.Within(believed(k+1, step))
		}
		if drawn != nil {
			out[i].at = drawn[i].at
		}
	}
	r, err := pl.finishJoint(q, out, Result[any]{
		Guarantee: g, Entry: req.ID, Replayed: receipt.Replayed, When: receipt.When, Status: j.s.remarked(receipt.Status),
	})
	pl.tagged(r, req.Event, false)
	return r, err
}

// outcomes reads what was stored.
func (q *jointQuote) outcomes(stored json.RawMessage) ([]outcome, error) {
	var all struct {
		Together []json.RawMessage `json:"together"`
	}
	if err := json.Unmarshal(stored, &all); err != nil {
		return nil, err
	}
	if len(all.Together) != len(q.parts) {
		return nil, fmt.Errorf("it has %d values for %d plans", len(all.Together), len(q.parts))
	}
	out := make([]outcome, len(q.parts))
	for i, p := range q.parts {
		out[i].Value = p.pl.of.Zero() // to decode into
		if err := json.Unmarshal(all.Together[i], &out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// draw releases each plan in turn from one source of noise; rng is nil on public data. What one released is dropped where another fails.
func (j *joint) draw(ctx context.Context, q *jointQuote, rng *noise.Source) ([]outcome, error) {
	out := make([]outcome, len(q.parts))
	for i, p := range q.parts {
		err := ctx.Err()
		if err == nil {
			out[i], err = p.pl.run(ctx, p.q, rng)
		}
		if err != nil {
			return nil, j.at(i, err)
		}
	}
	return out, nil
}

// finishJoint makes the result of all outcomes, each of which is under the guarantee of all.
func (pl *plan) finishJoint(q *jointQuote, out []outcome, all Result[any]) (Result[any], error) {
	v := &Joint{}
	for i, p := range q.parts {
		r, err := p.pl.finish(p.q, out[i], all)
		if err != nil && !(r.Refused != "" && errors.Is(err, ErrTestFailed)) {
			return all, pl.joint.at(i, err)
		}
		if pl.joint.s.mode != modePublic {
			r.Cost.Charged = Budget{}
			r.Cost.Together = &q.guarantee
		}
		v.keys, v.all = append(v.keys, pl.joint.members[i].key()), append(v.all, r)
	}
	if pl.joint.s.mode != modePublic {
		all.Cost = pl.jointCostOf(q)
	}
	all.Value = v
	return all, nil
}

// replicateJoint is [Plan.Replicate] of [Together].
func (pl *plan) replicateJoint(ctx context.Context, releases int) ([]any, error) {
	q, err := pl.drawable()
	if err != nil {
		return nil, err
	}
	out := make([]any, releases)
	for i := range out {
		drawn, err := pl.joint.draw(ctx, q, noise.NewDemo(pl.joint.s.seed+uint64(i)))
		if err != nil {
			return nil, err
		}
		r, err := pl.finishJoint(q, drawn, Result[any]{NotPrivate: demoReason})
		if err != nil {
			return nil, err
		}
		out[i] = r.Value
	}
	return out, nil
}

// jointRequest is how the release is asked for at the ledger. Its identity is the ordered list of the plans, each with its weight and name,
// and the target of all; targets of the plans themselves say nothing.
func (pl *plan) jointRequest(ctx context.Context, q *jointQuote) (ledger.Request, error) {
	fail := func(err error) (ledger.Request, error) {
		return ledger.Request{}, fmt.Errorf("dpkit: release: %w", err)
	}
	s := pl.p.s
	chain, err := pl.jointIdentity()
	if err != nil {
		return ledger.Request{}, err
	}
	var refs []string
	for _, p := range q.parts {
		_, ref := p.pl.statement(p.q)
		if ref != "" && !strings.Contains(strings.Join(refs, "; "), ref) {
			refs = append(refs, ref)
		}
	}
	columns := s.own(q.parts[0].q.columns)
	data, err := s.fingerprint(ctx, columns...)
	if err != nil {
		return fail(err)
	}
	split, part, err := pl.jointPart(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	arranged, err := pl.jointArrangement(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	data += arranged // as in request
	others, bound, err := pl.jointSecond(ctx, q)
	if err != nil {
		return ledger.Request{}, err
	}
	data += others
	req := ledger.Request{
		ID:   hashOf(identityOf{identityVersion, data, s.neighbours, chain, pl.name}),
		Name: pl.name, Fresh: pl.fresh, Event: q.event, Guarantee: q.guarantee,
		Version: s.version, Columns: bound, Rows: s.rows, Split: split, Part: part,
		Mechanism: shortened(pl.String()), Reference: shortened(strings.Join(refs, "; ")),
	}
	for _, c := range columns {
		sum, err := s.boundFingerprint(ctx, c)
		if err != nil {
			return fail(err)
		}
		req.Columns[boundName(c)] = sum
	}
	return req, nil
}

// jointPart is the part that all of the plans read alone, "" where they read several.
func (pl *plan) jointPart(ctx context.Context, q *jointQuote) (split, part string, err error) {
	for i, p := range q.parts {
		s, of, err := pl.joint.s.part(ctx, p.q)
		if err != nil {
			return "", "", err
		}
		if i == 0 {
			split, part = s, of
		} else if s != split || of != part { //dp:charges holdout/joint-of-both-sides each side is charged for its own
			split, part = "", ""
		}
	}
	return split, part, nil
}

// jointArrangement names the splits that any of the plans reads a part of, each once.
func (pl *plan) jointArrangement(ctx context.Context, q *jointQuote) (all string, err error) {
	seen := map[string]bool{}
	for _, p := range q.parts {
		of, err := pl.joint.s.arrangement(ctx, p.q)
		if err != nil {
			return "", err
		}
		if !seen[of] {
			seen[of] = true
			all += of
		}
	}
	return all, nil
}

// readTogether gives each plan the columns that any of them reads, so that plans which choose rows
// of a person choose the same ones.
func (q *jointQuote) readTogether(s *Session) {
	var all []string
	for _, p := range q.parts {
		for _, c := range p.q.reads(s.schema, p.pl.m) {
			if !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	for i := range q.parts {
		q.parts[i].q.columns = all
	}
}

// jointLaw is the version of how a target is parted among plans.
const jointLaw = 1

// jointIdentity is the chain of the identity. A mechanism has the least law whose values replay: they replay here too.
func (pl *plan) jointIdentity() ([]stepIdentity, error) {
	j := pl.joint
	chain := []stepIdentity{{Kind: "together", Law: jointLaw, Text: kind.Named("Together", j.target)}}
	for i, m := range j.members {
		own := m.clone()
		if zero, ok := m.retargeted(0, 0); ok {
			own = zero
		}
		list, err := own.chainIdentity()
		if err != nil {
			return nil, j.at(i, err)
		}
		if k, _ := kind.KindFor(m.m); k.Replays > 0 {
			list[len(list)-1].Law = k.Replays
		}
		text := kind.Call("Weight", kind.Decimal(m.part()))
		if m.name != "" {
			text += kind.Call(".Named", fmt.Sprintf("%q", m.name))
		}
		chain = append(append(chain, stepIdentity{Kind: "together/plan", Law: jointLaw, Text: text}), list...)
	}
	return chain, nil
}
