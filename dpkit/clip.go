package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// ClipNorm projects every row onto the ball of radius r: x·min(1, r/‖x‖), a 1-Lipschitz public
// map. It costs nothing.
func (p Pipeline) ClipNorm(r float64) Pipeline { return p.with(steps.ClipNorm{R: r}) }

// ClipColumns clamps the named numeric columns to [lo, hi], public bounds. It is a public row map
// and costs nothing; a smaller domain lets later steps use a smaller sensitivity, and an unbounded column gets one.
func (p Pipeline) ClipColumns(lo, hi float64, columns ...string) Pipeline {
	return p.with(steps.ClipColumns{Lo: lo, Hi: hi, Columns: slices.Clone(columns)})
}
