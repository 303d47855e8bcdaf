package linear

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestEveryNoisyMatrixIsSolved: whatever noise made of the moments, the ridge grows until there is a regression: a diagonal far below what stands
// off it, none at all, and sizes at both ends of what is released.
func TestEveryNoisyMatrixIsSolved(t *testing.T) {
	solve := func(name string, sum []float64, size int) {
		t.Helper()
		s, err := (&NormalEquations{Size: size, Sum: sum}).Solve(0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, w := range s.W {
			if math.IsNaN(w) || math.IsInf(w, 0) {
				t.Errorf("%s: coefficients %v", name, s.W)
			}
		}
	}
	solve("of zeros", make([]float64, 9), 3)
	solve("a diagonal of zeros", []float64{0, 5, 1, 5, 0, 1, 1, 1, 0}, 3)
	solve("a diagonal far below", []float64{1e-9, 5, 1, 5, -1e-9, 1, 1, 1, 1e-9}, 3)
	solve("negative", []float64{-7, 2, -7, 2}, 1+1)
	rng := rand.New(rand.NewPCG(38, 2))
	for range 2000 {
		size := 2 + rng.IntN(8)
		sum := make([]float64, size*size)
		scale := math.Ldexp(1, rng.IntN(160)-80)
		for i := range size {
			for j := i; j < size; j++ {
				v := scale * rng.NormFloat64()
				if i == j {
					v *= math.Ldexp(1, -rng.IntN(60)) // the worst of a noisy diagonal
				}
				sum[i*size+j], sum[j*size+i] = v, v
			}
		}
		solve("noise", sum, size)
	}
}
