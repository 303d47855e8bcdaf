package accountant

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestAsReplaceOneCurrencies: each currency of the two hops, and that the direct price under ReplaceOne is within it.
func TestAsReplaceOneCurrencies(t *testing.T) {
	for name, c := range map[string]struct{ through, direct Event }{
		"Gaussian": {Gaussian{1, 2, AddRemove}, Gaussian{2, 2, ReplaceOne}},
		"Laplace":  {Laplace{1, 2, AddRemove}, Laplace{2, 2, ReplaceOne}},
		"pure":     {PureDP{0.7, AddRemove}, PureDP{1.4, ReplaceOne}},
		"zCDP":     {ZCDP{0.05, AddRemove}, ZCDP{0.2, ReplaceOne}},
		"grid":     {DiscreteGaussian{1, 2, AddRemove, 1e4, 1}, DiscreteGaussian{2, 2, ReplaceOne, 1e4, 1}},
		"repeated": {Repeat(Gaussian{1, 2, AddRemove}, 9), Repeat(Gaussian{2, 2, ReplaceOne}, 9)},
		"mix":      {GaussMix{K: 10, Gamma: 40, Noise: 39, Neighbours: AddRemove}, GaussMix{K: 10, Gamma: 40, Noise: 39, Neighbours: ReplaceOne}},
		"sampled":  {SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0.01), Neighbours: AddRemove}, SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0.01), Neighbours: ReplaceOne}},
	} {
		e := AsReplaceOne(c.through)
		for _, delta := range []float64{1e-8, 1e-4} {
			two, one := must[Guarantee](t)(EpsilonOf(e, ReplaceOne, delta)), must[Guarantee](t)(EpsilonOf(c.direct, ReplaceOne, delta))
			if two.Epsilon < one.Epsilon*(1-1e-6) || two.Neighbours != ReplaceOne {
				t.Errorf("%s at δ = %g: %v through the middle, %v directly", name, delta, two, one)
			}
			if name != "mix" && name != "sampled" && name != "zCDP" && name != "Laplace" && two.Epsilon > one.Epsilon*(1+1e-4) {
				t.Errorf("%s at δ = %g: %v through the middle, want %v", name, delta, two, one)
			}
		}
		a, b := curveOf(t, e, ReplaceOne), curveOf(t, c.direct, ReplaceOne)
		for _, alpha := range []float64{1.1, 2, 7, 100} {
			if a(alpha) < b(alpha)*(1-1e-9) {
				t.Errorf("%s at order %g: %g through the middle, %g directly", name, alpha, a(alpha), b(alpha))
			}
		}
	}
	rho := must[float64](t)(RhoOf(AsReplaceOne(ZCDP{0.05, AddRemove}), ReplaceOne))
	if rho < 0.2 || rho > 0.2*(1+1e-15) {
		t.Errorf("ρ = %g, want 4 · 0.05", rho)
	}
	mu, tv, err := gdpOf(AsReplaceOne(Gaussian{1, 2, AddRemove}), ReplaceOne)
	if err != nil || mu != 1 || tv != 0 {
		t.Errorf("μ = %g, tv = %g, %v, want 1 and 0", mu, tv, err)
	}
}

// TestAsReplaceOneProfile: the exact two-hop profile of (ε, δ)-DP, which two responses with failures attain, is not exceeded.
func TestAsReplaceOneProfile(t *testing.T) {
	e := AsReplaceOne(ApproxDP{0.5, 1e-6, AddRemove})
	d := must[Guarantee](t)(DeltaOf(e, ReplaceOne, 1))
	if want := 1e-6 * (1 + math.Exp(0.5)); d.Delta < want || d.Delta > want*(1+1e-9) {
		t.Errorf("δ(1) = %g, want %g", d.Delta, want)
	}
	// Between: best of all splits, at most the even one.
	profile := must[Profile](t)(e.(Profiler).Profile(ReplaceOne))
	one := must[Profile](t)(ApproxDP{0.5, 1e-6, AddRemove}.Profile(AddRemove))
	for _, eps := range []float64{0, 0.3, 0.7, 0.999, 1.5} {
		if even := one(eps/2) * (1 + math.Exp(eps/2)); profile(eps) > even*(1+1e-9)+1e-300 {
			t.Errorf("δ(%g) = %g, above the even split's %g", eps, profile(eps), even)
		}
	}
}

// TestAsReplaceOneAttacked: triples of laws, the middle one within the price of both ends, never are further apart than
// the conversion says: Gaussian laws in the plane and binary responses.
func TestAsReplaceOneAttacked(t *testing.T) {
	worst := 0.0
	for i := range 200 {
		angle := math.Pi * float64(i) / 199
		for _, mu := range []float64{0.1, 1, 3} {
			apart := mu * math.Sqrt(2-2*math.Cos(angle)) // from 0 to 2μ
			for _, alpha := range []float64{1.2, 3, 40} {
				c := curveOf(t, AsReplaceOne(curveOnly{Gaussian{mu, 1, AddRemove}}), ReplaceOne)
				worst = max(worst, alpha*apart*apart/2/c(alpha))
			}
		}
	}
	if !(worst <= 1+1e-12) || worst < 1-1e-6 {
		t.Errorf("Gaussian laws reach %.9f of the curve", worst)
	}
	// p → q → r on two points with ratios e^ε.
	worst = 0
	const eps = 0.6
	one := must[Profile](t)(PureDP{eps, AddRemove}.Profile(AddRemove))
	two := func(e float64) float64 { return twoSteps(one, e) }
	for i := 1; i < 400; i++ {
		q := float64(i) / 400
		least := func(x float64) float64 { return max(x*math.Exp(-eps), 1-(1-x)*math.Exp(eps)) }
		most := func(x float64) float64 { return min(x*math.Exp(eps), 1-(1-x)*math.Exp(-eps)) }
		p, r := most(q), least(q)
		for _, e := range []float64{0, 0.2, 0.6, 1, 1.19} {
			d := max(p-math.Exp(e)*r, (1-r)-math.Exp(e)*(1-p), 0)
			worst = max(worst, d/two(e))
		}
	}
	if !(worst <= 1+1e-12) || worst < 0.9 {
		t.Errorf("responses reach %.6f of the profile", worst)
	}
}

func TestAsReplaceOneErrors(t *testing.T) {
	add, replace := Gaussian{1, 1, AddRemove}, Gaussian{1, 1, ReplaceOne}
	for name, c := range map[string]struct {
		e    Event
		rel  Neighbours
		want error
		says string
	}{
		"nil":                  {AsReplaceOne(nil), ReplaceOne, ErrParameter, "got nil"},
		"of a replacement":     {AsReplaceOne(replace), ReplaceOne, ErrNeighbours, "replace-one"},
		"asked for add/remove": {AsReplaceOne(add), AddRemove, ErrNeighbours, "AsReplaceOne"},
		"twice":                {AsReplaceOne(AsReplaceOne(add)), ReplaceOne, ErrNeighbours, "AsReplaceOne"},
		"no relation":          {AsReplaceOne(add), 0, ErrNeighbours, "Neighbours(0)"},
		"mixed without":        {Compose(add, replace), ReplaceOne, ErrNeighbours, "event 1 of 2"},
		"mixed, other way":     {Compose(AsReplaceOne(add), replace), AddRemove, ErrNeighbours, "event 1 of 2"},
	} {
		if _, err := EpsilonOf(c.e, c.rel, 1e-6); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v saying %q", name, err, c.want, c.says)
		}
		if _, err := RhoOf(c.e, c.rel); !errors.Is(err, c.want) {
			t.Errorf("%s: rate: got %v, want %v", name, err, c.want)
		}
		if _, err := profileOf(c.e, c.rel); !errors.Is(err, c.want) {
			t.Errorf("%s: profile: got %v, want %v", name, err, c.want)
		}
	}
	got := must[Guarantee](t)(EpsilonOf(Compose(AsReplaceOne(add), replace), ReplaceOne, 1e-6))
	want := must[Guarantee](t)(EpsilonOf(Gaussian{quad.SqrtUp(5), 1, ReplaceOne}, ReplaceOne, 1e-6))
	if !relClose(got.Epsilon, want.Epsilon) {
		t.Errorf("mixed with a conversion: got %v, want %v", got, want)
	}
}

func TestGuaranteeAsReplaceOne(t *testing.T) {
	g := Guarantee{Budget: Budget{0.5, 1e-6}, Neighbours: AddRemove, Scope: Scope{Kind: Unconditional}, Route: "a route"}
	got, err := g.AsReplaceOne()
	want := 1e-6 * (1 + math.Exp(0.5))
	if err != nil || got.Epsilon != 1 || got.Delta < want || got.Delta > want*(1+1e-12) || got.Neighbours != ReplaceOne ||
		got.Route != "a route, through the data without the row" || got.Scope.Kind != Unconditional {
		t.Errorf("got %v by %q, %v", got, got.Route, err)
	}
	if _, err := got.AsReplaceOne(); !errors.Is(err, ErrNeighbours) {
		t.Errorf("twice: got %v", err)
	}
	tested := g.Within(Scope{Kind: Tested, On: []string{"a test"}})
	if _, err := tested.AsReplaceOne(); err != nil {
		t.Errorf("tested: %v", err)
	}
	for name, bad := range map[string]Guarantee{
		"conditional": g.Within(Scope{Kind: Conditional, On: []string{"at least 5 rows a group"}}),
		"no scope":    {Budget: g.Budget, Neighbours: AddRemove},
	} {
		if _, err := bad.AsReplaceOne(); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
	g.Epsilon = math.Inf(1)
	if _, err := g.AsReplaceOne(); !errors.Is(err, ErrEpsilon) {
		t.Errorf("infinite ε: got %v", err)
	}
}
