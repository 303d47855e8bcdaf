package rows

import "testing"

// TestSpectralRounding: what prices count for sums of integers is what it was before sums of numbers lay on a grid, whose rounding comes on top for many
// columns.
func TestSpectralRounding(t *testing.T) {
	for _, c := range []struct {
		n, d int
		want float64
	}{{1000, 5, 0x1.00cc00acp-36}, {1000, 200, 0x1.00cc00acp-36}, {1_000_000, 3000, 0x1.201500b5p-36}} {
		exact, grid := ExactSpectralRounding(c.n, c.d), SpectralRounding(c.n, c.d)
		if exact != c.want {
			t.Errorf("n = %d, d = %d: got %x, want %x", c.n, c.d, exact, c.want)
		}
		if more := grid > exact; more != (c.d > 114) {
			t.Errorf("n = %d, d = %d: %g on a grid, %g of integers", c.n, c.d, grid, exact)
		}
	}
}
