package rows

import (
	"fmt"
	"math"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// distance of two rows of which a cell is missing on both sides or on none.
func distance(a, b []float64) (d float64) {
	for j := range a {
		if math.IsNaN(a[j]) != math.IsNaN(b[j]) {
			return math.Inf(1)
		}
		if !math.IsNaN(a[j]) {
			d = math.Hypot(d, a[j]-b[j])
		}
	}
	return d
}
