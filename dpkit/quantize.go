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
