package num

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestClipRowsBits: rows at a time are clipped to the bits of one at a time, at the radius, where squares leave the range of float64 and where cells are
// no numbers, in place and not.
func TestClipRowsBits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	hostile := []float64{0, 1, -1, math.NaN(), math.Inf(1), 1e200, 1e-200, 1 + 0x1p-52, 1 - 0x1p-53, math.Sqrt(0.5), math.SmallestNonzeroFloat64}
	same := func(a, b float64) bool {
		return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
	}
	for d := 1; d <= 21; d++ {
		for _, r := range []float64{1, 1e-60, 3.7, 1e-130, 1e60} {
			n := 1 + rng.IntN(150)
			src, want := make([]float64, n*d), make([]float64, n*d)
			for i := range n {
				row := src[i*d : (i+1)*d]
				for j := range row {
					row[j] = rng.NormFloat64()
				}
				switch norm := Norm2(row); rng.IntN(4) {
				case 0: // at the radius
					for j := range row {
						row[j] *= r / norm
					}
				case 1: // inside
					for j := range row {
						row[j] *= r / norm / 2
					}
				case 2:
					row[rng.IntN(d)] = r * hostile[rng.IntN(len(hostile))]
				}
				ClipRow(want[i*d:(i+1)*d], row, r)
			}
			whole := true
			for _, v := range src {
				whole = whole && !math.IsNaN(v)
			}
			got := make([]float64, n*d)
			if ClipRows(got, src, r, n) && !whole {
				t.Fatalf("d = %d, r = %g: rows with missing cells count as whole", d, r)
			}
			ClipRows(src, src, r, n)
			for i := range want {
				if !same(got[i], want[i]) || !same(src[i], want[i]) {
					t.Fatalf("d = %d, r = %g: cell %d is %g, in place %g, want %g", d, r, i, got[i], src[i], want[i])
				}
			}
		}
	}
}
