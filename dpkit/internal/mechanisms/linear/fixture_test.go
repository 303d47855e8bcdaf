package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(fmt.Sprint("test fixture: ", err))
	}
	return v
}

// componentName names a column as a projection does.
func componentName(j int) string { return fmt.Sprintf("component %d", j+1) }

func dot(a, b []float64) (s float64) {
	for i := range a {
		s += a[i] * b[i]
	}
	return s
}

// distance is the Euclidean one.
func distance(a, b []float64) (d float64) {
	for j := range a {
		d = math.Hypot(d, a[j]-b[j])
	}
	return d
}

func shrink(v []float64, r float64) {
	if n := num.Norm2(v); n > r {
		for j := range v {
			v[j] *= r / n
		}
	}
}
