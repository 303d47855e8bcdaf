package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Quantize moves the named numeric columns to the centres of public grid cells of the given width,
// counted from the column's lower bound. On columns that no earlier step displaced it costs
// nothing; a displaced value can jump by a cell, which is priced.
func (p Pipeline) Quantize(width float64, columns ...string) Pipeline {
	return p.with(steps.Quantize{Width: width, Columns: slices.Clone(columns)})
}

// CellMean are the parameters of [Pipeline.QuantizeMeans]; neither has a default.
//
// Its fields:
//
//	// Width is the side of the cells of the public grid, counted from each column's lower bound.
//	Width float64
//	// Weight is κ > 0: so many rows at the centre of its cell are added to every cell. One row moves
//	// another by (diameter of a cell)/(2 + κ) at most.
//	Weight float64
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

// QuantizeBall moves the features of all rows of a good cluster to those of its centre (see [Ball]).
// Labels stay, and have no say in which rows are close. Put it before the steps that are fitted to
// the data. The cells of a public grid ([Pipeline.Quantize]) do the same for nothing. At prediction
// time rows stay as they are.
func (p Pipeline) QuantizeBall(b Ball) Pipeline { return p.with(steps.BallQuantize{Ball: b}) }
