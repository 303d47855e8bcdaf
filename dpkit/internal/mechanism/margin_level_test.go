package mechanism

import (
	"math"
	"testing"
)

// TestMarginsNextToCertainty: at the largest levels below 1 margins of every law are finite, rise, and have the stated tail.
func TestMarginsNextToCertainty(t *testing.T) {
	for _, law := range []Law{Gaussian, Laplace, Geometric, Exponential} {
		last := 0.0
		for _, level := range []float64{0.95, 1 - 1e-9, 1 - 1e-12, 1 - 1e-15, math.Nextafter(1, 0)} {
			m := Prediction{Law: law, Size: []float64{1}, LogK: 1}.Margin(level)[0]
			if !(m >= last) || math.IsInf(m, 1) {
				t.Errorf("%s at 1 − %g: %v, at a smaller level %v", law, 1-level, m, last)
			}
			last = m
			if tail := math.Erfc(m / math.Sqrt2); law == Gaussian && !(math.Abs(tail/(1-level)-1) < 1e-9) {
				t.Errorf("at 1 − %g the margin %v has the tail %g", 1-level, m, tail)
			}
		}
	}
}
