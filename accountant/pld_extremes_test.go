package accountant

import (
	"fmt"
	"math"
	"testing"
)

// TestBestExtremes: where some route has a finite bound the answer is one, it names its route, and it is no worse than that
// of the Rényi divergence.
func TestBestExtremes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q, sigma float64
		steps    int
	}{
		{0, 1, 1000}, {1e-9, 1, 1000}, {1e-9, 0.05, 10}, {1e-5, 1, 100000}, {0.01, 1e4, 100000}, {0.01, 0.05, 10}, {1, 1, 1000}, {1, 1e4, 1},
	} {
		for _, delta := range []float64{1e-5, 1e-15, 1e-100} {
			t.Run(fmt.Sprintf("q=%g sigma=%g %d steps delta=%g", c.q, c.sigma, c.steps, delta), func(t *testing.T) {
				e := Repeat(poissonStep(c.q, c.sigma, AddRemove), c.steps)
				g, err := Best(e, AddRemove, delta, BestOptions{MaxPoints: 1 << 15, RelTol: 1e-3})
				if err != nil {
					t.Fatal(err)
				}
				rdp, err := EpsilonOf(e, AddRemove, delta)
				if err != nil {
					t.Fatal(err)
				}
				if !(g.Epsilon >= 0 && g.Epsilon < math.MaxFloat64 && g.Epsilon <= rdp.Epsilon) || g.Route == "" {
					t.Errorf("ε = %g by %q, RDP %g", g.Epsilon, g.Route, rdp.Epsilon)
				}
				d, err := BestDelta(e, AddRemove, max(g.Epsilon, 1e-6), BestOptions{MaxPoints: 1 << 15, RelTol: 1e-3})
				if err != nil {
					t.Fatal(err)
				}
				if !(d.Delta >= 0 && d.Delta <= 1) || d.Route == "" {
					t.Errorf("δ = %g by %q", d.Delta, d.Route)
				}
			})
		}
		if _, err := Best(Repeat(poissonStep(c.q, c.sigma, AddRemove), c.steps), AddRemove, math.NaN(), BestOptions{}); err == nil {
			t.Error("δ = NaN: no error")
		}
	}
}

// TestPLDLowerEnd: at an ε of any size the lower end is below other upper bounds, those of the Rényi curve and of all rows drawn.
func TestPLDLowerEnd(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		q, sigma float64
		n        int
	}{{0.9, 0.05, 1000}, {0.9, 0.05, 3_000_000}, {0.99, 0.1, 600_000}, {0.999999, 0.1, 1_000_000}, {1 - 1e-12, 0.2, 100_000_000}, {0.5, 0.02, 2_000_000}, {0.01, 0.02, 1_000_000}} {
		e := Repeat(SubsampledGaussian{C: 1, Sigma: c.sigma, Sampling: PoissonSampling(c.q), Neighbours: AddRemove}, c.n)
		upper, lower, err := EpsilonPLD(e, AddRemove, 1e-6)
		if err != nil {
			t.Fatal(err)
		}
		rdp := must[Guarantee](t)(EpsilonOf(e, AddRemove, 1e-6)).Epsilon
		all := must[Guarantee](t)(EpsilonOf(Repeat(Gaussian{Sensitivity: 1, Sigma: c.sigma, Neighbours: AddRemove}, c.n), AddRemove, 1e-6)).Epsilon
		if least := min(upper, rdp, all); !(lower <= least && lower > 0.5*least) {
			t.Errorf("q = %g, σ = %g, %d steps: ε in [%g, %g], at most %g by its Rényi curve and %g with all rows", c.q, c.sigma, c.n, lower, upper, rdp, all)
		}
	}
}
