package frames

import (
	"math"
	"testing"
)

// TestCodes: at the largest numbers of levels that 1, 2 and 4 bytes hold, beside missing cells.
func TestCodes(t *testing.T) {
	for _, c := range []struct {
		levels int
		size   uint8
	}{{1, 1}, {255, 1}, {256, 2}, {65535, 2}, {65536, 4}} {
		want := []float64{0, math.NaN(), float64(c.levels - 1), float64(c.levels / 2), math.NaN()}
		col := newCodes(c.levels)
		if col.size != c.size {
			t.Errorf("%d levels: got %d bytes a cell, want %d", c.levels, col.size, c.size)
		}
		col.reserve(2)
		b := &Block{Rows: len(want), Cols: 3, X: make([]float64, 3*len(want))}
		for i, v := range want {
			b.X[3*i+1] = v
		}
		col.add(b, 1)
		same := func(what string, got, want float64) {
			if got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%d levels: %s: got %g, want %g", c.levels, what, got, want)
			}
		}
		got := make([]float64, 2*len(want))
		for first := range want {
			col.read(got, 2, 1, first, len(want)-first)
			for i, v := range want[first:] {
				same("cell", got[2*i+1], v)
			}
		}
		part := col.subset([]int{4, 2})
		part.read(got, 1, 0, 0, 2)
		same("subset", got[0], want[4])
		same("subset", got[1], want[2])
	}
}
