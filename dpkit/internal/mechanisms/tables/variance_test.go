package tables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// TestVarianceCovers draws noisy moments of groups of every kind: intervals hold the variance as often as they say, and where a group is
// large they are hardly wider than propagation of the noise makes them.
func TestVarianceCovers(t *testing.T) {
	const draws, level = 1500, 0.9
	rng := rand.New(rand.NewPCG(5, 20))
	for _, c := range []struct {
		n, mean, variance float64 // of u
		tight             bool
	}{
		{1, 0.9, 0, false}, {12, 0, 1, false}, {30, -0.5, 0.1, false}, {500, 0, 1. / 3, true}, {300, 0.9, 0.02, true}, {1000, -1, 0, false}, {5000, 0.3, 0.2, true},
	} {
		t.Run(fmt.Sprint(c.n, c.mean, c.variance), func(t *testing.T) {
			const sigma = 4
			held, width := 0, 0.0
			for range draws {
				m := moments{CountSD: sigma, SumSD: sigma / linearWeight, SquaresSD: sigma / squareWeight, Centre: squareCentre}
				m.Count = c.n + m.CountSD*rng.NormFloat64()
				m.Sum = c.n*c.mean + m.SumSD*rng.NormFloat64()
				m.Squares = c.n*(c.variance+c.mean*c.mean-squareCentre) + m.SquaresSD*rng.NormFloat64()
				v := m.variance(level)
				if v.Low <= c.variance && c.variance <= v.High {
					held++
				}
				if !(0 <= v.Low && v.Low <= v.Value && v.Value <= v.High && v.High <= 1) {
					t.Fatalf("%+v: got %+v", m, v)
				}
				width += (v.High - v.Low) / draws
			}
			// 6.5 deviations are passed once in 1e10.
			if share, off := float64(held)/draws, 6.5*math.Sqrt(level*(1-level)/draws); !(share >= level-off) {
				t.Errorf("held %.4f, want %g", share, level)
			}
			if !c.tight {
				return
			}
			m2 := c.mean * c.mean
			sd := sigma / c.n * math.Sqrt(1/(squareWeight*squareWeight)+4*m2/(linearWeight*linearWeight)+math.Pow(m2+squareCentre-c.variance, 2))
			if propagated := 2 * 1.645 * sd; !(width < 1.15*propagated) {
				t.Errorf("%.4g wide, by propagation %.4g", width, propagated)
			}
		})
	}
}
