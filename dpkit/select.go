package dpkit

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Select keeps the named features (numeric columns, categories, or encoded categories by their own
// name) and the label. It is a public row map and costs nothing.
func (p Pipeline) Select(columns ...string) Pipeline {
	return p.with(choose{true, slices.Clone(columns)})
}

// Drop removes the named features. It is a public row map and costs nothing.
func (p Pipeline) Drop(columns ...string) Pipeline {
	return p.with(choose{false, slices.Clone(columns)})
}

type choose struct {
	Keep    bool `dp:"-"`
	Columns []string
}

func (c choose) kind() kind {
	if c.Keep {
		return kind{"select", 1, "Select", "dpkit.choose"}
	}
	return kind{"drop", 1, "Drop", "dpkit.choose"}
}

func (choose) origin(unit string) []string { return []string{unit} }

func (c choose) Check(in frames.Schema) (frames.Schema, error) {
	if len(c.Columns) == 0 {
		return in, fmt.Errorf("got no column; name at least one: %w", ErrParameter)
	}
	known := map[string]bool{}
	for _, f := range in.Features() {
		known[unitName(f)] = true
	}
	for _, name := range c.Columns {
		if !known[name] {
			return in, unknownColumn(name, in)
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
		return in, fmt.Errorf("no feature is left: %w", ErrParameter)
	}
	return frames.NewSchema(cols...)
}

func (c choose) stays(col frames.Column) bool {
	return slices.Contains(c.Columns, unitName(col)) == c.Keep
}

// unitName is the name that a feature goes by in steps: that of the category which it encodes, or its own.
func unitName(c frames.Column) string {
	if c.Block != "" {
		return c.Block
	}
	return c.Name
}

// Propagate: the displacement lies in the tainted columns. Without one of them left, common rows
// agree again.
func (c choose) Propagate(st Stage) (Propagation, error) {
	pr, err := columnwise(st, bounds{K: 1, R: min(st.Before.R, startRadius(st.Out))}, "public choice of columns: free")
	if err != nil {
		return pr, err
	}
	pr.Taint = nil
	for _, col := range st.Out.Features() {
		if st.Taint[col.Name] {
			pr.Taint = pr.Taint.with(col.Name)
		}
	}
	if len(pr.Taint) == 0 {
		pr.Pair.T1 = 0
		pr.Pair = pr.Pair.Close()
	}
	return pr, nil
}

func (c choose) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(c, st)
}

func (c choose) Deploy(st Stage) (RowMap, error) {
	op := &SelectOp{}
	for j, col := range st.In.Features() {
		if c.stays(col) {
			op.Columns = append(op.Columns, j)
		}
	}
	return RowMap{{Select: op}}, nil
}
