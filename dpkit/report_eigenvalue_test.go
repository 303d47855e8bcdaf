package dpkit

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestLeastEigenvalueByFactors(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for name, c := range map[string]struct{ d, rows int }{"one": {1, 5}, "full": {6, 40}, "singular": {6, 3}, "none": {4, 0}} {
		g := &gram{d: c.d, total: make([]float64, c.d*c.d)}
		trace := 0.0
		for range c.rows {
			x := make([]float64, c.d)
			for j := range x {
				x[j] = rng.NormFloat64()
				trace += x[j] * x[j]
			}
			for j, v := range x {
				for k := j; k < c.d; k++ {
					g.total[j*c.d+k] += v * x[k]
				}
			}
		}
		got, want := leastByFactors(g), leastEigenvalue(g)
		if !(math.Abs(got-want) <= 1e-13*trace+1e-300) {
			t.Errorf("%s: by factors %.17g, by the solver %.17g, of a trace %g", name, got, want, trace)
		}
	}
}
