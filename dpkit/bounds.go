package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// Bounds releases how many rows a numeric column has in each bin of sizes, 0 and ±2^k for k from −40 to 80 being the edges, those within the column's
// bounds where it has any: Bin(edges, column).By(column).Count().Table(target). [Table.Bounds] of what is released are bounds that hold nearly all rows, with
// the share that they clamp, for [Pipeline.ClipColumns] or for another schema:
//
//	sizes, err := data.Bounds("income", target).Release(ctx)
//	lo, hi, clamped, err := sizes.Value.Bounds("income")
//	data.ClipColumns(lo, hi, "income").Mean(…)
//
// The column may be one of [frames.Unbounded]: no bound of it is needed, and the price is that of one histogram. Bounds from a codebook
// cost nothing and clamp nobody: declare those where there are some.
func (p Pipeline) Bounds(column string, t Target) Plan[Table] {
	lo, hi := math.Inf(-1), math.Inf(1)
	if _, end, err := p.trace(); err == nil { // else the plan says what is wrong
		if c, ok := end.In.Column(column); ok && len(c.Levels) == 0 && c.Lo < c.Hi {
			lo, hi = c.Lo, c.Hi
		}
	}
	return p.Bin(num.SizeEdges(lo, hi), column).By(column).Count().Table(t)
}
