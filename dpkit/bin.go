package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Bin turns the named numeric columns into categories by public edges, in rising order: a value is in
// the level of the number of edges that are not above it, "below 30", "30 to 60", "60 and above" for
// the edges 30 and 60. Encode them with OneHot or Ordinal. It is a public row map and costs nothing
// on columns that no earlier step displaced; others it refuses, since a value can cross an edge
// however little it moved. Missing cells stay missing.
func (p Pipeline) Bin(edges []float64, columns ...string) Pipeline {
	return p.with(steps.Bin{Edges: slices.Clone(edges), Columns: slices.Clone(columns)})
}

// QuantileBin replaces the values of the named numeric columns by the level of the equally filled
// bin that their rank falls in: (bin + 1/2)/bins, in [0, 1]. The row of rank r among m observed
// ones, from 0, is in bin ⌊r·bins/m⌋. Rows of the same value share the mean of the levels that
// their ranks span, so that no value is torn apart and the order of the rows does not matter.
// Missing cells stay missing and have no rank. Ranks are fitted without noise and priced; they are
// needed at prediction time and are not private, so that no model which reads rows can be released
// behind this step.
func (p Pipeline) QuantileBin(bins int, columns ...string) Pipeline {
	return p.with(steps.QuantileBin{Bins: bins, Columns: slices.Clone(columns)})
}

// RankTransform replaces the values of the named numeric columns by their mid-ranks over n, the
// public number of rows: (rows below + half of the rows with the same value)/n, in [0, 1]. Equal
// values get equal ranks. Missing cells stay missing and are not counted. Ranks are fitted without
// noise and priced; they are needed at prediction time and are not private, so that no model which
// reads rows can be released behind this step.
func (p Pipeline) RankTransform(columns ...string) Pipeline {
	return p.with(steps.RankTransform{Columns: slices.Clone(columns)})
}
