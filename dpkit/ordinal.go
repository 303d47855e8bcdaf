package dpkit

import (
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Ordinal replaces the named categories, or all of them, by a number in [0, 1] for each level: its
// place in the public order of the schema's levels, from 0 for the first to 1 for the last. It is a
// public row map and costs nothing; use it where the levels have an order. Missing cells stay missing:
// [Fixed] refuses to fill them with the number of a level, and the cost of [Midpoint] says where that is the middle level.
// A marker of missing cells that the schema declares as a level has a place of its own.
func (p Pipeline) Ordinal(columns ...string) Pipeline {
	return p.with(ordinal{slices.Clone(columns)})
}

type ordinal struct{ Columns []string }

func (ordinal) kind() kind { return kind{"encode/ordinal", 1, "Ordinal", "dpkit.ordinal"} }

func (ordinal) origin(unit string) []string { return []string{unit} }

func (o ordinal) Check(in frames.Schema) (frames.Schema, error) {
	names, err := categories(in, o.Columns)
	if err != nil {
		return in, err
	}
	return replaced(in, names, inUnit)
}

func (o ordinal) Propagate(st Stage) (Propagation, error) {
	names, err := categories(st.In, o.Columns)
	if err != nil {
		return Propagation{}, err
	}
	if err := cleanKeys(st, names); err != nil {
		return Propagation{}, err
	}
	// A category counts with norm 1, and its number with at most 1.
	return columnwise(st, bounds{K: 1, R: min(startRadius(st.Out), st.Before.R)}, "public order of the levels, row by row: free")
}

func (o ordinal) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(o, st)
}

func (o ordinal) Deploy(st Stage) (RowMap, error) {
	names, err := categories(st.In, o.Columns)
	if err != nil {
		return nil, err
	}
	op := &AffineOp{}
	for _, c := range st.In.Features() {
		s := 1.0
		if slices.Contains(names, c.Name) {
			s = ordinalScale(c)
		}
		op.Shift, op.Scale = append(op.Shift, 0), append(op.Scale, s)
	}
	return RowMap{{Affine: op}}, nil
}

// ordinalScale is what the code of a level is multiplied by; times the last one it rounds to 1 at most.
func ordinalScale(c frames.Column) float64 { return 1 / float64(len(c.Levels)-1) }
