package stage

import (
	"fmt"
	"math"
	"slices"
)

func RisingEdges(edges []float64) error {
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

// BinOp replaces a value of the columns at these positions by the number of edges not above it.
type BinOp struct {
	Columns []int     `json:"columns"`
	Edges   []float64 `json:"edges"`
}

func (op *BinOp) compile(in int) (Transform, int, error) {
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("bin: %w", err)
	}
	if err := RisingEdges(op.Edges); err != nil {
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
