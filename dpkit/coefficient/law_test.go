package coefficient

import (
	"math"
	"testing"
)

// TestMargins: margins grow with the level, each law has a finite one or says why not, and known quantiles are met.
func TestMargins(t *testing.T) {
	sums := &Moments{Along: []float64{0.1}, Units: []float64{1}, Least: 40, Size: 0.5, Right: 1, Fixed: true, Ways: 1}
	for _, l := range []*Law{
		{Law: ByOutput, Scales: []float64{2}},
		{Law: BySketch, Scales: []float64{2}, Freedom: 5},
		{Law: ByObjective, Scales: []float64{2}, Freedom: 3},
		{Law: BySteps, Scales: []float64{2}, Freedom: 3, Sides: 2},
		{Law: ByPass, Scales: []float64{2}, Freedom: 3},
		{Law: ByRelativeSteps, Scales: []float64{2}},
		{Law: BySums, Scales: []float64{0.05}, Freedom: 4, Moments: sums},
		{Law: ByClippedSums, Scales: []float64{0.05}, Freedom: 4, Moments: sums},
	} {
		if err := l.Check(1); err != nil {
			t.Errorf("%s: %v", l.Law, err)
		}
		if l.Check(2) == nil {
			t.Errorf("%s: one scale for two coefficients", l.Law)
		}
		last := 0.0
		for _, level := range []float64{0.1, 0.5, 0.95, 0.999, 1 - 1e-12} {
			m, reason := l.Margins(level)
			if reason != "" && l.Moments != nil && level > 0.999 {
				continue
			}
			if reason != "" || !(m[0] > last) || math.IsInf(m[0], 1) {
				t.Errorf("%s at %g: %v, %q", l.Law, level, m, reason)
				break
			}
			last = m[0]
		}
	}
	for _, c := range []struct {
		law  Law
		want float64
	}{
		{Law{Law: ByOutput, Scales: []float64{2}}, 2 * 1.959963984540054},
		{Law{Law: BySketch, Scales: []float64{1}, Freedom: 5}, 2.570581835636314},
		{Law{Law: ByPass, Scales: []float64{1}, Freedom: 1}, 1.959963984540054},
		{Law{Law: ByPass, Scales: []float64{1}, Freedom: 2}, math.Sqrt(-2 * math.Log(0.05))},
		{Law{Law: ByRelativeSteps, Scales: []float64{1}}, math.Sqrt(20)},
	} {
		if m, _ := c.law.Margins(0.95); !(math.Abs(m[0]/c.want-1) < 1e-9) {
			t.Errorf("%s: got %v, want %v", c.law.Law, m[0], c.want)
		}
	}
	for _, name := range Unbounded() {
		l := Law{Law: name}
		if m, reason := l.Margins(0.95); m != nil || reason == "" || l.Check(3) != nil {
			t.Errorf("%s: got %v, %q", name, m, reason)
		}
	}
	for _, l := range []*Law{
		{Law: "other"},
		{Law: ByOutput, Scales: []float64{-1}},
		{Law: ByOutput, Scales: []float64{math.NaN()}},
		{Law: BySums, Scales: []float64{1}},
		{Law: BySums, Scales: []float64{1}, Moments: &Moments{}},
		{Law: ByOutput, Scales: []float64{1}, Moments: sums},
	} {
		if l.Check(1) == nil {
			t.Errorf("%+v is a law", l)
		}
	}
}
