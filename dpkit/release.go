package dpkit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Release makes the release. Everything public is checked first; then the ledger is charged and
// synced; only then are rows read and noise drawn, and the value is stored before it is returned.
// The same release again (same data, chain, parameters and name) is replayed from the ledger at no
// cost. If ctx ends after the charge, the charge stands.
func (pl Plan[V]) Release(ctx context.Context) (Result[V], error) {
	var zero Result[V]
	q, err := pl.quote()
	if err != nil {
		return zero, err
	}
	ops, err := q.rowMap()
	if err != nil {
		return zero, err
	}
	if (pl.name == "" || pl.fresh) && calledFromInitialiser() {
		return zero, fmt.Errorf("dpkit: release: it runs while variables are initialised, which a notebook does again in every later cell; move it into the cell's body, or name it with Named(…) and without Fresh so that it replays: %w", ErrInitialiser)
	}
	s := pl.p.s
	finish := func(v V, r Result[V]) Result[V] {
		if d, ok := any(&v).(deployed); ok {
			d.deploy(s.schema, ops)
		}
		r.Value = v
		if s.mode != modePublic {
			r.Cost = q.cost()
		}
		return r
	}
	switch s.mode {
	case modePublic:
		v, err := runPublic(ctx, pl.m, s.src, q)
		if err != nil {
			return zero, err
		}
		return finish(v, Result[V]{NotPrivate: "computed without noise on data that its owner declared public"}), nil
	case modeDemo:
		v, err := runPrivate(ctx, pl.m, s.src, q, noise.NewDemo(s.seed))
		if err != nil {
			return zero, err
		}
		return finish(v, Result[V]{NotPrivate: demoReason}), nil
	default:
		return pl.charge(ctx, q, finish)
	}
}

// charge makes a private release through the ledger.
func (pl Plan[V]) charge(ctx context.Context, q quote, finish func(V, Result[V]) Result[V]) (Result[V], error) {
	var zero Result[V]
	s := pl.p.s
	id, err := pl.identity(q)
	if err != nil {
		return zero, err
	}
	req := ledger.Request{ID: id, Name: pl.name, Fresh: pl.fresh, Event: q.price.Event, Guarantee: q.price.Guarantee}
	receipt, err := s.ledger.Release(ctx, req, func(ctx context.Context) (json.RawMessage, error) {
		v, err := runPrivate(ctx, pl.m, s.src, q, noise.New())
		if err != nil {
			return nil, err
		}
		return json.Marshal(v)
	})
	if err != nil {
		return zero, fmt.Errorf("dpkit: release: %w", err)
	}
	var v V
	if err := json.Unmarshal(receipt.Value, &v); err != nil {
		return zero, fmt.Errorf("dpkit: release: the ledger's value cannot be read by this version: %w", err)
	}
	return finish(v, Result[V]{
		Guarantee: receipt.Guarantee, Replayed: receipt.Replayed, When: receipt.When, Status: receipt.Status,
	}), nil
}

// identityVersion changes whenever the same plan would release something of another law.
const identityVersion = 1

// identity is the hash of everything that determines the release: the data (by a hash that is
// keyed with the ledger's secret), the relation, every step and parameter, and the name.
func (pl Plan[V]) identity(q quote) (string, error) {
	s := pl.p.s
	f, ok := s.src.(fingerprinter)
	if !ok {
		return "", fmt.Errorf("dpkit: release: data of type %T has no fingerprint", s.src)
	}
	data := f.Fingerprint(s.ledger.Key())
	var steps []string
	for i, st := range q.stages {
		if _, ok := st.step.(fmt.Stringer); !ok {
			return "", fmt.Errorf("dpkit: release: step %d: got a %T without a String method, want one that names every parameter, so that another step does not replay its value: %w", i+1, st.step, ErrParameter)
		}
		steps = append(steps, fmt.Sprintf("%T %s", st.step, describe(st.step)))
	}
	steps = append(steps, fmt.Sprintf("%T %s", pl.m, describe(pl.m)))
	schema := s.schema.Hash()
	doc, err := json.Marshal(struct {
		Version    int
		Data       string
		Schema     string
		Neighbours accountant.Neighbours
		Steps      []string
		Name       string
	}{identityVersion, hex.EncodeToString(data[:]), hex.EncodeToString(schema[:]), s.neighbours, steps, pl.name})
	if err != nil {
		return "", fmt.Errorf("dpkit: release: %w", err)
	}
	sum := sha256.Sum256(doc)
	return hex.EncodeToString(sum[:]), nil
}

func runPrivate[V any](ctx context.Context, m Mechanism[V], src frames.Source, q quote, rng *noise.Source) (V, error) {
	out, err := q.apply(ctx, src)
	if err != nil {
		var zero V
		return zero, err
	}
	return m.Run(ctx, out, q.end, q.price, rng)
}

func runPublic[V any](ctx context.Context, m Mechanism[V], src frames.Source, q quote) (V, error) {
	out, err := q.apply(ctx, src)
	if err != nil {
		var zero V
		return zero, err
	}
	return m.RunPublic(ctx, out, q.end)
}

// apply fits every step in turn and returns the transformed rows.
func (q quote) apply(ctx context.Context, src frames.Source) (frames.Source, error) {
	for i, s := range q.stages {
		t, err := s.step.Fit(ctx, src, s.Stage)
		if err != nil {
			return nil, fmt.Errorf("dpkit: step %d %s: %w", i+1, describe(s.step), err)
		}
		if src, err = materialise(ctx, src, s.Out, t); err != nil {
			return nil, fmt.Errorf("dpkit: step %d %s: %w", i+1, describe(s.step), err)
		}
	}
	return src, nil
}

// calledFromInitialiser reports whether the stack holds a package initialiser of the program: a
// var initialiser or an init function of package main, as a notebook's cells become.
func calledFromInitialiser() bool {
	pcs := make([]uintptr, 64)
	calls := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := calls.Next()
		if f.Function == "main.init" || strings.HasPrefix(f.Function, "main.init.") || f.Function == "runtime.doInit1" {
			return true
		}
		if !more {
			return false
		}
	}
}
