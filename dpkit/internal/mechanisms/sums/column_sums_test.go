package sums

import (
	"math"
	"slices"
	"testing"
)

// TestAddSteps: sums in grid steps are those of single cells rounded to even, on grids finer than a kernel takes, and where a cell is no number.
func TestAddSteps(t *testing.T) {
	for name, c := range map[string]struct {
		inv   float64
		z     []float64
		whole bool
	}{
		"ties":        {2, []float64{0.25, -0.25, 0.75, 1, -1, -0.75, 0.5, 0}, true},
		"fine":        {0x1p49, []float64{1, -1, 1. / 3, -1. / 3, 0x1p-50, 0x1p-49, 0.1, 0.7}, true},
		"finer":       {0x1p55, []float64{1, -1, 1. / 3, -1. / 3, 0x1p-50, 0x1p-56, 0.1, 0.7}, true},
		"missing":     {8, []float64{1, math.NaN(), 0.3, 0.4, math.NaN(), math.NaN(), -0.1, 0.7}, false},
		"no rows yet": {8, nil, true},
	} {
		got, want := []int64{5, -7}, []int64{5, -7}
		for i, v := range c.z {
			if !math.IsNaN(v) {
				want[i%2] += int64(math.RoundToEven(v * c.inv))
			}
		}
		addSteps(got, c.z, slices.Repeat([]float64{c.inv}, len(c.z)/2), c.whole)
		if !slices.Equal(got, want) {
			t.Errorf("%s: sums are %d, want %d", name, got, want)
		}
	}
}
