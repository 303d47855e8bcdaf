package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// Indicate adds a 0/1 column for each column or encoded category that may be missing, which says
// whether it is: "pay is missing". It is a public row map and costs nothing. Put it before Impute:
// with indicators, a linear model on public midpoints spans the same functions as one on means,
// for free. With columns named, only theirs are added.
func (p Pipeline) Indicate(columns ...string) Pipeline {
	return p.with(indicate{slices.Clone(columns)})
}

type indicate struct{ Columns []string }

func (indicate) kind() kind { return kind{"indicate", 1, "Indicate", "dpkit.indicate"} }

func (d indicate) origin(unit string) []string {
	if name, ok := strings.CutSuffix(unit, isMissing); ok {
		return []string{unit, name} // one of them is there
	}
	return []string{unit}
}

// isMissing ends the name of an indicator.
const isMissing = " is missing"

// indicators returns the first column of each unit to watch, and the names of the new columns.
func (d indicate) indicators(in frames.Schema) (at []int, names []string, err error) {
	us, _, err := columnSet(d.Columns).units(in)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range us {
		at = append(at, u.at)
		names = append(names, u.name+isMissing)
	}
	return at, names, nil
}

func (d indicate) Check(in frames.Schema) (frames.Schema, error) {
	_, names, err := d.indicators(in)
	if err != nil {
		return in, err
	}
	cols := in.Columns()
	for _, name := range names {
		if _, taken := in.Column(name); taken {
			return in, fmt.Errorf("column %q is there already: %w", name, ErrColumn)
		}
		cols = append(cols, frames.Numeric(name, 0, 1))
	}
	return frames.NewSchema(cols...)
}

func (d indicate) Propagate(st Stage) (Propagation, error) {
	_, names, err := d.indicators(st.In)
	if err != nil {
		return Propagation{}, err
	}
	// A common row has the same mask on both sides: its indicators agree, and stay clean.
	r := math.Sqrt(st.Before.R*st.Before.R + float64(len(names)))
	return columnwise(st, bounds{K: 1, R: min(startRadius(st.Out), up(r))}, "masks belong to their rows: free")
}

func (d indicate) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(d, st)
}

func (d indicate) Deploy(st Stage) (RowMap, error) {
	at, _, err := d.indicators(st.In)
	return RowMap{{Indicate: &IndicateOp{at}}}, err
}
