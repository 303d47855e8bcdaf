package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// CellMean are the parameters of [Pipeline.QuantizeMeans]; neither has a default.
type CellMean = steps.CellMean

// QuantizeMeans replaces the values of the named numeric columns by the mean of the rows that share
// their cell of a public grid over these columns, drawn towards the cell's centre:
//
//	(Σ_{rows of the cell} x + κ·centre) / (rows of the cell + κ).
//
// It denoises training rows, whatever the sizes of the cells, where [Pipeline.Quantize] would move
// them to the centres for free. Missing cells stay missing. The means are fitted without noise and
// priced; they stay inside the pipeline, and prediction reads the values as they are.
func (p Pipeline) QuantizeMeans(m CellMean, columns ...string) Pipeline {
	return p.with(steps.CellMeans{CellMean: m, Columns: slices.Clone(columns)})
}
