package steps

import (
	"math"
	"testing"
)

// TestCopiesHaveOneZero: a step may make a −0, and rows of equal values must be the same row.
func TestCopiesHaveOneZero(t *testing.T) {
	row := []float64{math.Copysign(0, -1), -1, math.NaN()}
	if CopyRow(row, row); math.Signbit(row[0]) || row[1] != -1 || !math.IsNaN(row[2]) {
		t.Errorf("got %v, want [0 -1 NaN]", row)
	}
}
