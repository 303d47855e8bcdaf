package rows

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
)

// TestSpectralRounding: what prices count for sums of integers is what it was before sums of numbers lay on a grid, whose rounding comes on top for many
// columns.
func TestSpectralRounding(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want float64
	}{{1000, 5, 0x1.00cc00acp-36}, {1000, 200, 0x1.00cc00acp-36}, {1_000_000, 3000, 0x1.201500b5p-36}} {
		exact, grid := SpectralRounding(c.n, c.d), GridSpectralRounding(c.n, c.d)
		if exact != c.want {
			t.Errorf("n = %d, d = %d: got %x, want %x", c.n, c.d, exact, c.want)
		}
		if more := grid > exact; more != (c.d > 114) {
			t.Errorf("n = %d, d = %d: %g on a grid, %g of integers", c.n, c.d, grid, exact)
		}
	}
}

// TestGridsOfEveryRadius: the radii that a chain may have are within the range of grids, so that prices in units of R² cover their rounding, and what is
// summed is neither lost nor cut off.
func TestGridsOfEveryRadius(t *testing.T) {
	for _, r := range []float64{pair.MinRadius, 1e-3, 1, math.Pi, pair.MaxRadius} {
		if inRange(r*overNorm) != r*overNorm {
			t.Errorf("R = %g: a grid for %g", r, inRange(r*overNorm))
		}
		const rows = 700
		sum, terms := NewGridSum(1, r), NewTermSums(1, r)
		for range rows {
			sum.Take([]float64{r}, 1, 1)
			terms.AddTimes(-1, []float64{r})
		}
		if got := must(sum.Total(1))[0]; !(math.Abs(got-rows*r*r) <= gridRounding(1)/2*rows*r*r) {
			t.Errorf("R = %g: sum of squares %g, want %g", r, got, rows*r*r)
		}
		if got := terms.Sum(0); !(math.Abs(got+rows*r) <= 0x1p-50*rows*r) {
			t.Errorf("R = %g: sum %g, want %g", r, got, -rows*r)
		}
	}
}
