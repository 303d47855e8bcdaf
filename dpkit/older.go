package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// oldMechanism calibrates when it is priced and again when it is run.
type oldMechanism[V any] interface {
	Price(st Stage) (bill, error)
	Run(ctx context.Context, in frames.Source, st Stage, b bill, rng *noise.Source) (V, error)
	RunPublic(ctx context.Context, in frames.Source, st Stage) (V, error)
}

// older is a mechanism in the place of an old one.
type older[V any] struct{ m oldMechanism[V] }

func (o older[V]) Settle(st Stage) (settled[V], error) {
	b, err := o.m.Price(st)
	s := settled[V]{bill: b, read: func(_ context.Context, rows driver) (draws[V], error) {
		return func(ctx context.Context, rng *noise.Source) (V, error) {
			return o.m.Run(ctx, rows.(inProcess).in, st, b, rng)
		}, nil
	}}
	if a, ok := o.m.(interface {
		audit(ctx context.Context, in frames.Source, st Stage, released any) ([]float64, error)
	}); ok {
		s.audit = func(ctx context.Context, in frames.Source, released any) ([]float64, error) {
			return a.audit(ctx, in, st, released)
		}
	}
	return s, err
}

func (o older[V]) Exact(ctx context.Context, rows driver, st Stage) (V, error) {
	return o.m.RunPublic(ctx, rows.(inProcess).in, st)
}
