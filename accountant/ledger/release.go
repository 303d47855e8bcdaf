package ledger

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
)

// Receipt is a released value and what it cost.
type Receipt struct {
	Value     json.RawMessage      `json:"value"`        // compact JSON
	Replayed  bool                 `json:"replayed"`     // the value was stored before: nothing was charged now
	ID        string               `json:"id,omitempty"` // that it was charged under: Request.ID or one of OldIDs
	When      time.Time            `json:"when"`         // time of the charge
	Guarantee accountant.Guarantee `json:"guarantee,omitzero"`
	Status    Status               `json:"status,omitzero"`
}

// What the file says of a draw that gave no value. An error's own text could hold anything.
const (
	reasonError   = "the draw returned an error"
	reasonCancel  = "the draw was cancelled"
	reasonPanic   = "the draw panicked or ended its goroutine"
	reasonInvalid = "the draw returned no valid JSON"
)

// inDraw is the context key that marks a draw under a ledger's lock.
type inDraw struct{ id fileID }

// Release returns the stored value of r.ID, or charges r.Event and draws a new one.
//
// It waits for other releases on the same file, in this process or another, until ctx ends. Then:
// a stored value is replayed, unless r.Fresh (draw is not called and nothing is charged); a charge
// without a value is [ErrInterrupted], unless r.Fresh; a cost that does not fit is [ErrBudget] and is
// not charged. Otherwise the charge is made durable, draw is called, and its value is made durable and
// returned. Once draw was called the charge stands, also if draw fails or panics or the value cannot
// be stored. The lock is held during the draw: draw must use neither Release on the same file nor
// rows that it does not pay for.
func (l *Ledger) Release(ctx context.Context, r Request, draw func(context.Context) (json.RawMessage, error)) (Receipt, error) {
	c, err := l.price(r)
	if err != nil {
		return Receipt{}, err
	}
	if draw == nil {
		return Receipt{}, fmt.Errorf("ledger: draw: got nil, want a function (release %s)", r.label())
	}
	if ctx.Value(inDraw{l.gate.id}) != nil {
		return Receipt{}, fmt.Errorf("ledger: asked inside the draw of another release, which holds the ledger: release one after the other (release %s)", r.label())
	}
	if l.readOnly {
		return Receipt{}, fmt.Errorf("ledger: %w: use Open (release %s)", ErrReadOnly, r.label())
	}
	if err := l.begin(); err != nil {
		return Receipt{}, err
	}
	defer l.end()
	if err := l.gate.lock(ctx, l.file, l.opt.lock); err != nil {
		return Receipt{}, err
	}
	defer l.gate.unlock(l.file)

	rc, replayed, err := l.replayOrCharge(ctx, r, c)
	if err != nil || replayed {
		return rc, err
	}
	l.opt.hook("charged")
	value, err := l.draw(ctx, r, draw)
	if err != nil {
		return Receipt{}, err
	}
	l.opt.hook("drawn")
	return l.storeValue(r, value, rc)
}

// price checks r and returns its cost. It needs no lock.
func (l *Ledger) price(r Request) ([]cost, error) {
	if err := checkID(r.ID); err != nil {
		return nil, fmt.Errorf("ledger: request: %w", err)
	}
	for _, id := range r.OldIDs {
		if err := checkID(id); err != nil {
			return nil, fmt.Errorf("ledger: request: old IDs: %w", err)
		}
	}
	if err := checkText("request: name", r.Name); err != nil {
		return nil, err
	}
	if err := errors.Join(r.validateTexts(), r.validateSplit()); err != nil {
		return nil, err
	}
	rel := l.Config().Neighbours
	g := r.Guarantee
	if g.Neighbours != rel {
		return nil, fmt.Errorf("ledger: guarantee: got %v, the ledger is kept for %v: price the release in the ledger's relation (release %s)", g.Neighbours, rel, r.label())
	}
	if unit := l.Config().Unit; g.Unit != unit {
		return nil, fmt.Errorf("ledger: guarantee: got one per %v, the ledger is kept per %v: whom it protects is fixed when it is made (release %s)", g.Unit, unit, r.label())
	}
	if g.Scope.Kind < accountant.Unconditional || g.Scope.Kind > accountant.Conditional {
		return nil, fmt.Errorf("ledger: guarantee: scope: got kind %d, want Unconditional, Tested or Conditional (release %s)", g.Scope.Kind, r.label())
	}
	if !(g.Epsilon >= 0) || math.IsInf(g.Epsilon, 0) || !(g.Delta >= 0) || !(g.Delta < 1) {
		return nil, fmt.Errorf("ledger: guarantee: got (%v, %v), want 0 ≤ ε < ∞ and 0 ≤ δ < 1 (release %s)", g.Epsilon, g.Delta, r.label())
	}
	c, err := costOf(r.Event, l.Config())
	if err != nil {
		return nil, fmt.Errorf("ledger: %w (release %s)", err, r.label())
	}
	return c, nil
}

// replayOrCharge reads what others appended, then replays r or makes its charge durable.
func (l *Ledger) replayOrCharge(ctx context.Context, r Request, c []cost) (rc Receipt, replayed bool, err error) {
	if rc, replayed, err = l.replay(r); err != nil || replayed {
		return rc, replayed, err
	}
	if err := l.refuseDraw(r); err != nil {
		return Receipt{}, false, err
	}
	if err := l.admit(r, c); err != nil {
		return Receipt{}, false, err
	}
	if err := ctx.Err(); err != nil {
		return Receipt{}, false, fmt.Errorf("ledger: %w: nothing was charged (release %s)", err, r.label())
	}
	// The project first: whatever happens in between, it counts at least what this ledger counts.
	if l.project != nil {
		if err := l.project.chargeProject(ctx, l, r); err != nil {
			return Receipt{}, false, fmt.Errorf("ledger: the project's ledger: %w", err)
		}
		l.opt.hook("project charged")
	}
	when, err := l.commit(ctx, r, c, "")
	if err != nil {
		return Receipt{}, false, err
	}
	return Receipt{ID: r.ID, When: when, Guarantee: r.Guarantee}, false, nil
}

// replay returns the stored value of r.ID, if there is one that r wants.
func (l *Ledger) replay(r Request) (rc Receipt, replayed bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return Receipt{}, false, err
	}
	seen, ok := l.hist.find(r)
	if !ok || r.Fresh {
		return Receipt{}, false, nil
	}
	if seen.stored < 0 {
		e, err := l.hist.load(seen.charge)
		if err != nil {
			return Receipt{}, false, err
		}
		return Receipt{}, false, l.hist.interrupted(e.Entry)
	}
	e, err := l.hist.load(seen.stored)
	if err != nil {
		return Receipt{}, false, err
	}
	v, err := l.hist.value(l.file, e)
	if err != nil {
		return Receipt{}, false, err
	}
	return Receipt{Value: v, Replayed: true, ID: e.ID, When: e.When, Guarantee: e.Guarantee, Status: l.status(false)}, true, nil
}

// admit says why r may not be charged; nil if it may. The caller holds the lock.
func (l *Ledger) admit(r Request, c []cost) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.refresh(); err != nil {
		return err
	}
	if _, bar := l.barred(); bar != nil {
		return fmt.Errorf("ledger: nothing was charged: %w (release %s)", bar, r.label())
	}
	h := &l.hist
	if end := h.config.Expires; !end.IsZero() && !l.now().Before(end) {
		return fmt.Errorf("ledger: %w: it ended on %s: nothing was charged: earlier releases still replay; "+
			"a later date needs another ledger (release %s)", ErrExpired, expiry(end), r.label())
	}
	if d := h.differs(r); d != "" {
		return fmt.Errorf("ledger: %w: %s: nothing was charged: "+
			"load the same rows with the same schema; for the same people in other rows or another schema set Options.Version, or keep "+
			"the ledgers under one Project: a second ledger of its own is a second budget (release %s)", ErrDataset, d, r.label())
	}
	if err := h.keepsPure(r, c); err != nil {
		return err
	}
	if why := h.filter.of(r.splitKey(), r.Part).refusal(c...); why != "" {
		return h.exceeded(r, c, why)
	}
	return nil
}

// commit makes a charge durable and tells the state folder, then returns its time. child is the ID of the ledger that
// charges this one as its project's.
func (l *Ledger) commit(ctx context.Context, r Request, c []cost, child string) (time.Time, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	when := l.now()
	p := l.hist.recordOf(r, c...)
	p.Child = child
	err := l.witness(ctx, func() error {
		if err := l.upgrade(when); err != nil {
			return err
		}
		return l.append(kindCharge, when, p)
	})
	if err != nil {
		what := "nothing was charged"
		if l.broken != nil {
			what = "the charge may stand"
		}
		if l.project != nil {
			what += ", but the project's ledger was"
		}
		return when, fmt.Errorf("ledger: charge: %w; nothing was drawn; %s (release %s)", err, what, r.label())
	}
	return when, nil
}

// now is the time, but never before that of an earlier record: a clock that was set back must not
// bring back an expired ledger.
func (l *Ledger) now() time.Time {
	if now := l.opt.now().UTC().Round(0); now.After(l.hist.latest) {
		return now
	}
	return l.hist.latest
}

// upgrade lets a file of an earlier version go on in this one. What stands in it stays as it is.
func (l *Ledger) upgrade(when time.Time) error {
	if l.hist.version >= formatVersion {
		return nil
	}
	u := upgrade{Version: formatVersion, Unit: PerRow.String()}
	if key := l.hist.header.tryKey(l.path); key != nil {
		u.KeyHash = keyHash(key)
	}
	return l.append(kindUpgrade, when, u)
}

// recordOf is the charge of r, in the first of the ways that fits.
func (h *history) recordOf(r Request, ways ...cost) charge {
	c := h.filter.of(r.splitKey(), r.Part).route(ways...)
	p := charge{
		ID: r.ID, Name: r.Name, Fresh: r.Fresh, Event: r.Event.String(), Mu: c.mu, TV: c.tv, Fail: c.fail, Pure: c.pure, Guarantee: fileOf(r.Guarantee),
		Mechanism: r.Mechanism, Reference: r.Reference, Version: r.Version, Data: r.Data,
		Split: r.Split, Part: r.Part,
	}
	if known := h.data[r.Version]; r.Data != "" && known != "" {
		p.Data = known // one binding for a version, in the form of its first charge
	}
	if len(r.Columns) > 0 {
		p.Binds = h.binds[r.Version].news(r)
	}
	// An event that cannot be stored, or is too long for every line, is there in words.
	if law, err := accountant.Marshal(r.Event); err == nil && len(law) <= 1<<14 {
		p.Law = law
	}
	return p
}

// draw calls f and records its failure. A panic goes on with its own trace.
func (l *Ledger) draw(ctx context.Context, r Request, f func(context.Context) (json.RawMessage, error)) (json.RawMessage, error) {
	returned := false
	defer func() {
		if !returned {
			l.recordFailure(reasonPanic)
		}
	}()
	raw, err := f(context.WithValue(ctx, inDraw{l.gate.id}, true))
	returned = true
	const stands = "the charge stands: mend the cause, then pay again with Fresh"
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		l.recordFailure(reasonCancel)
	case err != nil:
		l.recordFailure(reasonError)
	}
	if err != nil {
		return nil, fmt.Errorf("ledger: draw: %w: %s (release %s)", err, stands, r.label())
	}
	var v bytes.Buffer
	if json.Compact(&v, raw) != nil { // its error would quote the value
		l.recordFailure(reasonInvalid)
		return nil, fmt.Errorf("ledger: draw: got %d bytes that are not JSON: %s (release %s)", len(raw), stands, r.label())
	}
	return v.Bytes(), nil
}

// recordFailure is for the reader of the file only: without it the charge counts as interrupted,
// which costs the same.
func (l *Ledger) recordFailure(reason string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.append(kindFailed, l.now(), failed{Charge: l.hist.lines - 1, Reason: reason})
	l.checkpoint()
}

func (l *Ledger) storeValue(r Request, value json.RawMessage, rc Receipt) (Receipt, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.append(kindStore, l.now(), store{Charge: l.hist.lines - 1, Value: value}); err != nil {
		// A value that cannot be replayed is not handed out: the next run would show another.
		return Receipt{}, fmt.Errorf("ledger: store the value: %w: %w: the charge stands and the value was dropped: "+
			"make room or mend the disk, then pay again with Fresh (release %s)", err, ErrInterrupted, r.label())
	}
	l.checkpoint()
	rc.Value, rc.Status = value, l.status(false)
	return rc, nil
}

// interrupted explains a charge without a value.
func (h *history) interrupted(e Entry) error {
	what := "the process ended or the disk failed before its value was stored"
	if e.State == Failed {
		what = e.Reason
	}
	return fmt.Errorf("ledger: charged on %s, then %s: %w: it cost ε = %s (δ = %v, %v), and the charge stands, "+
		"because its noise may have been seen: pay again with Fresh for one run, after which the new value replays without it (release %s)", e.When.Format(time.RFC3339), what, ErrInterrupted, roundedUp(h.filter.worth(e.cost())), h.filter.budget.Delta, h.config.Neighbours, e.label())
}
