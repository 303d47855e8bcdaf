package accountant

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestDeltaOfSearchesBelowOne: where the bound on δ is above 1 at most orders, the few where it is not are found: no order of
// a fine scan gives less.
func TestDeltaOfSearchesBelowOne(t *testing.T) {
	for _, c := range []struct {
		name    string
		event   Event
		epsilon float64
	}{
		{"many steps", Repeat(poissonStep(0.01, 1, AddRemove), 10000), 0.5},
		{"few steps", Repeat(poissonStep(0.1, 1, AddRemove), 100), 1},
		{"zCDP", ZCDP{2, AddRemove}, 1.9},
		{"Laplace", Repeat(Laplace{1, 2, AddRemove}, 30), 2.5},
		{"list", Compose(poissonStep(0.01, 0.8, AddRemove), Repeat(Laplace{1, 3, AddRemove}, 20), ZCDP{0.3, AddRemove}), 1.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			g, err := DeltaOf(c.event, AddRemove, c.epsilon)
			if err != nil {
				t.Fatal(err)
			}
			curve := curveOf(t, c.event, AddRemove)
			least := 1.0
			for alpha := 1.005; alpha < 500; alpha = 1 + (alpha-1)*1.02 {
				d, err := curve.DeltaAt(alpha, c.epsilon)
				if err != nil {
					t.Fatal(err)
				}
				least = min(least, d)
			}
			if !(least < 0.95) {
				t.Fatalf("the scan finds δ = %g: no test", least)
			}
			if !(g.Delta <= least*(1+1e-6)) {
				t.Errorf("δ = %g by %s, %g by the scan", g.Delta, g.Route, least)
			}
		})
	}
}

// TestRhoForIsSafe: the ρ of a budget costs no more than it, to the last bit.
func TestRhoForIsSafe(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 2))
	for range 300 {
		b := Budget{math.Exp(12*r.Float64() - 7), math.Pow(10, -1-14*r.Float64())}
		rho, err := RhoFor(b)
		if err != nil {
			t.Fatal(err)
		}
		g, err := EpsilonOf(ZCDP{rho, AddRemove}, AddRemove, b.Delta)
		if err != nil || !(g.Epsilon <= b.Epsilon && g.Epsilon >= b.Epsilon*(1-1e-9)) {
			t.Errorf("%v: ρ = %.17g costs ε = %.17g; %v", b, rho, g.Epsilon, err)
		}
	}
}

// TestBestBesideFailures: a mere failure of probability f leaves f + (1 − f)δ, by every route.
func TestBestBesideFailures(t *testing.T) {
	const f = 1e-6
	failure := ApproxDP{Delta: f, Neighbours: AddRemove}
	for name, e := range map[string]Event{
		"Gaussian":   addGauss(0.5),
		"subsampled": Repeat(poissonStep(0.01, 1, AddRemove), 100),
		"Laplace":    Repeat(Laplace{1, 2, AddRemove}, 3),
		"pure":       PureDP{0.3, AddRemove},
		"no cost":    Compose(),
		"another":    failure,
	} {
		t.Run(name, func(t *testing.T) {
			both := Compose(e, failure)
			for _, epsilon := range []float64{0, 0.2, 1} {
				alone, err := BestDelta(e, AddRemove, epsilon, BestOptions{})
				if err != nil {
					t.Fatal(err)
				}
				got, err := BestDelta(both, AddRemove, epsilon, BestOptions{})
				want := f + (1-f)*alone.Delta
				if err != nil || !(got.Delta >= want*(1-1e-4) && got.Delta <= want*(1+1e-4)) {
					t.Errorf("δ(%g) = %g by %s, want %g; %v", epsilon, got.Delta, got.Route, want, err)
				}
			}
			for _, delta := range []float64{f / 2, 1e-5} {
				got, err := Best(both, AddRemove, delta, BestOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if delta < f != math.IsInf(got.Epsilon, 1) {
					t.Errorf("ε(%g) = %g by %s", delta, got.Epsilon, got.Route)
				}
				upper, lower, err := EpsilonPLD(both, AddRemove, delta)
				if err != nil || !(upper >= lower && upper >= got.Epsilon*(1-1e-6)) {
					t.Errorf("ε(%g) in [%g, %g], %g by %s; %v", delta, lower, upper, got.Epsilon, got.Route, err)
				}
			}
		})
	}
}

// TestPLDName: a width is told where the lower end tells something.
func TestPLDName(t *testing.T) {
	for _, c := range []struct {
		upper, lower float64
		want         string
	}{{1, 0.9999, "PLD, within 0.0001"}, {1, 0, "an upper bound"}, {1, 0.4, "an upper bound"}, {0, 0, "within 0"}, {math.Inf(1), 0, "an upper bound"}} {
		if got := pldName(c.upper, c.lower); !strings.Contains(got, c.want) {
			t.Errorf("%g, %g: %q, want %q", c.upper, c.lower, got, c.want)
		}
	}
}
