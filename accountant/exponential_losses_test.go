package accountant

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pld"
)

// TestExponentialLosses: the law of the losses has the profile of [Exponential], and beside a
// Gaussian it costs less than the Rényi curve says, and more than one mechanism of that range does.
func TestExponentialLosses(t *testing.T) {
	for _, eta := range []float64{0.01, 0.5, 2, 12} {
		e := Exponential{Epsilon: eta, Neighbours: ReplaceOne}
		profile, err := e.Profile(ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		d, err := PLD(e, ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []float64{0, 0.3, 0.9, 0.999} {
			upper, lower, err := d.With(pld.Options{RelTol: 1e-5}).Delta(part * eta)
			if want := profile(part * eta); err != nil || !(lower <= want*(1+1e-12) && upper >= want*(1-1e-12)) || !(upper <= want*(1+1e-3)) {
				t.Errorf("η = %g at ε = %g: δ in [%g, %g] (%v), want %g", eta, part*eta, lower, upper, err, want)
			}
		}
	}
	// Beside a Gaussian its law tells more than the sum of the curves; many of them cost less by their curves.
	const delta = 1e-6
	e := Compose(Exponential{Epsilon: 0.7, Neighbours: AddRemove}, Gaussian{Sensitivity: 1, Sigma: 4, Neighbours: AddRemove})
	upper, lower, err := EpsilonPLD(e, AddRemove, delta)
	if err != nil {
		t.Fatal(err)
	}
	renyi, err := EpsilonOf(e, AddRemove, delta)
	if err != nil {
		t.Fatal(err)
	}
	// Randomised response of ±η/2 has range η.
	least, _, err := EpsilonPLD(Compose(PureDP{Epsilon: 0.35, Neighbours: AddRemove}, Gaussian{Sensitivity: 1, Sigma: 4, Neighbours: AddRemove}), AddRemove, delta)
	if err != nil {
		t.Fatal(err)
	}
	if !(upper < renyi.Epsilon && lower > least) {
		t.Errorf("ε in [%g, %g], want it below the Rényi curve's %g and above %g of randomised response", lower, upper, renyi.Epsilon, least)
	}
	many := Repeat(Exponential{Epsilon: 0.4, Neighbours: AddRemove}, 12)
	best, err := Best(many, AddRemove, delta, BestOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if renyi, err = EpsilonOf(many, AddRemove, delta); err != nil || !(best.Epsilon <= renyi.Epsilon) {
		t.Errorf("Best: ε = %g (%v), want at most the Rényi curve's %g", best.Epsilon, err, renyi.Epsilon)
	}
}
