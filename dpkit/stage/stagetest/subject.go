package stagetest

import (
	"context"
	"fmt"
	"maps"

	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// subject is the step as the engine attacks it.
func subject(step stage.Preprocessor, s attack.Subject) attack.Subject {
	s.Price = func(in attack.State) (attack.Claim, error) { return price(step, in) }
	s.Run = func(ctx context.Context, c attack.Claim, a, b attack.Side) (x, y attack.Output, err error) {
		st := c.Priced.(stage.Stage)
		if x.Rows, err = transformed(ctx, step, st, a); err != nil {
			return x, y, err
		}
		y.Rows, err = transformed(ctx, step, st, b)
		return x, y, err
	}
	return s
}

// price is what a pipeline makes of the step's Propagate.
func price(step stage.Preprocessor, in attack.State) (attack.Claim, error) {
	st := stage.Stage{In: in.Schema, Before: in.Pair, Taint: in.Taint, Empty: in.Empty, Unordered: in.Unordered}
	var err error
	if st.Out, err = step.Check(st.In); err != nil {
		return attack.Claim{}, fmt.Errorf("method Check: %w", err)
	}
	pr, err := step.Propagate(st)
	if err != nil {
		return attack.Claim{}, fmt.Errorf("method Propagate: %w", err)
	}
	if err := pr.Scope.Validate(); err != nil {
		return attack.Claim{}, fmt.Errorf("method Propagate: its scope: %w", err)
	}
	taint := maps.Clone(map[string]bool(pr.Taint))
	for name := range in.Taint { // a column stays tainted for as long as it is there
		if _, ok := st.Out.FeatureIndex(name); ok {
			if taint == nil {
				taint = map[string]bool{}
			}
			taint[name] = true
		}
	}
	st.After = pr.Pair
	return attack.Claim{Schema: st.Out, Pair: pr.Pair, Taint: taint, Unordered: pr.Empties && !pr.InPlace, Priced: st}, nil
}

// transformed fits the step to one side and maps its rows; a row that is absent stays so.
func transformed(ctx context.Context, step stage.Preprocessor, st stage.Stage, s attack.Side) (*frames.Block, error) {
	b := s.Rows
	t, err := step.Fit(ctx, attack.InBlocks(side{st.In, b}, s.Blocks), st)
	if err != nil {
		return nil, fmt.Errorf("method Fit: %w", err)
	}
	d := st.Out.Width()
	out := &frames.Block{Rows: b.Rows, Cols: d, X: make([]float64, b.Rows*d), Empty: b.Empty}
	if _, ok := st.Out.Label(); ok {
		out.Y = b.Y
	}
	for i := range b.Rows {
		if b.Empty == nil || !b.Empty[i] {
			t.Map(out.Row(i), b.Row(i), 1)
		}
	}
	return out, nil
}

// side is one side of a pair as a source.
type side struct {
	schema frames.Schema
	b      *frames.Block
}

func (s side) Schema() frames.Schema { return s.schema }
func (s side) Rows() int             { return s.b.Rows }

func (s side) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return fn(s.b)
}
