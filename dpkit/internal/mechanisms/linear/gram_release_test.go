package linear

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestSymmetricNoiseCover: the largest eigenvalue of the noise exceeds its cover no more often than is said.
func TestSymmetricNoiseCover(t *testing.T) {
	const d, runs, q = 6, 2000, 0.2
	rng := noise.NewDemo(5)
	over := 0
	for range runs {
		packed := make([]float64, d*(d+1)/2)
		for i := range packed {
			packed[i] = 3 * normal(rng)
		}
		values := (&rows.Gram{D: d, Total: rows.UnpackSymmetric(packed, d)}).Eigen(0).Values
		if values[0] > rows.SymmetricCover(d, 3, q) {
			over++
		}
	}
	// Hoeffding: ±0.077 at 1e-10. The quantile is exact, so that it is not far below either.
	if rate := float64(over) / runs; math.Abs(rate-q) > 0.077 {
		t.Errorf("exceeded in %.3f of the draws, want %g", rate, q)
	}
}

// TestPackSymmetric: the norm of the packed form is the Frobenius norm, and unpacking restores the matrix.
func TestPackSymmetric(t *testing.T) {
	a := []float64{1, 2, 3, 9, 2, 4, 5, 9, 3, 5, 6, 9}
	packed := rows.PackSymmetric(nil, a, 3, 4)
	if got, want := num.Norm2(packed), math.Sqrt(1+16+36+2*(4+9+25)); math.Abs(got-want) > 1e-12 {
		t.Errorf("norm %g, want %g", got, want)
	}
	for i, v := range rows.UnpackSymmetric(packed, 3) {
		if want := a[i/3*4+i%3]; math.Abs(v-want) > 1e-15 {
			t.Errorf("entry %d: %g, want %g", i, v, want)
		}
	}
}
