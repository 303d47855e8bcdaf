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
	Lo, Hi  float64
	Columns []string
}

func (clipColumns) kind() kind { return kind{"clip/columns", 1, "ClipColumns", "dpkit.clipColumns"} }

func (clipColumns) origin(unit string) []string { return []string{unit} }

func (c clipColumns) Check(in frames.Schema) (frames.Schema, error) {
	if !(c.Lo < c.Hi) || math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) {
		return in, fmt.Errorf("bounds: got [%g, %g], want finite lo < hi: %w", c.Lo, c.Hi, ErrParameter)
	}
	if err := numericColumns(in, c.Columns); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, col := range cols {
		if !slices.Contains(c.Columns, col.Name) {
			continue
		}
		lo, hi := clamp(col.Lo, c.Lo, c.Hi), clamp(col.Hi, c.Lo, c.Hi)
		if !(lo < hi) {
			return in, fmt.Errorf("column %q: its domain [%g, %g] has nothing inside [%g, %g]: %w", col.Name, col.Lo, col.Hi, c.Lo, c.Hi, ErrParameter)
		}
		cols[i].Lo, cols[i].Hi, cols[i].NoBounds, cols[i].Scale = lo, hi, false, 0
	}
	return frames.NewSchema(cols...)
}

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
	op := &ClampOp{Lo: c.Lo, Hi: c.Hi}
	for j, col := range st.In.Features() {
		if slices.Contains(c.Columns, col.Name) {
			op.Columns = append(op.Columns, j)
		}
	}
	return RowMap{{Clamp: op}}, nil
}
