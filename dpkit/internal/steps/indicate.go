package steps

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Indicate is dpkit.Pipeline.Indicate: a 0/1 column for each unit that may be missing, a public map. No Columns: all such
// units.
type Indicate struct{ Columns []string }

func (Indicate) Kind() kind.Kind {
	return kind.Kind{Name: "indicate", Law: 1, Call: "Indicate", Was: "dpkit.indicate"}
}

func (d Indicate) Origin(unit string) []string {
	if name, ok := strings.CutSuffix(unit, isMissing); ok {
		return []string{unit, name} // one of them is there
	}
	return []string{unit}
}

// isMissing ends the name of an indicator.
const isMissing = " is missing"

// indicators returns the first column of each unit to watch, and the names of the new columns.
func (d Indicate) indicators(in frames.Schema) (at []int, names []string, err error) {
	us, _, err := ColumnSet(d.Columns).units(in)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range us {
		at = append(at, u.At)
		names = append(names, u.Name+isMissing)
	}
	return at, names, nil
}

func (d Indicate) Check(in frames.Schema) (frames.Schema, error) {
	_, names, err := d.indicators(in)
	if err != nil {
		return in, err
	}
	cols := in.Columns()
	for _, name := range names {
		if _, taken := in.Column(name); taken {
			return in, fmt.Errorf("column %q is there already: %w", name, stage.ErrColumn)
		}
		cols = append(cols, frames.Numeric(name, 0, 1))
	}
	return frames.NewSchema(cols...)
}

func (d Indicate) Propagate(st stage.Stage) (stage.Propagation, error) {
	_, names, err := d.indicators(st.In)
	if err != nil {
		return stage.Propagation{}, err
	}
	// A common row has the same mask on both sides: its indicators agree, and stay clean.
	r := math.Sqrt(st.Before.R*st.Before.R + float64(len(names)))
	return stage.Columnwise(st, stage.Bounds{K: 1, R: min(stage.StartRadius(st.Out), stage.Up(r))}, "masks belong to their rows: free")
}

func (d Indicate) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(d, st)
}

func (d Indicate) Deploy(st stage.Stage) (stage.RowMap, error) {
	at, _, err := d.indicators(st.In)
	return stage.RowMap{{Indicate: &stage.IndicateOp{Columns: at}}}, err
}
