package accountant

import (
	"math"
	"testing"
)

// FuzzSubsampledGaussian: whatever the constants, a step is an error or has a price that is not below 0, nor above that of
// all rows, and rises with its rate.
func FuzzSubsampledGaussian(f *testing.F) {
	f.Add(0.01, 1.0, 2.5, uint8(0), 0.0)
	f.Add(1e-9, 0.02, 1.0001, uint8(1), 0.0)
	f.Add(0.3, 4.0, 64.5, uint8(1), 0.7)
	f.Add(0.999, 30.0, 300.0, uint8(2), 0.1)
	f.Fuzz(func(t *testing.T, q, sigma, alpha float64, kind uint8, each float64) {
		e := SubsampledGaussian{C: 1, Sigma: sigma, Sampling: PoissonSampling(q), Neighbours: AddRemove}
		if kind%3 > 0 {
			e.Neighbours = ReplaceOne
		}
		if kind%3 == 2 {
			if !(q >= 0 && q <= 1) {
				return
			}
			e.Sampling = BatchSampling(int(50*q), 50)
		}
		if each != 0 {
			e.Shift = DisplacedRows{Rows: 4, Each: each}
		}
		curve, err := e.RDP(e.Neighbours)
		if err != nil {
			return
		}
		d := curve(alpha)
		if !(alpha > 1) {
			if !math.IsInf(d, 1) {
				t.Fatalf("%v at order %g: %g", e, alpha, d)
			}
			return
		}
		top := alpha * e.fullBatch() * e.fullBatch() / 2
		if e.Sampling.none() {
			top = 0
		}
		if !(d >= 0 && d <= top*(1+1e-9)+1e-300) {
			t.Fatalf("%v at order %g: %g, want 0 to %g", e, alpha, d, top)
		}
	})
}
