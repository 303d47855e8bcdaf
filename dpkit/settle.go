package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// A mechanism is what a release ends a chain with. It settles once on a pair state, from public facts alone: what is priced is
// what is drawn. V is what it releases: plain data that survives JSON. Every mechanism is of this package, as the noise is: it
// reaches rows by passes alone, over rows that a step may have removed.
type mechanism[V any] interface {
	// Settle calibrates the mechanism.
	Settle(st Stage) (settled[V], error)
	// Exact computes the same without noise, for data that its owner declared public: nothing is priced there.
	Exact(ctx context.Context, rows driver, st Stage) (V, error)
}

// settled is a mechanism that was calibrated: public facts, which never change. It may be drawn from by several goroutines
// at once.
type settled[V any] struct {
	bill bill
	// read makes the passes over the rows that no draw comes before.
	read func(ctx context.Context, rows driver) (draws[V], error)
	// audit computes what a release cost each row; nil where the law of the release has no closed form.
	audit func(ctx context.Context, in frames.Source, released any) ([]float64, error)
	// predicted is the error that the mechanism expects.
	predicted prediction
}

// draws makes releases of rows that were read, as many as are asked for: each from the noise alone, without a trace of those
// before. It may pass over the rows again, as far as passes depend on draws.
type draws[V any] func(ctx context.Context, rng *noise.Source) (V, error)

// bill is a calibrated mechanism's account.
type bill struct {
	Event     accountant.Event
	Guarantee accountant.Guarantee
	Cost      ReleaseCost
}

// prediction is how far off a release is expected to be by its noise, from public facts alone; the zero value: unknown.
type prediction struct {
	Of   string    // what is off, in which units
	Size []float64 // of each number of the release, or one of the whole
}

func (p prediction) known() bool { return p.Of != "" }

// deviations predicts the standard deviation of the noise on each value.
func deviations(sd ...float64) prediction {
	for _, v := range sd {
		if !(v >= 0) || math.IsInf(v, 1) {
			return prediction{}
		}
	}
	return prediction{"standard deviation of the noise on each value", sd}
}

// readOnce settles a mechanism that reads the rows before any draw, and draws from what came of it. draw must leave that as it is.
func readOnce[V, F any](b bill, read func(ctx context.Context, rows driver) (F, error), draw func(of F, rng *noise.Source) (V, error)) settled[V] {
	return settled[V]{bill: b, read: func(ctx context.Context, rows driver) (draws[V], error) {
		of, err := read(ctx, rows)
		return func(_ context.Context, rng *noise.Source) (V, error) { return draw(of, rng) }, err
	}}
}

// drawnAs makes a value of what is drawn.
func drawnAs[V, W any](read func(ctx context.Context, rows driver) (draws[W], error), value func(w W) V) func(ctx context.Context, rows driver) (draws[V], error) {
	return func(ctx context.Context, rows driver) (draws[V], error) {
		draw, err := read(ctx, rows)
		return func(ctx context.Context, rng *noise.Source) (v V, err error) {
			w, err := draw(ctx, rng)
			if err != nil {
				return v, err
			}
			return value(w), nil
		}, err
	}
}

// A releaser is a mechanism of any value: what it makes is a *V.
type releaser interface {
	zero() any
	settle(st Stage) (settled[any], error)
	exact(ctx context.Context, rows driver, st Stage) (any, error)
}

// typed is the one releaser.
type typed[V any] struct{ m mechanism[V] }

func (t typed[V]) zero() any { return new(V) }

func (t typed[V]) settle(st Stage) (settled[any], error) {
	s, err := t.m.Settle(st)
	return settled[any]{s.bill, s.readAny, s.audit, s.predicted}, err
}

func (t typed[V]) exact(ctx context.Context, rows driver, st Stage) (any, error) {
	v, err := t.m.Exact(ctx, rows, st)
	return &v, err
}

func (s settled[V]) readAny(ctx context.Context, rows driver) (draws[any], error) {
	draw, err := s.read(ctx, rows)
	return func(ctx context.Context, rng *noise.Source) (any, error) {
		v, err := draw(ctx, rng)
		return &v, err
	}, err
}
