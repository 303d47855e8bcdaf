package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Histogram releases how many rows have each level of a category, or of the class label, by one
// draw of noise. Rows whose cell is missing are counted under "(missing)" where
// the schema allows them. Levels are public, so that empty ones are listed too. No step may have
// changed the column: leave it unencoded.
//
//go:noinline
func (p Pipeline) Histogram(column string, t Target) Plan[Estimates] {
	return newPlan[Estimates](p, sums.Histogram{Column: column, Target: t})
}
