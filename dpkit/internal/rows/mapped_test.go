package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMapInPlace has the bits of a map into another table, also by a map that reads a cell after it wrote its place, and leaves removed rows empty.
func TestMapInPlace(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 22))
	turn := func(dst, src []float64) {
		for j := range src {
			dst[j] = src[len(src)-1-j] + float64(j)
		}
	}
	for _, size := range []int{1, 700, 5000} {
		draws := make([]float64, 5*size)
		for i := range draws {
			draws[i] = r.NormFloat64()
		}
		table := func() *Matrix {
			m := tableOf(t, size, 5, true, func(i, j int) float64 { return draws[5*i+j] })
			if size > 1 {
				m.Empty[size/2] = true // whose cells mean nothing
				m.Row(size / 2)[2] = math.NaN()
			}
			return m
		}
		want := must(Materialise(t.Context(), table(), table().Domain, turn))
		got := must(table().MapInPlace(t.Context(), table().Domain, turn))
		if !slices.Equal(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Empty, want.Empty) {
			t.Errorf("%d rows: another table", size)
		}
	}
}
