package accountant

import (
	"errors"
	"math"
	"testing"
)

// TestStatedCosts: alone, and composed with nothing, an event costs what was stated of it at that δ and above, and never more than its parts;
// below that δ, and in company, it costs what its parts cost.
func TestStatedCosts(t *testing.T) {
	t.Parallel()
	const delta0 = 1e-6
	of := Compose(Covered(mix(50, 30, AddRemove), delta0, 0, CoverByPrice), ApproxDP{Delta: delta0, Neighbours: AddRemove})
	price := func(e Event, delta float64) float64 {
		t.Helper()
		return must[Guarantee](t)(Best(e, AddRemove, delta, BestOptions{})).Epsilon
	}
	epsilon := func(e Event, delta float64) float64 {
		t.Helper()
		return must[Guarantee](t)(EpsilonOf(e, AddRemove, delta)).Epsilon
	}
	delta := 2 * delta0
	plain := price(of, delta)
	own := plain / 1.25
	s := Stated(of, Guarantee{Budget: Budget{Epsilon: own, Delta: delta}, Neighbours: AddRemove, Route: "its own"})
	for name, e := range map[string]Event{"alone": s, "with nothing": Compose(Compose(), s), "twice": Stated(s, Guarantee{Budget: Budget{Epsilon: 2 * own, Delta: delta}, Neighbours: AddRemove})} {
		if got := price(e, delta); got != own {
			t.Errorf("%s: ε = %v at its δ, want %v", name, got, own)
		}
		if got := price(e, 1.5*delta0); got != price(of, 1.5*delta0) {
			t.Errorf("%s: ε = %v below its δ, want that of its parts", name, got)
		}
		for _, more := range []float64{1.001, 2, 1000, 0.4 / delta} {
			if got := price(e, more*delta); !(got <= own) || !(got <= price(of, more*delta)) || !(got >= 0) {
				t.Errorf("%s: ε = %v at %v times its δ, want at most %v", name, got, more, own)
			}
		}
	}
	g := must[Guarantee](t)(EpsilonOf(s, AddRemove, delta))
	if g.Route != "its own" {
		t.Errorf("the route is %q", g.Route)
	}
	if d := must[Guarantee](t)(DeltaOf(s, AddRemove, own)); d.Delta != delta {
		t.Errorf("δ = %v at its ε, want %v", d.Delta, delta)
	}
	// A statement that its parts undercut does not raise their price.
	if got := price(Stated(of, Guarantee{Budget: Budget{Epsilon: 2 * plain, Delta: delta}, Neighbours: AddRemove}), delta); got != plain {
		t.Errorf("ε = %v beside a loose statement, want %v", got, plain)
	}
	// In company it composes as its parts do, for all currencies.
	gauss := addGauss(0.1)
	if got, want := epsilon(Compose(s, gauss), 1e-5), epsilon(Compose(of, gauss), 1e-5); got != want {
		t.Errorf("in company: ε = %v, want %v", got, want)
	}
	rest, failed, err := SplitFailures(s, AddRemove)
	want, failures, err2 := SplitFailures(of, AddRemove)
	if err != nil || err2 != nil || failed != failures || rest != want {
		t.Errorf("split: %v outside %v, %v, want %v outside %v, %v", rest, failed, err, want, failures, err2)
	}
	if mu, _, err := GDPOf(rest, AddRemove); err != nil || !(mu > 0) {
		t.Errorf("μ = %v, %v", mu, err)
	}
	up := func(mu float64) float64 { return mu }
	for _, pure := range []bool{false, true} {
		for _, failure := range []float64{0, 1e-9} {
			a := must[[]Charge](t)(Charges(s, AddRemove, failure, pure, up))
			b := must[[]Charge](t)(Charges(of, AddRemove, failure, pure, up))
			if len(a) != len(b) || a[0] != b[0] {
				t.Errorf("a ledger charges %v, want %v", a, b)
			}
		}
	}
}

// TestStatedRefuses: wrong statements are refused by whatever prices them, and other relations.
func TestStatedRefuses(t *testing.T) {
	t.Parallel()
	good := Guarantee{Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: AddRemove}
	of := addGauss(0.1)
	with := func(f func(*Guarantee)) Guarantee { g := good; f(&g); return g }
	for name, c := range map[string]struct {
		e    Event
		want error
	}{
		"no event":         {Stated(nil, good), ErrParameter},
		"ε not a number":   {Stated(of, with(func(g *Guarantee) { g.Epsilon = math.NaN() })), ErrParameter},
		"ε below 0":        {Stated(of, with(func(g *Guarantee) { g.Epsilon = -1 })), ErrParameter},
		"ε infinite":       {Stated(of, with(func(g *Guarantee) { g.Epsilon = math.Inf(1) })), ErrParameter},
		"δ not a number":   {Stated(of, with(func(g *Guarantee) { g.Delta = math.NaN() })), ErrDelta},
		"δ of 1":           {Stated(of, with(func(g *Guarantee) { g.Delta = 1 })), ErrDelta},
		"another relation": {Stated(of, with(func(g *Guarantee) { g.Neighbours = ReplaceOne })), ErrNeighbours},
		"no relation":      {Stated(of, with(func(g *Guarantee) { g.Neighbours = 0 })), ErrNeighbours},
	} {
		_, rdp := c.e.RDP(AddRemove)
		_, price := EpsilonOf(c.e, AddRemove, 1e-6)
		_, _, gdp := GDPOf(c.e, AddRemove)
		_, loss := PLD(c.e, AddRemove)
		for what, err := range map[string]error{"RDP": rdp, "price": price, "GDP": gdp, "PLD": loss} {
			if !errors.Is(err, c.want) {
				t.Errorf("%s: %s: got %v, want %v", name, what, err, c.want)
			}
		}
	}
}
