package origin

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestWeak: what must stand out is known from the promise's parts, not from its words.
func TestWeak(t *testing.T) {
	of := func(change func(*accountant.Guarantee)) Provenance {
		g := accountant.Guarantee{
			Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne,
			Scope: accountant.Scope{Kind: accountant.Unconditional},
		}
		change(&g)
		return Provenance{Guarantee: &g, Unit: "row"}
	}
	unchanged := of(func(*accountant.Guarantee) {})
	named := unchanged
	named.Unit = "no guarantee, not a guarantee, conditional on nothing"
	both := unchanged
	both.NotPrivate = "a demonstration"
	for _, c := range []struct {
		name string
		o    Provenance
		want bool
	}{
		{"a guarantee", unchanged, false},
		{"a guarantee with words of warning in its unit", named, false},
		{"ε = 0", of(func(g *accountant.Guarantee) { g.Epsilon = 0 }), false},
		{"no release", Provenance{}, true},
		{"not private", Provenance{NotPrivate: "a demonstration"}, true},
		{"a guarantee, and not private", both, true},
		{"no relation", of(func(g *accountant.Guarantee) { g.Neighbours = 0 }), true},
		{"no scope", of(func(g *accountant.Guarantee) { g.Scope = accountant.Scope{} }), true},
		{"infinite ε", of(func(g *accountant.Guarantee) { g.Epsilon = math.Inf(1) }), true},
		{"ε is not a number", of(func(g *accountant.Guarantee) { g.Epsilon = math.NaN() }), true},
		{"δ = 1", of(func(g *accountant.Guarantee) { g.Delta = 1 }), true},
		{"under a condition", of(func(g *accountant.Guarantee) {
			g.Scope = accountant.Scope{Kind: accountant.Conditional, On: []string{"at most 3 cells are missing"}}
		}), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.o.Weak(); got != c.want {
				t.Errorf("%s: got %t, want %t", c.o.Promise(), got, c.want)
			}
		})
	}
}
