package dpkit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Bin turns the named numeric columns into categories by public edges, in rising order: a value is in
// the level of the number of edges that are not above it, "below 30", "30 to 60", "60 and above" for
// the edges 30 and 60. Encode them with OneHot or Ordinal. It is a public row map and costs nothing
// on columns that no earlier step displaced; others it refuses, since a value can cross an edge
// however little it moved. Missing cells stay missing.
func (p Pipeline) Bin(edges []float64, columns ...string) Pipeline {
	return p.with(bin{slices.Clone(edges), slices.Clone(columns)})
}

type bin struct {
	Edges   []float64
	Columns []string
}

func (bin) kind() kind { return kind{"bin", 1, "Bin", "dpkit.bin"} }

func (bin) origin(unit string) []string { return []string{unit} }

func (b bin) Check(in frames.Schema) (frames.Schema, error) {
	if err := risingEdges(b.Edges); err != nil {
		return in, fmt.Errorf("%w: %w", err, ErrParameter)
	}
	if err := distinctNumbers(in, b.Columns); err != nil {
		return in, err
	}
	for _, name := range b.Columns {
		if c, _ := in.Column(name); !(c.Lo < b.Edges[0]) || !(b.Edges[len(b.Edges)-1] <= c.Hi) {
			return in, fmt.Errorf("edges: got %v for column %q in [%g, %g], want edges inside its bounds, so that no level is empty: %w", b.Edges, name, c.Lo, c.Hi, ErrParameter)
		}
	}
	return replaced(in, b.Columns, func(c frames.Column) frames.Column {
		out := frames.Category(c.Name, b.levels()...)
		out.Missing = c.Missing
		return out
	})
}

func risingEdges(edges []float64) error {
	if len(edges) == 0 {
		return fmt.Errorf("edges: got none, want at least one")
	}
	for i, e := range edges {
		if math.IsNaN(e) || math.IsInf(e, 0) || i > 0 && !(e > edges[i-1]) {
			return fmt.Errorf("edges: got %v, want finite numbers in rising order", edges)
		}
	}
	return nil
}

func (b bin) levels() []string {
	e := b.Edges
	out := []string{fmt.Sprintf("below %v", e[0])}
	for i := 1; i < len(e); i++ {
		out = append(out, fmt.Sprintf("%v to %v", e[i-1], e[i]))
	}
	return append(out, fmt.Sprintf("%v and above", e[len(e)-1]))
}

func (b bin) Propagate(st Stage) (Propagation, error) {
	if err := cleanKeys(st, b.Columns); err != nil {
		return Propagation{}, err
	}
	// A category counts with norm 1 (see startRadius).
	r := encodedRadius(st, math.Sqrt(float64(len(b.Columns))))
	return columnwise(st, bounds{K: 1, R: r}, "public edges, row by row: free")
}

func (b bin) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(b, st)
}

func (b bin) Deploy(st Stage) (RowMap, error) {
	return RowMap{{Bin: &BinOp{Columns: featuresAt(st.In, b.Columns), Edges: b.Edges}}}, nil
}

// BinOp replaces a value of the columns at these positions by the number of edges not above it.
type BinOp struct {
	Columns []int     `json:"columns"`
	Edges   []float64 `json:"edges"`
}

func (op *BinOp) compile(in int) (Transform, int, error) {
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("bin: %w", err)
	}
	if err := risingEdges(op.Edges); err != nil {
		return nil, 0, fmt.Errorf("bin: %w", err)
	}
	return func(dst, src []float64) {
		copy(dst, src)
		for _, j := range op.Columns {
			if x := src[j]; !math.IsNaN(x) {
				code, found := slices.BinarySearch(op.Edges, x)
				if found {
					code++
				}
				dst[j] = float64(code)
			}
		}
	}, in, nil
}
