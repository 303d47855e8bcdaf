package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/internal/noise"
)

// replicate is [Plan.Replicate]; the values are of type *V.
func (pl *plan) replicate(ctx context.Context, releases int) ([]any, error) {
	if pl.p.s == nil || pl.p.s.mode != modeDemo {
		return nil, fmt.Errorf("dpkit: replicate: got a session that is no demonstration, want one that Demo returned: %w", ErrParameter)
	}
	if releases < 1 {
		return nil, fmt.Errorf("dpkit: replicate: got %d releases, want at least 1: %w", releases, ErrParameter)
	}
	if pl.joint != nil {
		return pl.replicateJoint(ctx, releases)
	}
	q, err := pl.quote()
	if err != nil {
		return nil, err
	}
	s := pl.p.s
	sources := make([]*noise.Source, releases)
	for i := range sources {
		sources[i] = noise.NewDemo(s.seed + uint64(i))
	}
	values := make([]any, releases)
	finish := func(i int, o outcome) error {
		r, err := pl.finish(q, o, Result[any]{NotPrivate: demoReason})
		values[i] = r.Value
		return err
	}
	if q.asks() {
		for i, rng := range sources {
			o, err := pl.run(ctx, q, rng)
			if err != nil {
				return nil, err
			}
			if err := finish(i, o); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
	table, err := q.apply(ctx, s.src, sources[0]) // no step draws from it
	if err != nil {
		return nil, err
	}
	draw, err := table.q.made.Read(ctx, pl.table(table.rows))
	if err != nil {
		return nil, err
	}
	for i, rng := range sources {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, err := draw(ctx, rng)
		if err != nil {
			return nil, err
		}
		if err := finish(i, outcome{Value: v}); err != nil {
			return nil, err
		}
	}
	return values, nil
}
