package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Fixed imputes numeric columns by a public constant within their bounds, known from the codebook and
// not from the rows (0 where nothing is nothing, for instance). It is a public row map and costs
// nothing. [Midpoint] does the same with the middle of the bounds, for categories too.
//
// Behind it a missing cell is that number and nothing else: in a column of 0 and 1 it counts as the one or the
// other, unless dpkit.Pipeline.Indicate stands in front. Behind dpkit.Pipeline.Ordinal the number of a level is refused.
type Fixed struct {
	Value float64 // in the units of the columns at that point of the chain
}

func (f Fixed) Imputer(columns []string) stage.Preprocessor {
	return FixedImpute{f, ColumnSet(columns)}
}

// FixedImpute is Impute(Fixed{…}), a public map.
type FixedImpute struct {
	Fixed
	Columns ColumnSet
}

func (FixedImpute) Kind() kind.Kind {
	return kind.Kind{Name: "impute/fixed", Law: 1, Call: "Impute", Was: "dpkit.fixedImpute"}
}

func (FixedImpute) Origin(unit string) []string { return []string{unit} }

func (f FixedImpute) Check(in frames.Schema) (frames.Schema, error) {
	us, out, err := f.Columns.units(in)
	if err != nil {
		return in, err
	}
	for _, u := range us {
		if u.Block {
			return in, fmt.Errorf("column %q encodes a category, which no number fills; name the numeric columns, and impute it by Midpoint{}: %w", u.Name, stage.ErrColumn)
		}
		if !(f.Value >= u.Lo && f.Value <= u.Hi) {
			return in, fmt.Errorf("value: got %g for column %q, want a number in its bounds [%g, %g]: %w", f.Value, u.Name, u.Lo, u.Hi, kind.ErrParameter)
		}
	}
	return out, nil
}

// Propagate: masks travel with rows, so that K = 1 (docs/theory/calculus.md#public-row-maps).
func (f FixedImpute) Propagate(st stage.Stage) (stage.Propagation, error) {
	us, _, err := f.Columns.units(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	r := math.Hypot(st.Before.R, math.Abs(f.Value)*math.Sqrt(float64(len(us))))
	return stage.Columnwise(st, stage.Bounds{K: 1, R: min(stage.StartRadius(st.Out), stage.Up(r))}, "public value in every missing cell: free")
}

func (f FixedImpute) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(f, st)
}

func (f FixedImpute) Deploy(st stage.Stage) (stage.RowMap, error) {
	us, _, err := f.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &stage.FillOp{}
	for _, u := range us {
		op.Columns, op.Values = append(op.Columns, u.At), append(op.Values, f.Value)
	}
	return stage.RowMap{{Fill: op}}, nil
}

func (f FixedImpute) Alternatives(st stage.Stage, mu float64) []stage.Alternative {
	return imputations(f, f.Columns, st, mu)
}

// ReadsUnbounded says that no bound of a column enters.
func (FixedImpute) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone.
func (FixedImpute) LeavesTexts() {}
