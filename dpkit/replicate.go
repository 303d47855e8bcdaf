package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/internal/noise"
)

// replicator is a mechanism that can draw many releases at the cost of one reading of the rows: each as Run would with that
// source.
type replicator[V any] interface {
	runAll(ctx context.Context, rows applied, sources []*noise.Source) ([]V, error)
}

var (
	_ replicator[LinearModel]   = linear{}
	_ replicator[LogisticModel] = logisticMixing{}
)

// Replicate makes so many releases of a demonstration, to study how far off a plan is: the i-th, from 0, is that of a
// session whose seed is i larger. Rows are prepared once, where no step of the chain draws noise. None of the releases is
// private, and sessions on private data refuse: there every release is charged.
func (pl Plan[V]) Replicate(ctx context.Context, releases int) ([]V, error) {
	s := pl.p.s
	if s == nil || s.mode != modeDemo {
		return nil, fmt.Errorf("dpkit: replicate: got a session that is no demonstration, want one that Demo returned: %w", ErrParameter)
	}
	if releases < 1 {
		return nil, fmt.Errorf("dpkit: replicate: got %d releases, want at least 1: %w", releases, ErrParameter)
	}
	q, err := pl.quote()
	if err != nil {
		return nil, err
	}
	sources := make([]*noise.Source, releases)
	for i := range sources {
		sources[i] = noise.NewDemo(s.seed + uint64(i))
	}
	out := make([]V, releases)
	sign := func(i int, o outcome[V]) error {
		r, err := pl.finish(q, o, Result[V]{NotPrivate: demoReason})
		out[i] = r.Value
		return err
	}
	if q.asks() {
		for i, rng := range sources {
			o, err := pl.run(ctx, q, rng)
			if err != nil {
				return nil, err
			}
			if err := sign(i, o); err != nil {
				return nil, err
			}
		}
		return out, nil
	}
	rows, err := q.apply(ctx, s.src, sources[0]) // no step draws from it
	if err != nil {
		return nil, err
	}
	var values []V
	if many, ok := pl.m.(replicator[V]); ok {
		if values, err = many.runAll(ctx, rows, sources); err != nil {
			return nil, err
		}
	} else {
		for _, rng := range sources {
			v, err := pl.m.Run(ctx, rows.rows, rows.q.end, rows.q.price, rng)
			if err != nil {
				return nil, err
			}
			values = append(values, v)
		}
	}
	for i, v := range values {
		if err := sign(i, outcome[V]{Value: v}); err != nil {
			return nil, err
		}
	}
	return out, nil
}
