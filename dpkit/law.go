package dpkit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// The law of the noise of a target that names none. It is Laplace noise, or geometric noise of counts, where that is predicted to be off by less, or to need less ε for the
// same margin, and the ledger would charge it as no more than Gaussian noise of the same target: by its configuration, which was fixed
// when it was made, and is public. What is left of a ledger is a matter of its history. It is in no plan and in no identity: where the
// part for pure releases is full, the release is made with Gaussian noise, under the identity that it has in ledgers without such a part.

// WithPure is a demonstration of releases from a ledger that keeps such a part of ε for releases of pure DP ([Options].Pure): plans take
// the law of noise that they would take there while there is room. It is 0 in a demonstration without; sessions on private data have what
// their ledger keeps, and refuse.
func (s *Session) WithPure(epsilon float64) (*Session, error) {
	if s.mode != modeDemo {
		return nil, fmt.Errorf("dpkit: with pure: got a session that is no demonstration, want one that Demo returned: what a ledger keeps is Options.Pure: %w", ErrParameter)
	}
	if !(epsilon >= 0) {
		return nil, fmt.Errorf("dpkit: with pure: got %g, want 0 or a part of the budget's ε: %w", epsilon, ErrParameter)
	}
	// The hashes of rows are for ledgers alone.
	return &Session{src: s.src, schema: s.schema, rows: s.rows, neighbours: s.neighbours, mode: s.mode, version: s.version, seed: s.seed, held: s.held, pure: epsilon, unit: s.unit, tables: s.tables}, nil
}

// keepsPure says whether the session's ledger may charge pure releases by themselves.
func (s *Session) keepsPure() bool {
	return s.pure > 0 || s.ledger != nil && s.ledger.Config().Pure > 0
}

// prefersPure says whether a pure release is charged by itself, as no more than the other: by what is fixed, and public.
func (s *Session) prefersPure(pure, other quote) (bool, error) {
	if s.ledger == nil {
		return pure.price.Guarantee.Epsilon <= s.pure, nil
	}
	return s.ledger.PrefersPure(pure.price.Event, other.price.Event)
}

// lawful is a plan with the law of noise chosen, where its target names none: pl with Gaussian noise, or the one of asked with noise of a
// pure law that has pl to fall back on. A plan that has no price stays as it is and tells why.
func lawful(pl *plan, asked any, with func(m any) *plan) *plan {
	s := pl.p.s
	if s == nil || !s.keepsPure() || pl.amiss != nil {
		return pl
	}
	laws := query.PureLaws(asked)
	if len(laws) == 0 {
		return pl
	}
	gaussian, err := pl.quote()
	if err != nil {
		return pl
	}
	best, least := pl, gaussian
	var rivals []*plan
	for _, law := range laws {
		other := aimed(with(law), with)
		if other.amiss != nil {
			continue
		}
		q, err := other.quote()
		if err != nil { // private queries of the chain take a share of a Gaussian's budget, and tests a δ
			continue
		}
		rivals = append(rivals, other)
		if ok, err := s.prefersPure(q, gaussian); ok && err == nil && better(q, least) {
			best, least = other, q
		}
	}
	if best != pl {
		best.otherwise, best.with, best.wanted = pl, pl.with, pl.wanted
		best.rivals = slices.DeleteFunc(rivals, func(other *plan) bool { return other == best })
	}
	return best
}

// better says whether a is predicted to be off by less than b, and nowhere by more, or needs less ε for the margin that both keep.
func better(a, b quote) bool {
	p, r := a.made.Predicted, b.made.Predicted
	if p.Law == "" || r.Law == "" || len(p.Size) != len(r.Size) {
		return false
	}
	if a.price.Guarantee.Epsilon < 0.999*b.price.Guarantee.Epsilon { // else they are the same but for rounding
		return true
	}
	if (p.Rest == nil) != (r.Rest == nil) || p.Rest != nil && !slices.Equal(p.Rest.Size, r.Rest.Size) {
		return false
	}
	less := false
	for i, v := range p.Size {
		if !(v <= r.Size[i]) {
			return false
		}
		less = less || v < r.Size[i]
	}
	return less
}

// called is another law of the plan under what was said of it since.
func (pl *plan) called(law *plan) *plan {
	c := *law
	c.p, c.name, c.fresh, c.blind, c.weight, c.odd = pl.p, pl.name, pl.fresh, pl.blind, pl.weight, pl.odd
	return &c
}

// gaussian is the plan with the noise that a ledger without a part for pure releases gives it.
func (pl *plan) gaussian() *plan {
	if pl == nil || pl.otherwise == nil {
		return pl
	}
	return pl.called(pl.otherwise)
}

// now is the plan as a release that was not made yet would be made: with Gaussian noise where the ledger has no room for the law that was
// chosen.
func (pl *plan) now() *plan {
	if pl.otherwise == nil || pl.p.s == nil || pl.p.s.ledger == nil {
		return pl
	}
	left, err := pl.p.s.ledger.PureLeft()
	if err != nil {
		return pl
	}
	if q, err := pl.quote(); err != nil || q.price.Guarantee.Epsilon <= left {
		return pl
	}
	return pl.gaussian()
}

// chargeEither makes a private release whose law was chosen: with what is stored of it under any law, else from the part for pure
// releases, else with Gaussian noise.
func (pl *plan) chargeEither(ctx context.Context, q quote) (Result[any], error) {
	var zero Result[any]
	type law struct {
		pl  *plan
		q   quote
		req ledger.Request
	}
	var others []law // those of pure ε of which versions before chose, the Gaussian one last
	for _, other := range append(slices.Clone(pl.rivals), pl.otherwise) {
		other = pl.called(other)
		oq, err := other.quote()
		if err != nil {
			return zero, err
		}
		req, err := other.request(ctx, oq)
		if err != nil {
			return zero, err
		}
		others = append(others, law{other, oq, req})
	}
	req, err := pl.request(ctx, q)
	if err != nil {
		return zero, err
	}
	req.PureOnly = true
	for _, o := range others {
		req.OldIDs = append(append(req.OldIDs, o.req.ID), o.req.OldIDs...)
	}
	receipt, at, err := pl.chargeAs(ctx, q, req)
	if errors.Is(err, ledger.ErrPureLeft) {
		last := others[len(others)-1]
		last.req.OldIDs = append(last.req.OldIDs, req.ID) // a release beside this one may have stored it meanwhile
		receipt, at, err = last.pl.chargeAs(ctx, last.q, last.req)
	}
	if err != nil {
		return zero, err
	}
	for _, o := range others {
		if receipt.ID == o.req.ID || slices.Contains(o.req.OldIDs, receipt.ID) {
			return o.pl.charged(o.q, o.req, receipt, at)
		}
	}
	return pl.charged(q, req, receipt, at)
}
