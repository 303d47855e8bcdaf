package pdp

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

type goldenRecord struct {
	X        golden.Numbers
	Y        golden.Number
	Leverage golden.Number `json:"leverage_f2xHx"`
	Loss     golden.Number `json:"signed_loss"`
	ExPost   golden.Number `json:"expost_eps"`
	Bound    golden.Number `json:"data_indep_bound_rho_0_05"`
	F1, F2   golden.Number
}

// TestGolden checks the group pdp_tiny_dataset (mpmath, 25 digits).
func TestGolden(t *testing.T) {
	path := golden.Files(t, "mechanisms")[0]
	group, ok := golden.Groups(t, golden.Read(t, path))["pdp_tiny_dataset"]
	if !ok {
		t.Fatalf("%s: no group pdp_tiny_dataset", path)
	}
	var g struct {
		X             []golden.Numbers
		Y, Theta      golden.Numbers
		Lambda, Sigma golden.Number
		Members       []goldenRecord
		Nonmember     goldenRecord
	}
	if err := json.Unmarshal(group, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Members) == 0 {
		t.Fatalf("%s: no member", path)
	}
	var rows [][]float64
	for _, x := range g.X {
		rows = append(rows, x.Floats())
	}
	o := ObjectivePerturbation{Theta: g.Theta.Floats(), Sigma: float64(g.Sigma), Lambda: float64(g.Lambda), Loss: Logistic{}}
	a, err := o.Audit(rows, g.Y.Floats())
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-14) {
			t.Errorf("%s: got %.17g, want %.17g", what, got, want)
		}
	}
	check := func(what string, r goldenRecord, loss Curator[float64]) {
		t.Helper()
		x, y := r.X.Floats(), float64(r.Y)
		first, second := Logistic{}.Derivatives(dot(x, o.Theta), y)
		near(what+" ℓ'", first, float64(r.F1))
		near(what+" ℓ''", second, float64(r.F2))
		leverage, err := a.Leverage(x, y)
		if err != nil {
			t.Fatal(err)
		}
		near(what+" leverage", opened(t, leverage), float64(r.Leverage))
		near(what+" loss", opened(t, loss), float64(r.Loss))
		near(what+" ex-post ε", math.Abs(opened(t, loss)), float64(r.ExPost))
		bound, err := o.Bound(x, y, 0.05)
		if err != nil {
			t.Fatal(err)
		}
		if want := float64(r.Bound); !(bound >= want && bound <= want*(1+1e-12)) {
			t.Errorf("%s: bound %.17g, want %.17g, rounded up", what, bound, want)
		}
	}
	for i, r := range g.Members {
		loss, err := a.Member(i)
		if err != nil {
			t.Fatal(err)
		}
		check("member", r, loss)
	}
	loss, err := a.NonMember(g.Nonmember.X.Floats(), float64(g.Nonmember.Y))
	if err != nil {
		t.Fatal(err)
	}
	check("non-member", g.Nonmember, loss)
}

func opened[T any](t *testing.T, c Curator[T]) T {
	t.Helper()
	v, ok := c.Open()
	if !ok {
		t.Fatal("nothing inside")
	}
	return v
}
