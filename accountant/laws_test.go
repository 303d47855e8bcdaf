package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// relClose reports whether two prices agree up to accumulated rounding.
func relClose(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-11*math.Max(math.Abs(a), math.Abs(b))
}

// curveOnly hides an event's profile.
type curveOnly struct{ Event }

// requireSamePrice compares two events by every route.
func requireSamePrice(t *testing.T, a, b Event) {
	t.Helper()
	for _, delta := range []float64{1e-9, 1e-5, 0.2} {
		ga, errA := EpsilonOf(a, ReplaceOne, delta)
		gb, errB := EpsilonOf(b, ReplaceOne, delta)
		if errA != nil || errB != nil {
			t.Fatal(errA, errB)
		}
		if !relClose(ga.Epsilon, gb.Epsilon) {
			t.Errorf("δ = %g: %v costs %.15g, %v costs %.15g", delta, a, ga.Epsilon, b, gb.Epsilon)
		}
	}
	ca, errA := a.RDP(ReplaceOne)
	cb, errB := b.RDP(ReplaceOne)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	for _, alpha := range []float64{1.1, 2, 7.5, 300} {
		if !relClose(ca(alpha), cb(alpha)) {
			t.Errorf("order %g: %v has %.15g, %v has %.15g", alpha, a, ca(alpha), b, cb(alpha))
		}
	}
}

func TestRepeatIsCompose(t *testing.T) {
	events := map[string]Event{
		"Gaussian":    gaussian(0.3),
		"discrete":    grid(0.3, 1e4, 20),
		"composition": Compose(gaussian(0.1), gaussian(0.7)),
		"curve":       curveOnly{gaussian(0.3)},
	}
	for name, e := range events {
		t.Run(name, func(t *testing.T) {
			requireSamePrice(t, Repeat(e, 1), e)
			requireSamePrice(t, Compose(e), e)
			requireSamePrice(t, Repeat(e, 5), Compose(e, e, e, e, e))
			requireSamePrice(t, Repeat(Repeat(e, 3), 4), Repeat(e, 12))
			requireSamePrice(t, Compose(Repeat(e, 2), e), Repeat(e, 3))
			requireSamePrice(t, Compose(e, Compose()), e)
			requireSamePrice(t, Compose(e, gaussian(1)), Compose(gaussian(1), e))
		})
	}
}

func TestComposeOfNothing(t *testing.T) {
	for _, rel := range []Neighbours{ReplaceOne, AddRemove} {
		for _, delta := range []float64{0, 1e-9} {
			g, err := EpsilonOf(Compose(), rel, delta)
			if err != nil || g.Epsilon != 0 {
				t.Errorf("got %v, %v, want ε = 0", g, err)
			}
		}
	}
}

func TestComposeErrors(t *testing.T) {
	other := Gaussian{Sensitivity: 1, Sigma: 1, Neighbours: AddRemove}
	cases := []struct {
		name string
		e    Event
		want error
		says string
	}{
		{"mixed relations", Compose(gaussian(1), other), ErrNeighbours, "event 2 of 2"},
		{"mixed relations, hidden", Compose(gaussian(1), Repeat(Compose(other), 2)), ErrNeighbours, "event 2 of 2"},
		{"mixed relations, curves", Compose(curveOnly{gaussian(1)}, curveOnly{other}), ErrNeighbours, "event 2 of 2"},
		{"nil event", Compose(gaussian(1), nil), ErrParameter, "event 2 of 2"},
		{"only nil", Compose(nil), ErrParameter, "event 1 of 1"},
		{"count 0", Repeat(gaussian(1), 0), ErrParameter, "count: got 0"},
		{"count -1", Repeat(gaussian(1), -1), ErrParameter, "count: got -1"},
		{"count 0 of a curve", Repeat(curveOnly{gaussian(1)}, 0), ErrParameter, "count: got 0"},
		{"repeated nil", Repeat(nil, 2), ErrParameter, "got nil"},
		{"nothing", nil, ErrParameter, "got nil"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err1 := EpsilonOf(c.e, ReplaceOne, 1e-6)
			_, err2 := DeltaOf(c.e, ReplaceOne, 1)
			for _, err := range []error{err1, err2} {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want %v saying %q", err, c.want, c.says)
				}
			}
		})
	}
	if _, err := EpsilonOf(Compose(), 0, 1e-6); !errors.Is(err, ErrNeighbours) {
		t.Errorf("no relation: got %v, want ErrNeighbours", err)
	}
}

func TestRoutes(t *testing.T) {
	cases := []struct {
		name, route string
		e           Event
	}{
		{"Gaussian", "exact Gaussian profile", gaussian(1)},
		{"composed Gaussians", "exact Gaussian profile", Repeat(Compose(gaussian(0.1), gaussian(0.2)), 3)},
		{"fine grid", "Gaussian profile above discrete noise", grid(1, 1e6, 1)},
		{"coarse grid", "Gaussian profile above discrete noise", grid(1, 3, 1000)},
		{"one number on a coarse grid", "exact profile", grid(1, 3, 1)},
		{"no grid", "RDP, order", grid(1, 0.9, 1000)},
		{"distance", "Gaussian profile and total variation", distant{gaussian(1)}},
		{"curve", "RDP, order", curveOnly{gaussian(1)}},
		{"Gaussian with a curve", "RDP, order", Compose(gaussian(1), curveOnly{gaussian(1)})},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, err := EpsilonOf(c.e, ReplaceOne, 1e-6)
			if err != nil || !strings.HasPrefix(g.Route, c.route) {
				t.Errorf("got %q, %v, want %q", g.Route, err, c.route)
			}
			d, err := DeltaOf(c.e, ReplaceOne, g.Epsilon)
			if err != nil || !strings.HasPrefix(d.Route, c.route) || d.Delta > 1e-6*(1+1e-6) {
				t.Errorf("back: got %v by %q, %v", d, d.Route, err)
			}
			if g.Neighbours != ReplaceOne || g.Scope.Kind != Unconditional || g.Delta != 1e-6 {
				t.Errorf("got %v", g)
			}
		})
	}
}

// distant is a Gaussian release by a sampler that is known up to a total variation.
type distant struct{ of Gaussian }

func (d distant) String() string { return "near " + d.of.String() }

func (d distant) RDP(rel Neighbours) (Curve, error) { return d.of.RDP(rel) }

func (d distant) GDP(rel Neighbours) (mu, tv float64, err error) {
	mu, _, err = d.of.GDP(rel)
	return mu, 1e-12, err
}

// TestRoutesAgree: the Rényi curve is never below the exact profile, and not far above it.
func TestRoutesAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 200 {
		e := gaussian(math.Exp(2 * rng.NormFloat64()))
		delta := math.Pow(10, -1-11*rng.Float64())
		exact, err1 := EpsilonOf(e, ReplaceOne, delta)
		curve, err2 := EpsilonOf(curveOnly{e}, ReplaceOne, delta)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		// The conversion loses a constant in ln(1/δ), which weighs most where ε is small.
		if curve.Epsilon < exact.Epsilon || (exact.Epsilon > 0.5 && curve.Epsilon > 1.5*exact.Epsilon) {
			t.Errorf("%v at δ = %g: exact ε = %g, RDP ε = %g", e, delta, exact.Epsilon, curve.Epsilon)
		}
	}
}

// TestMoreNoiseCostsLess: ε falls with σ and with δ, and rises with the number of releases.
func TestMoreNoiseCostsLess(t *testing.T) {
	price := func(e Event, delta float64) float64 {
		g, err := EpsilonOf(e, ReplaceOne, delta)
		if err != nil {
			t.Fatal(err)
		}
		return g.Epsilon
	}
	makers := map[string]func(mu float64) Event{
		"Gaussian": func(mu float64) Event { return gaussian(mu) },
		"discrete": func(mu float64) Event { return grid(mu, 1000/mu, 3) },
		"curve":    func(mu float64) Event { return curveOnly{gaussian(mu)} },
		"repeated": func(mu float64) Event { return Repeat(gaussian(mu), 7) },
	}
	for name, make := range makers {
		for mu := 0.01; mu < 30; mu *= 1.37 {
			for _, delta := range []float64{1e-10, 1e-5, 1e-2} {
				const ok = 1 + 1e-9
				eps := price(make(mu), delta)
				if more := price(make(mu*1.01), delta); eps > more*ok {
					t.Errorf("%s: μ = %g costs %g, more of it %g", name, mu, eps, more)
				}
				if looser := price(make(mu), delta*1.5); looser > eps*ok {
					t.Errorf("%s: μ = %g costs %g at δ = %g, %g at a larger one", name, mu, eps, delta, looser)
				}
				if twice := price(Repeat(make(mu), 2), delta); twice < eps {
					t.Errorf("%s: μ = %g costs %g once, %g twice", name, mu, eps, twice)
				}
			}
		}
	}
}

// TestProfileEpsilon inverts profiles that are not smooth.
func TestProfileEpsilon(t *testing.T) {
	steps := Profile(func(eps float64) float64 {
		if eps < 2 {
			return 0.1
		}
		return 0
	})
	floor := Profile(func(eps float64) float64 { return min(1, 1e-3+math.Exp(-eps)) })
	cases := []struct {
		name  string
		p     Profile
		delta float64
		want  float64
	}{
		{"pure DP", steps, 0, 2},
		{"step", steps, 1e-9, 2},
		{"above the step", steps, 0.2, 0},
		{"floor not reached", floor, 1e-4, math.Inf(1)},
		{"floor reached", floor, 2e-3, -math.Log(1e-3)},
		{"nothing promised", floor, 1, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.p.Epsilon(c.delta)
			if err != nil || (got != c.want && !(got >= c.want && got <= c.want*(1+1e-12))) {
				t.Errorf("got %.17g, %v, want %.17g", got, err, c.want)
			}
			if !math.IsInf(got, 1) && c.p(got) > c.delta {
				t.Errorf("δ = %g at the ε that was returned, want at most %g", c.p(got), c.delta)
			}
		})
	}
	for _, d := range []float64{-1, 2, math.NaN()} {
		if _, err := steps.Epsilon(d); !errors.Is(err, ErrDelta) {
			t.Errorf("δ = %g: got %v, want ErrDelta", d, err)
		}
	}
}

func TestEventStrings(t *testing.T) {
	e := Compose(Repeat(gaussian(0.5), 3), grid(1, 64, 2))
	want := "Compose(Repeat(Gaussian(sensitivity 0.5, sigma 1, replace-one), 3), " +
		"DiscreteGaussian(sensitivity 1, sigma 1 = 64 grid steps, 2 coordinates, replace-one))"
	if got := e.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// TestComposeKeepsItsEvents: a composition is a value, whatever becomes of the slice.
func TestComposeKeepsItsEvents(t *testing.T) {
	parts := []Event{gaussian(1), gaussian(2)}
	e := Compose(parts...)
	before := e.String()
	slices.Reverse(parts)
	if e.String() != before {
		t.Errorf("got %v, want %s", e, before)
	}
}

// FuzzPrice: whatever the parameters, a price is an error or a sound number.
func FuzzPrice(f *testing.F) {
	f.Add(1.0, 2.0, 3.0, 1e-6, 3)
	f.Fuzz(func(t *testing.T, sens, sigma, gridSigma, delta float64, n int) {
		e := Repeat(Compose(
			Gaussian{Sensitivity: sens, Sigma: sigma, Neighbours: AddRemove},
			DiscreteGaussian{Sensitivity: sens, Sigma: sigma, GridSigma: gridSigma, Coordinates: 2, Neighbours: AddRemove},
		), n)
		g, err := EpsilonOf(e, AddRemove, delta)
		if err != nil {
			return
		}
		if !(g.Epsilon >= 0) || g.Route == "" {
			t.Fatalf("%v: got %+v", e, g)
		}
		one, err := EpsilonOf(Gaussian{Sensitivity: sens, Sigma: sigma, Neighbours: AddRemove}, AddRemove, delta)
		if err != nil || g.Epsilon < one.Epsilon*(1-1e-9) {
			t.Fatalf("%v costs %g, one part of it %g, %v", e, g.Epsilon, one.Epsilon, err)
		}
	})
}

func BenchmarkEpsilonOf(b *testing.B) {
	for name, e := range map[string]Event{
		"Gaussian": gaussian(0.25),
		"discrete": grid(0.25, 1e6, 100),
		"repeated": Repeat(Compose(gaussian(0.01), gaussian(0.02)), 100),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := EpsilonOf(e, ReplaceOne, 1e-6); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
