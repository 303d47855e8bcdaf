package stage

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// BinOp replaces a value of the columns at these positions by the number of edges not above it.
type BinOp struct {
	Columns []int     `json:"columns"`
	Edges   []float64 `json:"edges"`
}

func (op *BinOp) compile(in int) (num.Block, int, error) {
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("bin: %w", err)
	}
	if err := num.RisingEdges(op.Edges); err != nil {
		return nil, 0, fmt.Errorf("bin: %w", err)
	}
	return num.Columns(op.Columns, func(_ int, x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		code, found := slices.BinarySearch(op.Edges, x)
		if found {
			code++
		}
		return float64(code)
	}), in, nil
}
