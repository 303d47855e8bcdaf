package accountant

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestPureMu: Φ(μ/2) is never below e^ε/(1 + e^ε), and hardly above.
func TestPureMu(t *testing.T) {
	last := 0.0
	for eps := 1e-300; eps < 1e8; eps *= 1.31 {
		mu := pureMu(eps)
		if !(mu > last) {
			t.Fatalf("ε = %g: μ = %g, before it %g", eps, mu, last)
		}
		last = mu
		var got, want, tol float64
		if eps < 1 {
			got, want, tol = math.Erf(mu/math.Sqrt(8)), math.Tanh(eps/2), 1e-13
		} else { // of −ln of the tail
			got, want, tol = -quad.LogNormalCDF(-mu/2), eps+math.Log1p(math.Exp(-eps)), 1e-12
			if eps >= 600 {
				tol = 0.02
			}
		}
		if !(got >= want) || got > want*(1+tol) {
			t.Errorf("ε = %g: got %.17g, want %.17g", eps, got, want)
		}
	}
	if pureMu(0) != 0 {
		t.Error("nothing costs something")
	}
}

// TestGDPOfDominates: the Gaussian profile is never below that of the pure events that it stands for, in any number, mixed
// with Gaussian ones, and touches that of one response where it must.
func TestGDPOfDominates(t *testing.T) {
	pure := PureDP{0.8, AddRemove}
	for name, e := range map[string]Event{
		"response":   pure,
		"Laplace":    Laplace{1, 3, AddRemove},
		"selection":  Exponential{1.5, AddRemove},
		"responses":  Repeat(pure, 7),
		"lists":      Compose(pure, Repeat(Compose(pure), 2)),
		"many rows":  RandomizedResponse{9, 2.5, AddRemove},
		"a Gaussian": addGauss(0.7),
	} {
		mu, tv, err := GDPOf(e, AddRemove)
		if err != nil || tv != 0 {
			t.Fatalf("%s: %g, %v", name, tv, err)
		}
		p, err := profileOf(e, AddRemove)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		least := math.Inf(1)
		for eps := 0.0; eps < 12; eps += 0.05 {
			gauss, exact := gaussianDelta(eps, mu), p(eps)
			if exact > gauss*(1+1e-10) {
				t.Errorf("%s at ε = %g: δ = %g, of μ = %g %g", name, eps, exact, mu, gauss)
			}
			if exact > 0 {
				least = min(least, gauss/exact)
			}
		}
		if name == "response" && least > 1.2 {
			t.Errorf("the Gaussian is %g times the response at best", least)
		}
	}
	mixed := Compose(Laplace{1, 3, AddRemove}, addGauss(0.5), Repeat(pure, 3))
	mu, _, err := GDPOf(mixed, AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := GDPOf(Laplace{1, 3, AddRemove}, AddRemove) // less than that of pure DP at the same ε
	if err != nil || !(m < pureMu(1./3)) {
		t.Fatalf("Laplace: μ = %v, %v, want less than %v", m, err, pureMu(1./3))
	}
	r := pureMu(0.8)
	if want := math.Sqrt(m*m + 0.25 + 3*r*r); mu < want*(1-1e-9) || mu > want*(1+1e-9) {
		t.Errorf("mixed: μ = %.15g, want %.15g", mu, want)
	}
}

func TestGDPOfErrors(t *testing.T) {
	for name, c := range map[string]struct {
		e    Event
		want error
		says string
	}{
		"nil":            {nil, ErrParameter, "got nil"},
		"nil part":       {Compose(Laplace{1, 1, AddRemove}, nil), ErrParameter, "event 2 of 2"},
		"nil repeated":   {Repeat(nil, 2), ErrParameter, "got nil"},
		"count":          {Repeat(Laplace{1, 1, AddRemove}, 0), ErrParameter, "count"},
		"sampled":        {SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(0.1), Neighbours: AddRemove}, ErrNoRoute, "neither"},
		"sketch":         {GaussMix{K: 3, Gamma: 9, Neighbours: AddRemove}, ErrNoRoute, "neither"},
		"may fail":       {ApproxDP{1, 1e-9, AddRemove}, ErrNoRoute, "fails"},
		"not private":    {NonPrivate{Reason: "x"}, ErrNoRoute, "neither"},
		"relation":       {Laplace{1, 1, ReplaceOne}, ErrNeighbours, "add/remove"},
		"other relation": {Compose(Laplace{1, 1, AddRemove}, gaussian(1)), ErrNeighbours, "event 2 of 2"},
	} {
		if mu, _, err := GDPOf(c.e, AddRemove); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %g, %v, want %v saying %q", name, mu, err, c.want, c.says)
		}
	}
}
