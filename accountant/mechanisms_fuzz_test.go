package accountant

import (
	"math"
	"testing"
)

// FuzzGaussMixDelta: profiles are probabilities, fall with ε and γ, and the replace-one one is the largest.
func FuzzGaussMixDelta(f *testing.F) {
	f.Add(1.0, 100, 30.0)
	f.Add(0.0, 1, 1e-9)
	f.Add(1e-12, 1000000, 1e12)
	f.Add(700.0, 3, 0.01)
	f.Fuzz(func(t *testing.T, eps float64, k int, s float64) {
		if !(eps >= 0) || k < 1 || k > 1e9 || !(s > 0) || math.IsInf(s, 1) {
			return // outside the domain: the laws say nothing
		}
		checks := map[string]func(eps, s float64) float64{
			"forward":  func(eps, s float64) float64 { return mixForwardDelta(eps, k, s) },
			"backward": func(eps, s float64) float64 { return mixBackwardDelta(eps, k, s) },
		}
		if k < 10000 {
			checks["replace-one"] = func(eps, s float64) float64 { return mixReplaceDelta(eps, k, s) }
		}
		values := map[string]float64{}
		for name, delta := range checks {
			v := delta(eps, s)
			if !(v >= 0 && v <= 1) {
				t.Fatalf("%s: δ(%g; k %d, s %g) = %g", name, eps, k, s, v)
			}
			if more := delta(eps*1.001+1e-9, s); more > v*(1+1e-9)+1e-290 {
				t.Errorf("%s: δ(%g; k %d, s %g) = %g rises to %g with ε", name, eps, k, s, v, more)
			}
			values[name] = v
		}
		if r, ok := values["replace-one"]; ok && r < max(values["forward"], values["backward"])*(1-1e-9)-1e-290 {
			t.Errorf("δ(%g; k %d, s %g): %v", eps, k, s, values)
		}
	})
}

// FuzzObjectivePerturbation: what is accepted has a profile in [0, 1] that falls with ε.
func FuzzObjectivePerturbation(f *testing.F) {
	f.Add(1.0, 1.0, 4.0, 0.5, uint8(0))
	f.Add(0.0, 3.0, 1e-3, 1e-6, uint8(1))
	f.Add(1e-6, 1e-8, 1e9, 1e3, uint8(2))
	f.Fuzz(func(t *testing.T, eps, c, sigma, lambda float64, loss uint8) {
		o := ObjectivePerturbation{C: c, Sigma: sigma, Lambda: lambda, Loss: GLMLoss(loss), Neighbours: AddRemove}
		if o.Loss != Logistic {
			o.Slope, o.Curvature = 1, 0.25
		}
		profile, err := o.Profile(AddRemove)
		if err != nil || !(eps >= 0) || math.IsInf(eps, 1) {
			return // outside the domain: the laws say nothing
		}
		delta := profile(eps)
		if !(delta >= 0 && delta <= 1) {
			t.Fatalf("%v: δ(%g) = %g", o, eps, delta)
		}
		if more := profile(eps*1.01 + 1e-9); more > delta*(1+1e-6)+1e-15 {
			t.Errorf("%v: δ(%g) = %g rises to %g", o, eps, delta, more)
		}
	})
}
