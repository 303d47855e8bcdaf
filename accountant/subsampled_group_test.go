package accountant

import (
	"errors"
	"math"
	"testing"
)

func TestSubsampledGroup(t *testing.T) {
	for _, alpha := range []float64{1.3, 2, 6.5} {
		// No one-sided rows: the step itself. More of them cost more, up to the Gaussian of all.
		for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
			step := SubsampledGaussian{C: 1, Sigma: 1.5, Sampling: PoissonSampling(0.05), Neighbours: rel}
			want := mustCurve(t, step, rel)(alpha)
			g := SubsampledGroup{C: 1, Sigma: 1.5, Rate: 0.05, Neighbours: rel}
			last := mustCurve(t, g, rel)(alpha)
			if !(math.Abs(last-want) <= 1e-9*want) {
				t.Errorf("%v, order %g: %.15g, want that of a step, %.15g", g, alpha, last, want)
			}
			for _, g.OneSided = range []int{1, 4, 9} {
				d := mustCurve(t, g, rel)(alpha)
				shift := float64(g.OneSided+2) / 1.5
				if !(d >= last && d <= gaussMoment(alpha, shift)/(alpha-1)) {
					t.Errorf("%v, order %g: %g, want at least %g", g, alpha, d, last)
				}
				last = d
			}
		}
	}
	full := SubsampledGroup{C: 1, Sigma: 2, Rate: 1, OneSided: 2, Neighbours: ReplaceOne}
	requireAbove(t, "all rows", mustCurve(t, full, ReplaceOne)(3), 6, 1e-12)
	for name, g := range map[string]SubsampledGroup{
		"negative rows": {C: 1, Sigma: 1, Rate: 0.1, OneSided: -1, Neighbours: ReplaceOne},
		"bad rate":      {C: 1, Sigma: 1, Rate: 2, Neighbours: ReplaceOne},
		"NaN noise":     {C: 1, Sigma: math.NaN(), Rate: 0.1, Neighbours: ReplaceOne},
	} {
		if _, err := g.RDP(ReplaceOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
}
