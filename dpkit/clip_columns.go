package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// ClipColumns clamps the named numeric columns to [lo, hi], public bounds. It is a public row map
// and costs nothing; a smaller domain lets later steps use a smaller sensitivity, and an unbounded column gets one.
func (p Pipeline) ClipColumns(lo, hi float64, columns ...string) Pipeline {
	return p.with(clipColumns{lo, hi, slices.Clone(columns)})
}

type clipColumns struct {
	lo, hi  float64
	columns []string
}

func (c clipColumns) String() string {
	return call("ClipColumns", append([]string{fmt.Sprintf("%g, %g", c.lo, c.hi)}, quoteAll(c.columns)...)...)
}

func (c clipColumns) Check(in frames.Schema) (frames.Schema, error) {
	if !(c.lo < c.hi) || math.IsInf(c.lo, 0) || math.IsInf(c.hi, 0) {
		return in, fmt.Errorf("bounds: got [%g, %g], want finite lo < hi: %w", c.lo, c.hi, ErrParameter)
	}
	if err := numericColumns(in, c.columns); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, col := range cols {
		if !slices.Contains(c.columns, col.Name) {
			continue
		}
		lo, hi := clamp(col.Lo, c.lo, c.hi), clamp(col.Hi, c.lo, c.hi)
		if !(lo < hi) {
			return in, fmt.Errorf("column %q: its domain [%g, %g] has nothing inside [%g, %g]: %w", col.Name, col.Lo, col.Hi, c.lo, c.hi, ErrParameter)
		}
		cols[i].Lo, cols[i].Hi, cols[i].NoBounds, cols[i].Scale = lo, hi, false, 0
	}
	return frames.NewSchema(cols...)
}

func clamp(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// numericColumns checks that every name is a numeric column that encodes no category.
func numericColumns(in frames.Schema, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("got no column; name at least one: %w", ErrParameter)
	}
	for _, name := range names {
		col, ok := in.Column(name)
		if _, feature := in.FeatureIndex(name); !ok || !feature {
			return unknownColumn(name, in)
		}
		if col.Kind != frames.KindNumeric || col.Block != "" {
			return fmt.Errorf("column %q: got a category or a part of one, want a numeric column: %w", name, ErrColumn)
		}
	}
	return nil
}

func (c clipColumns) Propagate(st Stage) (Propagation, error) {
	// Clamping can move a value away from 0, so that only the box bounds the norm.
	return columnwise(st, bounds{K: 1, R: startRadius(st.Out)}, "projection onto public bounds, row by row: free")
}

func (c clipColumns) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(c, st)
}

func (c clipColumns) Deploy(st Stage) (RowMap, error) {
	op := &ClampOp{Lo: c.lo, Hi: c.hi}
	for j, col := range st.In.Features() {
		if slices.Contains(c.columns, col.Name) {
			op.Columns = append(op.Columns, j)
		}
	}
	return RowMap{{Clamp: op}}, nil
}
