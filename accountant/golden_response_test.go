package accountant

import (
	"math"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenResponse checks k-ary randomised response: truth and lie probabilities, the tight curve, and
// the divergence of order 1 as the curve's limit.
func goldenResponse(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eps, P, Q, KL golden.Number
		M             int
		RDP           map[string]golden.Number
	}](t, raw) {
		r := must[RandomizedResponse](t)(TruthfulResponse(e.M, float64(e.P), AddRemove))
		closeTo(t, "ε of the truth probability", r.Epsilon, e.Eps, 1e-12)
		exact := RandomizedResponse{K: e.M, Epsilon: float64(e.Eps), Neighbours: AddRemove}
		curve := curveOf(t, exact, AddRemove)
		if len(e.RDP) == 0 {
			t.Error("an entry without orders")
		}
		for order, want := range e.RDP {
			alpha, err := strconv.ParseFloat(order, 64)
			if err != nil {
				t.Fatal(err)
			}
			closeTo(t, "curve", curve(alpha), want, 1e-12)
		}
		closeTo(t, "curve at 1", curve(1+1e-9), e.KL, 1e-6)
		closeTo(t, "lie", float64(e.P)*math.Exp(-float64(e.Eps)), e.Q, 1e-12)
	}
}

// goldenAdvancedComposition: the advanced composition theorem with its printed constant claims less than
// 100 binary responses cost.
func goldenAdvancedComposition(t *testing.T, raw []byte) {
	var e struct {
		Mech          string
		N             int
		Eps0          float64
		Delta         float64
		Claimed       float64 `json:"claimed_eps"`
		ExactAtClaims float64 `json:"exact_delta_at_claimed"`
	}
	if err := strictly(t, raw, &e); err != nil {
		t.Fatal(err)
	}
	if e.Mech != "binary RR" {
		t.Fatalf("mechanism %q, want binary RR", e.Mech)
	}
	responses := Repeat(RandomizedResponse{K: 2, Epsilon: e.Eps0, Neighbours: AddRemove}, e.N)
	g, err := DeltaOf(responses, AddRemove, e.Claimed)
	if err != nil {
		t.Fatal(err)
	}
	closeTo(t, "δ at the claimed ε", g.Delta, golden.Number(e.ExactAtClaims), 1e-9)
	if !(g.Delta > e.Delta) {
		t.Errorf("δ = %g does not refute the claimed %g", g.Delta, e.Delta)
	}
}
