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
	rng := noise.NewDemo(s.seed)
	values := make([]any, releases)
	demonstration := Result[any]{NotPrivate: demoReason}
	if q.asks() {
		for i := range values {
			rng.Restart(s.seed + uint64(i))
			o, err := pl.run(ctx, q, rng)
			if err != nil {
				return nil, err
			}
			r, err := pl.finish(q, o, demonstration)
			if err != nil {
				return nil, err
			}
			values[i] = r.Value
		}
		return values, nil
	}
	q = q.read(s.schema, pl.m)
	if err := pl.refuseAfar(ctx, q); err != nil {
		return nil, err
	}
	src, err := pl.readable(s.src, q.columns)
	if err != nil {
		return nil, fmt.Errorf("dpkit: replicate: %w", err)
	}
	table, err := q.apply(ctx, src, rng) // no step draws from it
	if err != nil {
		return nil, err
	}
	draw, err := table.q.made.Read(ctx, pl.table(table.rows))
	if err != nil {
		return nil, err
	}
	from := pl.provenance(demonstration)
	for i := range values {
		rng.Restart(s.seed + uint64(i))
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if values[i], err = draw(ctx, rng); err != nil {
			return nil, err
		}
		if err := pl.complete(q, outcome{Value: values[i]}, from); err != nil {
			return nil, err
		}
	}
	return values, nil
}
