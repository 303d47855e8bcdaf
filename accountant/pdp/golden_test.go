package pdp

import (
	"encoding/json"
	"flag"
	"math"
	"os"
	"path/filepath"
	"testing"
)

var goldenFile = flag.String("golden", "testdata/golden/mechanisms.json",
	"golden file of TestGolden, absolute or relative to the root of the repository")

// A number is written as a decimal text or as a JSON number.
type number float64

func (n *number) UnmarshalJSON(raw []byte) error {
	var text json.Number
	if len(raw) > 1 && raw[0] == '"' {
		raw = raw[1 : len(raw)-1]
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return err
	}
	v, err := text.Float64()
	*n = number(v)
	return err
}

func floats(ns []number) []float64 {
	out := make([]float64, len(ns))
	for i, n := range ns {
		out[i] = float64(n)
	}
	return out
}

type goldenRecord struct {
	X        []number
	Y        number
	Leverage number `json:"leverage_f2xHx"`
	Loss     number `json:"signed_loss"`
	ExPost   number `json:"expost_eps"`
	Bound    number `json:"data_indep_bound_rho_0_05"`
	F1, F2   number
}

// TestGolden checks the group pdp_tiny_dataset (mpmath, 25 digits).
func TestGolden(t *testing.T) {
	path := *goldenFile
	if !filepath.IsAbs(path) {
		path = filepath.Join("..", "..", path)
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Tiny struct {
			X             [][]number
			Y, Theta      []number
			Lambda, Sigma number
			Members       []goldenRecord
			Nonmember     goldenRecord
		} `json:"pdp_tiny_dataset"`
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	g := golden.Tiny
	if len(g.Members) == 0 {
		t.Fatalf("%s: no group pdp_tiny_dataset", *goldenFile)
	}
	var rows [][]float64
	for _, x := range g.X {
		rows = append(rows, floats(x))
	}
	o := ObjectivePerturbation{Theta: floats(g.Theta), Sigma: float64(g.Sigma), Lambda: float64(g.Lambda), Loss: Logistic{}}
	a, err := o.Audit(rows, floats(g.Y))
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
		x, y := floats(r.X), float64(r.Y)
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
	loss, err := a.NonMember(floats(g.Nonmember.X), float64(g.Nonmember.Y))
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
