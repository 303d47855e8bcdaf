package num

import (
	"fmt"
	"math"
)

// RisingEdges reports edges of bins that are none: no number, or not in rising order.
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
