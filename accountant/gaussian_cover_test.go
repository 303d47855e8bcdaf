package accountant

import (
	"errors"
	"math"
	"testing"
)

// TestGaussianCoverDominates: the profile of the cover is nowhere below the event's, and touches it at 0.
func TestGaussianCoverDominates(t *testing.T) {
	for _, size := range []float64{1e-9, 1e-3, 0.1, 0.5, 1, 1.4, 2, 5, 12, 40} {
		for name, e := range map[string]interface {
			Event
			Profiler
		}{
			"Laplace":     Laplace{Sensitivity: size, Scale: 1, Neighbours: ReplaceOne},
			"pure":        PureDP{Epsilon: size, Neighbours: ReplaceOne},
			"exponential": Exponential{Epsilon: size, Neighbours: ReplaceOne},
		} {
			mu, tv, err := GDPOf(e, ReplaceOne)
			if err != nil || tv != 0 {
				t.Fatal(name, tv, err)
			}
			profile, err := e.Profile(ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 400 {
				eps := size * float64(i) / 399
				if got, want := gaussianDelta(eps, mu), profile(eps)*(1-0x1p-40); !(got >= want) {
					t.Errorf("%s %g: at ε = %g the cover %g has δ = %g, below %g", name, size, eps, mu, got, want)
				}
			}
			if got, want := gaussianDelta(0, mu), profile(0); !(1-got >= (1-want)*(1-1e-8)) || got > want*(1+1e-8) {
				t.Errorf("%s %g: total variation of the cover %g, of the event %g", name, size, got, want)
			}
		}
	}
}

func TestGaussianCoverOfOthers(t *testing.T) {
	g := Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: AddRemove}
	if mu, tv, err := GDPOf(g, AddRemove); mu != 0.5 || tv != 0 || err != nil {
		t.Errorf("Gaussian: got %v, %v, %v", mu, tv, err)
	}
	for name, c := range map[string]struct {
		e   Event
		rel Neighbours
		is  error
	}{
		"nil":            {nil, AddRemove, ErrParameter},
		"other relation": {PureDP{Epsilon: 1, Neighbours: AddRemove}, ReplaceOne, ErrNeighbours},
		"Laplace":        {Laplace{Sensitivity: 1, Neighbours: AddRemove}, AddRemove, ErrParameter},
		"exponential":    {Exponential{Epsilon: math.NaN(), Neighbours: AddRemove}, AddRemove, ErrParameter},
		"zCDP":           {ZCDP{Rho: 1, Neighbours: AddRemove}, AddRemove, ErrNoRoute},
	} {
		if _, _, err := GDPOf(c.e, c.rel); !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %v", name, err, c.is)
		}
	}
	// No loss at all, and more than any Gaussian of finite μ can tell apart.
	for size, want := range map[float64]float64{0: 0, 1e5: math.Inf(1)} {
		if mu, _, err := GDPOf(PureDP{Epsilon: size, Neighbours: AddRemove}, AddRemove); !(mu >= want && mu <= want+1e-300) || err != nil {
			t.Errorf("ε = %g: got %v, %v", size, mu, err)
		}
	}
}
