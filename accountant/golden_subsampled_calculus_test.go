package accountant

import (
	"math"
	"testing"
)

// goldenSubsampledCalculus checks the functions of calculus.json about subsampled steps: the numbers
// among an entry's arguments, and its value.
func goldenSubsampledCalculus() map[string]func(t *testing.T, a map[string]float64, value float64) {
	poisson := func(a map[string]float64, rel Neighbours) SubsampledGaussian {
		return SubsampledGaussian{C: 1, Sigma: a["s"], Sampling: PoissonSampling(a["q"]), Neighbours: rel}
	}
	displaced := func(a map[string]float64) DisplacedRows {
		rows := 100_000
		if n := int(a["n"]); n > 0 {
			rows = n - 1
		}
		return DisplacedRows{Rows: rows, Each: a["mu_ti"], Total: a["mu_tau"]}
	}
	// named is one route of an event, and the event's own price.
	named := func(t *testing.T, e SubsampledGaussian, name string, alpha float64) (route, best float64) {
		t.Helper()
		bs, err := e.bounds(e.Neighbours)
		if err != nil {
			t.Fatal(err)
		}
		best, _ = least(bs, alpha)
		for _, b := range bs {
			if b.name == name {
				return b.rdp(alpha), best
			}
		}
		t.Fatalf("%v: no route %q", e, name)
		return 0, 0
	}
	// The reference optimises shares of the noise numerically: at most 1e-3 above it, at most 1e-2 below.
	optimised := func(t *testing.T, route, best, value float64) {
		t.Helper()
		if !(route <= value*(1+1e-3) && route >= value*(1-1e-2)) || !(best <= route) {
			t.Errorf("got %g by the route, %g in all, want %g", route, best, value)
		}
	}
	return map[string]func(t *testing.T, a map[string]float64, value float64){
		"sgm_rdp": func(t *testing.T, a map[string]float64, value float64) {
			curve, err := poisson(a, AddRemove).RDP(AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			// The reference is good to 1e-9.
			requireAbove(t, "curve", curve(a["alpha"])*(1+2e-9), value, 4e-9)
		},
		"sgm_replace": func(t *testing.T, a map[string]float64, value float64) {
			s := sgm{a["q"], math.Sqrt2 / a["s"]}
			requireAbove(t, "split", 2*s.logMoment(a["alpha"])/(a["alpha"]-1)*(1+2e-9), value, 4e-9)
			curve, err := poisson(a, ReplaceOne).RDP(ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			if got := curve(a["alpha"]); !(got <= value) {
				t.Errorf("the exact price %g is above the split one %g", got, value)
			}
		},
		"wbk_wor": func(t *testing.T, a map[string]float64, value float64) {
			// The published bound: ours is at most that, and at least the divergence of one pair.
			w := wor{a["q"], 2 / a["s"]}
			lower := sgm{a["q"], 2 / a["s"]}.logMoment(a["alpha"])
			if got := w.logMoment(a["alpha"]); !(got >= lower) || !(got/(a["alpha"]-1) <= value) {
				t.Errorf("got %g, want %g to %g", got/(a["alpha"]-1), lower/(a["alpha"]-1), value)
			}
		},
		"dpsgd_poisson": func(t *testing.T, a map[string]float64, value float64) {
			e := poisson(a, ReplaceOne)
			e.Shift = displaced(a)
			route, best := named(t, e, "Poisson, noise split", a["alpha"])
			optimised(t, route, best, value)
		},
		"dpsgd_wor": func(t *testing.T, a map[string]float64, value float64) {
			e := SubsampledGaussian{C: 1, Sigma: a["s"], Sampling: BatchSampling(int(a["b"]), int(a["n"])), Neighbours: ReplaceOne, Shift: displaced(a)}
			route, best := named(t, e, "without replacement, noise split", a["alpha"])
			optimised(t, route, best, value)
		},
		"logE_exp": func(t *testing.T, a map[string]float64, value float64) {
			requireAbove(t, "expectation", binomialCount(int(a["r"]), a["q"]).logExpectSquare(a["c"]), value, 1e-10)
		},
	}
}
