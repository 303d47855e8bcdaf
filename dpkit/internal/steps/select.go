package steps

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Choose is dpkit.Pipeline.Select where Keep is set, else dpkit.Pipeline.Drop: a public choice of units.
type Choose struct {
	Keep    bool `dp:"-"`
	Columns []string
}

func (c Choose) Kind() kind.Kind {
	if c.Keep {
		return kind.Kind{Name: "select", Law: 1, Call: "Select", Was: "dpkit.choose"}
	}
	return kind.Kind{Name: "drop", Law: 1, Call: "Drop", Was: "dpkit.choose"}
}

func (Choose) Origin(unit string) []string { return []string{unit} }

func (c Choose) Check(in frames.Schema) (frames.Schema, error) {
	if len(c.Columns) == 0 {
		return in, fmt.Errorf("got no column; name at least one: %w", kind.ErrParameter)
	}
	known := map[string]bool{}
	for _, f := range in.Features() {
		known[domain.UnitName(f)] = true
	}
	for _, name := range c.Columns {
		if !known[name] {
			return in, domain.UnknownColumn(name, in)
		}
	}
	var cols []frames.Column
	left := 0
	for _, col := range in.Columns() {
		if _, feature := in.FeatureIndex(col.Name); feature {
			if !c.stays(col) {
				continue
			}
			left++
		}
		cols = append(cols, col)
	}
	if left == 0 {
		return in, fmt.Errorf("no feature is left: %w", kind.ErrParameter)
	}
	return frames.NewSchema(cols...)
}

func (c Choose) stays(col frames.Column) bool {
	return slices.Contains(c.Columns, domain.UnitName(col)) == c.Keep
}

// Propagate: the displacement lies in the tainted columns. Without one of them left, common rows
// agree again.
func (c Choose) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := stage.Columnwise(st, stage.Bounds{K: 1, R: min(st.Before.R, stage.StartRadius(st.Out))}, "public choice of columns: free")
	if err != nil {
		return pr, err
	}
	pr.Taint = nil
	for _, col := range st.Out.Features() {
		if st.Taint[col.Name] {
			pr.Taint = pr.Taint.With(col.Name)
		}
	}
	if len(pr.Taint) == 0 {
		pr.Pair.T1 = 0
		pr.Pair = pr.Pair.Close()
	}
	return pr, nil
}

func (c Choose) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c Choose) Deploy(st stage.Stage) (stage.RowMap, error) {
	op := &stage.SelectOp{}
	for j, col := range st.In.Features() {
		if c.stays(col) {
			op.Columns = append(op.Columns, j)
		}
	}
	return stage.RowMap{{Select: op}}, nil
}

// ReadsUnbounded says that no bound of a column enters.
func (Choose) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Choose) LeavesTexts() {}
