package accountant

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func sortedNames(events map[string]Event) []string {
	names := make([]string, 0, len(events))
	for name := range events {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func priceOf(t *testing.T, e Event, delta float64) float64 {
	t.Helper()
	g, err := EpsilonOf(e, AddRemove, delta)
	if err != nil {
		t.Fatalf("%v: %v", e, err)
	}
	return g.Epsilon
}

// TestLeafLaws: for each leaf, repetition is composition, nothing added costs nothing, more releases
// cost more, the profile falls, and the price at the profile's own δ comes back.
func TestLeafLaws(t *testing.T) {
	all := storable()
	for _, name := range sortedNames(all) {
		e := all[name]
		t.Run(name, func(t *testing.T) {
			same := func(a, b Event) {
				t.Helper()
				for _, delta := range []float64{1e-9, 1e-5, 0.2} {
					if x, y := priceOf(t, a, delta), priceOf(t, b, delta); !relClose(x, y) {
						t.Errorf("δ = %g: %v costs %.15g, %v costs %.15g", delta, a, x, b, y)
					}
				}
			}
			same(Repeat(e, 1), e)
			same(Compose(e), e)
			same(Compose(e, Compose()), e)
			same(Repeat(e, 4), Compose(e, e, e, e))
			same(Repeat(Repeat(e, 3), 2), Compose(Repeat(e, 2), Repeat(e, 4)))
			for n := 1; n < 50; n *= 3 {
				if a, b := priceOf(t, Repeat(e, n), 1e-5), priceOf(t, Repeat(e, n+1), 1e-5); a > b*(1+1e-12) {
					t.Errorf("%d releases cost %g, one more %g", n, a, b)
				}
			}
			p, err := profileOf(e, AddRemove)
			if err != nil {
				return
			}
			last := 1.0
			for eps := -3.0; eps < 6; eps += 0.037 {
				d := p(eps)
				if !(d >= max(0, -math.Expm1(eps)) && d <= last*(1+1e-12)) {
					t.Errorf("δ(%g) = %g, before it %g", eps, d, last)
				}
				last = d
			}
			if nan, low := p(math.NaN()), p(math.Inf(-1)); nan != 1 || low != 1 {
				t.Errorf("δ(NaN) = %g, δ(-Inf) = %g, want 1", nan, low)
			}
		})
	}
}

// TestLeafCurves: divergences rise with the order, (α−1) D_α is convex, and no curve is below what the
// profile says that the moment must be at least: two independent routes to the same law.
func TestLeafCurves(t *testing.T) {
	all := storable()
	for _, name := range sortedNames(all) {
		e := all[name]
		t.Run(name, func(t *testing.T) {
			c, _, err := approxRDP(e, AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			for _, bad := range []float64{math.NaN(), -1, 0} {
				if !math.IsInf(c(bad), 1) {
					t.Errorf("order %g: got %g, want +Inf", bad, c(bad))
				}
			}
			// The curves of some leaves are bounds with a slack that is divided by α − 1: a quadrature's
			// error, or the condition that nothing failed. They rise from where that has faded.
			from := map[string]float64{"ModifiedGaussMix": 1.01, "ObjectivePerturbation": 1.0001}[name]
			last := 0.0
			for u := -12.0; u < 12; u += 0.1 {
				a, b := 1+math.Exp(u), 1+math.Exp(u+0.2)
				if c(a) < last*(1-1e-13) && a > from {
					t.Errorf("order %g: %g, before it %g", a, c(a), last)
				}
				last = c(a)
				m := (a + b) / 2
				if k := (m - 1) * c(m); !(k <= ((a-1)*c(a)+(b-1)*c(b))/2*(1+1e-12+0x1p-48/(a-1))) {
					t.Errorf("order %g: (α−1)D = %g is not convex", m, k)
				}
			}
		})
	}
}

// TestCurveIsTheMomentOfTheProfile integrates the profile: with both directions within δ(ε),
// e^{(α−1)D_α} ≤ 1 + α(α−1) ∫_0^∞ (e^{(α−1)ε} + e^{−αε}) δ(ε) dε, with equality where one pair of laws
// has the profile in both directions.
func TestCurveIsTheMomentOfTheProfile(t *testing.T) {
	cases := []struct {
		name  string
		e     Event
		exact bool
	}{
		{"Laplace", Laplace{1, 2.5, AddRemove}, true},
		{"binary response", RandomizedResponse{2, 1.3, AddRemove}, true},
		{"response", RandomizedResponse{7, 1.3, AddRemove}, true},
		{"pure", PureDP{0.4, AddRemove}, true},
		{"exponential", Exponential{0.7, AddRemove}, false}, // a supremum over pairs at each ε
		{"Gaussian", Gaussian{1, 2, AddRemove}, true},
		{"lattice", DiscreteGaussian{1, 2, AddRemove, 4, 1}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := profileOf(c.e, AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			curve, err := c.e.RDP(AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			for _, alpha := range []float64{1.3, 2, 5} {
				const h = 5e-4
				sum := 0.0
				for eps := h / 2; eps < 12; eps += h {
					sum += h * (math.Exp((alpha-1)*eps) + math.Exp(-alpha*eps)) * p(eps)
				}
				d := math.Log1p(alpha*(alpha-1)*sum) / (alpha - 1)
				got := curve(alpha)
				if got > d*(1+1e-5) || (c.exact && got < d*(1-1e-5)) {
					t.Errorf("order %g: curve %.9g, moment of the profile %.9g", alpha, got, d)
				}
			}
		})
	}
}

// TestBoundedRange: the curve is the supremum of the two-point laws, and below both classical bounds.
func TestBoundedRange(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for range 300 {
		eps, alpha := math.Exp(2*rng.NormFloat64()), 1+math.Exp(2*rng.NormFloat64())
		if eps > 20 {
			continue
		}
		got := boundedRangeCurve(eps)(alpha)
		best := 0.0
		for i := range 2000 {
			x := eps * (float64(i) + 0.5) / 2000
			p := -math.Expm1(x-eps) / -math.Expm1(-eps)
			best = max(best, x+math.Log(p+(1-p)*math.Exp(-(alpha-1)*eps))/(alpha-1))
		}
		if !(got >= best*(1-1e-9)) || got > best*(1+1e-3)+1e-12 || got > min(eps, alpha*eps*eps/8)*(1+1e-15) {
			t.Errorf("ε = %g, order %g: got %.12g, two-point laws reach %.12g", eps, alpha, got, best)
		}
	}
}

// TestTCDPConversions: the best order is never above the closed form, with equality in neither.
func TestTCDPConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 200 {
		e := TCDP{Rho: math.Exp(2 * rng.NormFloat64()), Omega: 1 + math.Exp(3*rng.NormFloat64()), Neighbours: AddRemove}
		delta := math.Pow(10, -1-10*rng.Float64())
		closed, err := e.ClosedForm(AddRemove, delta)
		if err != nil {
			t.Fatal(err)
		}
		if best := priceOf(t, e, delta); best > closed*(1+1e-7) {
			t.Errorf("%v at δ = %g: best order %g, closed form %g", e, delta, best, closed)
		}
	}
	free := TCDP{Rho: 0, Omega: math.Inf(1), Neighbours: AddRemove}
	if eps, err := free.ClosedForm(AddRemove, 0); err != nil || eps != 0 {
		t.Errorf("equal laws: got %g, %v, want 0", eps, err)
	}
}

// TestTableInterpolation: a table of exact values bounds its curve between, below and nowhere above.
func TestTableInterpolation(t *testing.T) {
	exact := laplaceCurve(1.7)
	table := RDPTable{Neighbours: AddRemove}
	for s := 0.2; s < 300; s *= 1.2 {
		table.Orders, table.Values = append(table.Orders, 1+s), append(table.Values, exact(1+s))
	}
	last := table.Orders[len(table.Orders)-1]
	c, err := table.RDP(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	for a := 1.01; a < 400; a *= 1.003 {
		got, want := c(a), exact(a)
		switch {
		case a > last && !math.IsInf(got, 1):
			t.Errorf("order %g above the table: got %g, want +Inf", a, got)
		case a <= last && got < want:
			t.Errorf("order %g: got %g, below %g", a, got, want)
		case a > 1.2 && a <= last && got > want*1.01:
			t.Errorf("order %g: got %g, far above %g", a, got, want)
		}
	}
	bumpy := RDPTable{Orders: []float64{2, 3, math.Inf(1)}, Values: []float64{5, 1, 4}, Neighbours: AddRemove}
	c, err = bumpy.RDP(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	for alpha, want := range map[float64]float64{1.5: 1, 2: 1, 2.5: 1, 3: 1, 4: 4, math.Inf(1): 4} {
		if got := c(alpha); got != want {
			t.Errorf("order %g: got %g, want %g", alpha, got, want)
		}
	}
}

// TestApproxComposes: δ adds outside the curve, alone and beside other events.
func TestApproxComposes(t *testing.T) {
	a := ApproxDP{Epsilon: 0.3, Delta: 1e-7, Neighbours: AddRemove}
	pure := PureDP{Epsilon: 0.3, Neighbours: AddRemove}
	gauss := Gaussian{Sensitivity: 1, Sigma: 3, Neighbours: AddRemove}
	if got := priceOf(t, a, 1e-7); got != 0.3 {
		t.Errorf("at its own δ it costs %g, want 0.3", got)
	}
	if got := priceOf(t, a, 0.9e-7); !math.IsInf(got, 1) {
		t.Errorf("below its own δ it costs %g, want +Inf", got)
	}
	for _, e := range []Event{Compose(a, gauss), Compose(gauss, Repeat(a, 1)), Repeat(Compose(a, gauss), 1)} {
		with := priceOf(t, e, 1e-6)
		without := priceOf(t, curveOnly{Compose(pure, gauss)}, (1e-6-1e-7)/(1-1e-7))
		if !(with >= without) || with > without*(1+1e-9) {
			t.Errorf("%v costs %.12g, want %.12g", e, with, without)
		}
		if _, err := e.RDP(AddRemove); optional(err) != nil || err == nil {
			t.Errorf("%v: got %v, want ErrNoRoute", e, err)
		}
		d, err := DeltaOf(e, AddRemove, with)
		if err != nil || d.Delta > 1e-6*(1+1e-6) || d.Delta < 1e-7 {
			t.Errorf("back: δ = %g, %v", d.Delta, err)
		}
	}
	basic := priceOf(t, Repeat(a, 3), 3.0000001e-7)
	if !(basic >= 0.9*(1-1e-6)) || basic > 0.9*(1+1e-12) {
		t.Errorf("basic composition costs %.12g, want 0.9", basic)
	}
	if got := priceOf(t, ApproxDP{Epsilon: 1, Delta: 1, Neighbours: AddRemove}, 1); got != 0 {
		t.Errorf("at δ = 1 it costs %g, want 0", got)
	}
}

// TestFailureBesideGaussian: a mere failure leaves the Gaussian profile, at the δ that remains.
func TestFailureBesideGaussian(t *testing.T) {
	gauss := addGauss(0.3)
	test := Laplace{1, 10, AddRemove}
	failure := ApproxDP{Epsilon: 0, Delta: 1e-7, Neighbours: AddRemove}
	for _, e := range []Event{Compose(gauss, failure), Compose(failure, Repeat(addGauss(0.15), 4))} {
		got, want := priceOf(t, e, 1e-6), priceOf(t, gauss, 1e-6-1e-7)
		if !(got >= want*(1-1e-12)) || got > want*(1+1e-9) {
			t.Errorf("%v costs %.12g, want %.12g", e, got, want)
		}
	}
	if got, want := priceOf(t, Compose(test, gauss, failure), 1e-6), priceOf(t, Compose(test, gauss), 1e-6-1e-7); !(got >= want*(1-1e-6)) || got > want*(1+1e-6) {
		t.Errorf("a test and its release cost %.12g, want %.12g", got, want)
	}
	if got := priceOf(t, Compose(failure, failure), 2e-7); got != 0 {
		t.Errorf("two failures cost %g at their δ, want 0", got)
	}
	if _, err := EpsilonOf(Compose(gauss, ApproxDP{0, 1e-7, ReplaceOne}), AddRemove, 1e-6); err == nil {
		t.Error("other relation: got no error")
	}
}

func TestNonPrivate(t *testing.T) {
	e := Compose(NonPrivate{Reason: "raw"}, ApproxDP{Epsilon: 1, Delta: 1e-7, Neighbours: AddRemove})
	for _, delta := range []float64{0, 1e-6, 0.99} {
		if eps := priceOf(t, e, delta); !math.IsInf(eps, 1) {
			t.Errorf("δ = %g: costs %g, want +Inf", delta, eps)
		}
	}
	for _, rel := range []Neighbours{ReplaceOne, AddRemove} {
		if g, err := DeltaOf(NonPrivate{}, rel, 100); err != nil || g.Delta != 1 {
			t.Errorf("%v: got %v, %v, want δ = 1", rel, g, err)
		}
	}
	if _, err := EpsilonOf(NonPrivate{}, 0, 1e-6); err == nil {
		t.Error("no relation: got no error")
	}
}

// TestMonotoneInParameters: more of a leaf's parameter never costs less.
func TestMonotoneInParameters(t *testing.T) {
	makers := map[string]func(x float64) Event{
		"Laplace":     func(x float64) Event { return Laplace{x, 1, AddRemove} },
		"Exponential": func(x float64) Event { return Exponential{x, AddRemove} },
		"response":    func(x float64) Event { return RandomizedResponse{5, x, AddRemove} },
		"PureDP":      func(x float64) Event { return PureDP{x, AddRemove} },
		"ApproxDP":    func(x float64) Event { return ApproxDP{x, min(1, x*1e-9), AddRemove} },
		"ZCDP":        func(x float64) Event { return ZCDP{x, AddRemove} },
		"TCDP":        func(x float64) Event { return TCDP{x, 30, AddRemove} },
		"lattice":     func(x float64) Event { return DiscreteGaussian{math.Ceil(x), 5, AddRemove, 5, 1} },
	}
	for name, make := range makers {
		for x := 1e-3; x < 50; x *= 1.7 {
			for _, n := range []int{1, 9} {
				a, b := Repeat(make(x), n), Repeat(make(x*1.3), n)
				if pa, pb := priceOf(t, a, 1e-6), priceOf(t, b, 1e-6); !(pa <= pb*(1+1e-9)) {
					t.Errorf("%s: %d times %g costs %g, of %g %g", name, n, x, pa, x*1.3, pb)
				}
				ca, _, errA := approxRDP(a, AddRemove)
				cb, _, errB := approxRDP(b, AddRemove)
				if errA != nil || errB != nil {
					t.Fatal(errA, errB)
				}
				for _, alpha := range []float64{1.001, 1.7, 20, 1e6} {
					if !(ca(alpha) <= cb(alpha)*(1+1e-12)) {
						t.Errorf("%s: order %g: %g of %g, %g of %g", name, alpha, ca(alpha), x, cb(alpha), x*1.3)
					}
				}
			}
		}
	}
}
