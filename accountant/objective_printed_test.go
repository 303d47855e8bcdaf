package accountant

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
	"github.com/dpkit-go/dpnb/internal/single"
)

// TestPrintedObjectivePerturbation: what is printed about objective perturbation, or done in code, and is false. Each case computes the
// exact δ of the printed release on a pair of neighbours, which is above its claim, and that of ours, which is not.
func TestPrintedObjectivePerturbation(t *testing.T) {
	b := Budget{Epsilon: 1, Delta: 1e-5}
	fitted := must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(b, ObjectivePerturbation{C: 1, Neighbours: AddRemove}))
	mu := must[float64](t)(CalibrateGaussian(b))
	pair := must[LogisticPerturbation](t)(CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 1, Neighbours: AddRemove}))
	// worst is that of one row that is added or removed, over public linear regularisers.
	worst := func(o ObjectivePerturbation, pushes ...float64) (delta float64) {
		for _, push := range pushes {
			for _, sides := range [2][2][]record{{{1}, nil}, {nil, {1}}} {
				d := trueDelta(o, sides[0], sides[1], b.Epsilon, push)
				delta = max(delta, d)
			}
		}
		return delta
	}

	t.Run("a row replaced at the noise of a row added", func(t *testing.T) {
		single.Goroutine(t)
		// In two dimensions the regulariser r(θ) = ΛT·θ₂ centres θ at (0, −T), where z = (a, s) and z' = (−a, s) have margins below
		// −sT + a|θ₁|: at T = 1e4 both slopes are 1 to within e^−2000 wherever |b| < 40σ, so that z is a shift of b by −z, z' by −z', and
		// their laws differ by the Gaussian shift |z − z'| = 2a.
		const s, far = 0.25, 1e4
		a := math.Sqrt(1 - s*s)
		saturated := func(o ObjectivePerturbation) float64 {
			if slack := s*far - 41*(o.Sigma+1)/o.Lambda; !(slack > 1000) {
				t.Fatalf("margins of %g: not saturated", slack)
			}
			return gaussianDelta(b.Epsilon, 2*a/o.Sigma)
		}
		if delta := saturated(fitted); !(delta > 8.4e-3) {
			t.Errorf("true δ = %g for a claimed %g, want more than 8.4e-3", delta, b.Delta)
		}
		for name, ours := range map[string]ObjectivePerturbation{
			"alone":            must[ObjectivePerturbation](t)(CalibrateObjectivePerturbation(b, ObjectivePerturbation{C: 1, Neighbours: ReplaceOne})),
			"as Gaussian pair": must[LogisticPerturbation](t)(CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 1, Neighbours: ReplaceOne})).objective(),
		} {
			if delta := saturated(ours); !(delta <= b.Delta) {
				t.Errorf("ours, %s: true δ = %g of %g", name, delta, b.Delta)
			}
		}
	})
	t.Run("an intercept without a penalty", func(t *testing.T) {
		single.Goroutine(t)
		// One row (1), no penalty: σ(−θ) = b has a solution for 0 < b < 1 alone. Without the row θ is infinite: the event that it
		// is finite has the probabilities Φ(1/σ) − ½ and 0, whatever ε.
		if finite := quad.NormalCDF(1/fitted.Sigma) - 0.5; !(finite > 0.105) {
			t.Errorf("true δ = %g for a claimed %g, want 0.105", finite, b.Delta)
		}
		// Nearly the same with next to no penalty, by the exact densities, and not with ours.
		barely := fitted
		barely.Lambda = 1e-3
		if delta := worst(barely, 0); !(delta > 0.09) {
			t.Errorf("Λ = %g: true δ = %g, want about 0.1", barely.Lambda, delta)
		}
		if delta := worst(fitted, 0); !(delta <= b.Delta*(1+1e-5)) {
			t.Errorf("ours: true δ = %g of %g", delta, b.Delta)
		}
	})
	t.Run("half of the ridge, and less", func(t *testing.T) {
		single.Goroutine(t)
		for parts, least := range map[float64]float64{2: 1.3, 4: 30, 16: 3800} {
			o := fitted
			o.Lambda /= parts
			if delta := worst(o, map[float64]float64{2: 15, 4: 10, 16: 1}[parts]); !(delta > least*b.Delta) {
				t.Errorf("Λ/%g: true δ = %g for a claimed %g, want %g times that", parts, delta, b.Delta, least)
			}
		}
		for name, ours := range map[string]ObjectivePerturbation{"alone": fitted, "as Gaussian pair": pair.objective()} {
			if delta := worst(ours, 1, 10, 15); !(delta <= b.Delta*(1+1e-5)) {
				t.Errorf("ours, %s: true δ = %g of %g", name, delta, b.Delta)
			}
		}
	})
	t.Run("a squared hinge without an end", func(t *testing.T) {
		single.Goroutine(t)
		// (1 − θ)²₊/2 has slopes without a bound; a row at margin −9 pulls with 10, where σ and Λ are for a slope of 1.
		o := must[GLMPerturbation](t)(CalibrateGLMPerturbation(mu, GLMPerturbation{C: 1, Slope: 1, Curvature: 1, OneSign: true, Neighbours: AddRemove}))
		p := bentPair{sigma: o.Sigma, lambda: o.Lambda, x: 1}
		for range int(8 * o.Lambda) { // rows that pull θ down to about −8
			p.back = append(p.back, bentLoss{-40, 1e3, 0})
		}
		p.row = bentLoss{-99, 1, -100} // −(1 − θ) from −99 on
		if delta := max(p.delta(b.Epsilon, true), p.delta(b.Epsilon, false)); !(delta > 100*b.Delta) {
			t.Errorf("true δ = %g for a claimed %g", delta, b.Delta)
		}
		p.row = bentLoss{0, 1, -1} // the same with slopes in [−1, 0]; beyond margin 1 no noise reaches
		if delta := max(p.delta(b.Epsilon, true), p.delta(b.Epsilon, false)); !(delta <= b.Delta) {
			t.Errorf("ours: true δ = %g of %g", delta, b.Delta)
		}
	})
}
