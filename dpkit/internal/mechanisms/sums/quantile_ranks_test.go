package sums

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"
)

// TestFirstAtLeast: on even, uneven and extreme candidates, at them, beside them and outside.
func TestFirstAtLeast(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	even := make([]float64, 4097)
	for i := range even {
		f := float64(i) / 4096
		even[i] = -3*(1-f) + 11*f
	}
	for name, candidates := range map[string][]float64{
		"even": even, "one": {2}, "two": {2, 3}, "uneven": {-1, 0, 1e-9, 1e-8, 5, 6, 7, 1e6},
		"huge": {-math.MaxFloat64, 0, 1, math.MaxFloat64}, "subnormal": {0, 5e-324, 1e-323, 2e-323},
	} {
		var at []float64
		for _, c := range candidates {
			at = append(at, c, math.Nextafter(c, -math.MaxFloat64), math.Nextafter(c, math.MaxFloat64))
		}
		for range 2000 {
			i := rng.IntN(len(candidates))
			at = append(at, candidates[i]+rng.NormFloat64()*math.Abs(candidates[len(candidates)-1]))
		}
		for _, x := range append(at, -math.MaxFloat64, math.MaxFloat64) {
			if got, want := firstAtLeast(candidates, x), sort.SearchFloat64s(candidates, x); got != want {
				t.Fatalf("%s at %g: got %d, want %d", name, x, got, want)
			}
		}
	}
}
