package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// BinOp replaces a value of the columns at these positions by the number of edges not above it.
type BinOp = stage.BinOp

// Bin turns the named numeric columns into categories by public edges, in rising order: a value is in
// the level of the number of edges that are not above it, "below 30", "30 to 60", "60 and above" for
// the edges 30 and 60. Encode them with OneHot or Ordinal. It is a public row map and costs nothing
// on columns that no earlier step displaced; others it refuses, since a value can cross an edge
// however little it moved. Missing cells stay missing.
func (p Pipeline) Bin(edges []float64, columns ...string) Pipeline {
	return p.with(steps.Bin{Edges: slices.Clone(edges), Columns: slices.Clone(columns)})
}
