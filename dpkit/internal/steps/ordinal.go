package steps

import (
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Ordinal is dpkit.Pipeline.Ordinal: a level becomes its place in the schema's order, in [0, 1], a public map. No Columns:
// all categories.
type Ordinal struct{ Columns []string }

func (Ordinal) Kind() kind.Kind {
	return kind.Kind{Name: "encode/ordinal", Law: 1, Call: "Ordinal", Was: "dpkit.ordinal"}
}

func (Ordinal) Origin(unit string) []string { return []string{unit} }

func (o Ordinal) Check(in frames.Schema) (frames.Schema, error) {
	names, err := domain.Categories(in, o.Columns)
	if err != nil {
		return in, err
	}
	return domain.Replaced(in, names, domain.InUnit)
}

func (o Ordinal) Propagate(st stage.Stage) (stage.Propagation, error) {
	names, err := domain.Categories(st.In, o.Columns)
	if err != nil {
		return stage.Propagation{}, err
	}
	if err := domain.CleanKeys(st, names); err != nil {
		return stage.Propagation{}, err
	}
	// A category counts with norm 1, and its number with at most 1.
	return stage.Columnwise(st, stage.Bounds{K: 1, R: min(stage.StartRadius(st.Out), st.Before.R)}, "public order of the levels, row by row: free")
}

func (o Ordinal) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(o, st)
}

func (o Ordinal) Deploy(st stage.Stage) (stage.RowMap, error) {
	names, err := domain.Categories(st.In, o.Columns)
	if err != nil {
		return nil, err
	}
	op := &stage.AffineOp{}
	for _, c := range st.In.Features() {
		s := 1.0
		if slices.Contains(names, c.Name) {
			s = ordinalScale(c)
		}
		op.Shift, op.Scale = append(op.Shift, 0), append(op.Scale, s)
	}
	return stage.RowMap{{Affine: op}}, nil
}

// ordinalScale is what the code of a level is multiplied by; times the last one it rounds to 1 at most.
func ordinalScale(c frames.Column) float64 { return 1 / float64(len(c.Levels)-1) }
