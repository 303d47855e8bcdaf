package quad

import (
	"math"
	"testing"
)

// TestLogisticQuadratic: the parabola meets the loss at the nodes, whatever the interval, and its curvature tends to
// that of the loss at 0, one quarter, halved.
func TestLogisticQuadratic(t *testing.T) {
	for _, q := range []float64{1e-160, 1e-9, 1e-5, 1.1547e-5, 0.01, 1, 1.1547, 1.16, 6, 300, 1e6} {
		b0, b1, b2 := LogisticQuadratic(q)
		if b2 > 0.125 || !(b2 > 0) {
			t.Errorf("q = %g: b2 = %g, want a number in (0, 1/8]", q, b2)
		}
		if q <= 1e-5 && math.Abs(b2-0.125) > 1e-12 {
			t.Errorf("q = %g: b2 = %.17g, want nearly 1/8", q, b2)
		}
		for _, k := range []float64{-1, 0, 1} {
			s := k * math.Sqrt(3) / 2 * q
			loss := max(0, -s) + math.Log1p(math.Exp(-math.Abs(s)))
			if got := b0 + b1*s + b2*s*s; math.Abs(got-loss) > 1e-15*(1+2*math.Abs(s)) {
				t.Errorf("q = %g: %.17g at the node %g, want %.17g", q, got, s, loss)
			}
		}
	}
	// The branches meet.
	for _, x := range []float64{1e-5, 1} {
		_, _, below := LogisticQuadratic(x * (1 - 1e-15) * 2 / math.Sqrt(3))
		_, _, above := LogisticQuadratic(x * (1 + 1e-15) * 2 / math.Sqrt(3))
		if math.Abs(below-above) > 1e-14*below {
			t.Errorf("b2 jumps from %.17g to %.17g at %g", below, above, x)
		}
	}
	for _, q := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, _, b2 := LogisticQuadratic(q); !math.IsNaN(b2) {
			t.Errorf("q = %g: got %g, want NaN", q, b2)
		}
	}
}
