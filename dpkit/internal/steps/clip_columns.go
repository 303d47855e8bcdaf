package steps

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ClipColumns is dpkit.Pipeline.ClipColumns: values of the columns are clamped to [Lo, Hi], a public map that gives bounds to
// columns without.
type ClipColumns struct {
	Lo, Hi  float64
	Columns []string
}

func (ClipColumns) Kind() kind.Kind {
	return kind.Kind{Name: "clip/columns", Law: 1, Call: "ClipColumns", Was: "dpkit.clipColumns"}
}

func (ClipColumns) Origin(unit string) []string { return []string{unit} }

func (c ClipColumns) Check(in frames.Schema) (frames.Schema, error) {
	if !(c.Lo < c.Hi) || math.IsInf(c.Lo, 0) || math.IsInf(c.Hi, 0) {
		return in, fmt.Errorf("bounds: got [%g, %g], want finite lo < hi: %w", c.Lo, c.Hi, kind.ErrParameter)
	}
	if err := domain.NumericColumns(in, c.Columns); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, col := range cols {
		if !slices.Contains(c.Columns, col.Name) {
			continue
		}
		lo, hi := num.Clamp(col.Lo, c.Lo, c.Hi), num.Clamp(col.Hi, c.Lo, c.Hi)
		if !(lo < hi) {
			return in, fmt.Errorf("column %q: its domain [%g, %g] has nothing inside [%g, %g]: %w", col.Name, col.Lo, col.Hi, c.Lo, c.Hi, kind.ErrParameter)
		}
		cols[i].Lo, cols[i].Hi, cols[i].NoBounds, cols[i].Scale = lo, hi, false, 0
	}
	return frames.NewSchema(cols...)
}

func (c ClipColumns) Propagate(st stage.Stage) (stage.Propagation, error) {
	// Clamping can move a value away from 0, so that only the box bounds the norm.
	return stage.Columnwise(st, stage.Bounds{K: 1, R: stage.StartRadius(st.Out)}, "projection onto public bounds, row by row: free")
}

func (c ClipColumns) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c ClipColumns) Deploy(st stage.Stage) (stage.RowMap, error) {
	op := &stage.ClampOp{Lo: c.Lo, Hi: c.Hi}
	for j, col := range st.In.Features() {
		if slices.Contains(c.Columns, col.Name) {
			op.Columns = append(op.Columns, j)
		}
	}
	return stage.RowMap{{Clamp: op}}, nil
}

// ReadsUnbounded says that no bound of a column enters.
func (ClipColumns) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (ClipColumns) LeavesTexts() {}
