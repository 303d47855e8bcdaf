package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// Fixed imputes numeric columns by a public constant within their bounds, known from the codebook and
// not from the rows (0 where nothing is nothing, for instance). It is a public row map and costs
// nothing. [Midpoint] does the same with the middle of the bounds, for categories too.
//
// Behind it a missing cell is that number and nothing else: in a column of 0 and 1 it counts as the one or the
// other, unless [Pipeline.Indicate] stands in front. Behind [Pipeline.Ordinal] the number of a level is refused.
type Fixed struct {
	Value float64 // in the units of the columns at that point of the chain
}

func (f Fixed) imputer(columns []string) Preprocessor { return fixedImpute{f, columnSet(columns)} }

type fixedImpute struct {
	Fixed
	Columns columnSet
}

func (fixedImpute) kind() kind { return kind{"impute/fixed", 1, "Impute", "dpkit.fixedImpute"} }

func (fixedImpute) origin(unit string) []string { return []string{unit} }

func (f fixedImpute) Check(in frames.Schema) (frames.Schema, error) {
	us, out, err := f.Columns.units(in)
	if err != nil {
		return in, err
	}
	for _, u := range us {
		if u.block {
			return in, fmt.Errorf("column %q encodes a category, which no number fills; name the numeric columns, and impute it by Midpoint{}: %w", u.name, ErrColumn)
		}
		if !(f.Value >= u.lo && f.Value <= u.hi) {
			return in, fmt.Errorf("value: got %g for column %q, want a number in its bounds [%g, %g]: %w", f.Value, u.name, u.lo, u.hi, ErrParameter)
		}
	}
	return out, nil
}

// Propagate: masks travel with rows, so that K = 1 (docs/theory/calculus.md#public-row-maps).
func (f fixedImpute) Propagate(st Stage) (Propagation, error) {
	us, _, err := f.Columns.units(st.In)
	if err != nil {
		return Propagation{}, err
	}
	r := math.Hypot(st.Before.R, math.Abs(f.Value)*math.Sqrt(float64(len(us))))
	return columnwise(st, bounds{K: 1, R: min(startRadius(st.Out), up(r))}, "public value in every missing cell: free")
}

func (f fixedImpute) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(f, st)
}

func (f fixedImpute) Deploy(st Stage) (RowMap, error) {
	us, _, err := f.Columns.units(st.In)
	if err != nil {
		return nil, err
	}
	op := &FillOp{}
	for _, u := range us {
		op.Columns, op.Values = append(op.Columns, u.at), append(op.Values, f.Value)
	}
	return RowMap{{Fill: op}}, nil
}

func (f fixedImpute) alternatives(st Stage, mu float64) []Alternative {
	return imputations(f, f.Columns, st, mu)
}
