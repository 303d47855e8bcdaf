package accountant

import (
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

func TestNeighboursText(t *testing.T) {
	type doc struct {
		Rel Neighbours         `json:"rel"`
		By  map[Neighbours]int `json:"by"`
	}
	in := doc{Rel: AddRemove, By: map[Neighbours]int{ReplaceOne: 1}}
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"rel":"add/remove","by":{"replace-one":1}}`; string(raw) != want {
		t.Errorf("got %s, want %s", raw, want)
	}
	var out doc
	if err := json.Unmarshal(raw, &out); err != nil || !reflect.DeepEqual(in, out) {
		t.Errorf("got %+v, %v, want %+v", out, err, in)
	}
	for _, bad := range []string{`"bounded"`, `""`, `"Replace-One"`} {
		var r Neighbours
		if err := json.Unmarshal([]byte(bad), &r); !errors.Is(err, ErrNeighbours) {
			t.Errorf("%s: got %v, want ErrNeighbours", bad, err)
		}
	}
	if _, err := json.Marshal(Neighbours(0)); !errors.Is(err, ErrNeighbours) {
		t.Errorf("zero relation: got %v, want ErrNeighbours", err)
	}
}

func TestBudgetValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		name string
		b    Budget
		want error
		says string
	}{
		{"usual", Budget{1, 1e-6}, nil, ""},
		{"tiny", Budget{1e-300, 5e-324}, nil, ""},
		{"zero epsilon", Budget{0, 1e-6}, ErrEpsilon, "epsilon: got 0"},
		{"negative epsilon", Budget{-1, 1e-6}, ErrEpsilon, "epsilon: got -1"},
		{"NaN epsilon", Budget{nan, 1e-6}, ErrEpsilon, "epsilon: got NaN"},
		{"infinite epsilon", Budget{inf, 1e-6}, ErrEpsilon, "epsilon: got +Inf"},
		{"zero delta", Budget{1, 0}, ErrDelta, "delta: got 0"},
		{"delta one", Budget{1, 1}, ErrDelta, "delta: got 1"},
		{"NaN delta", Budget{1, nan}, ErrDelta, "delta: got NaN"},
		{"negative delta", Budget{1, -1e-9}, ErrDelta, "delta: got -1e-09"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			err := c.b.Validate()
			if !errors.Is(err, c.want) || (err != nil && !strings.Contains(err.Error(), c.says)) {
				t.Errorf("got %v, want %v saying %q", err, c.want, c.says)
			}
		})
	}
}

func TestScopeJoin(t *testing.T) {
	un := Scope{Kind: Unconditional}
	tested := Scope{Kind: Tested, On: []string{"gap"}}
	declared := Scope{Kind: Conditional, On: []string{"p ≤ 80", "gap"}}
	cases := []struct {
		name string
		a, b Scope
		want string
	}{
		{"both unconditional", un, un, "unconditional"},
		{"test", un, tested, "tested: gap"},
		{"declaration", un, declared, "conditional on p ≤ 80; gap"},
		{"test and declaration", tested, declared, "conditional on gap; p ≤ 80"},
		{"same twice", tested, tested, "tested: gap"},
		{"unset stays unset", Scope{}, declared, "scope not set"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ab, ba := c.a.Join(c.b), c.b.Join(c.a)
			if ab.String() != c.want {
				t.Errorf("got %q, want %q", ab, c.want)
			}
			if ab.Kind != ba.Kind || len(ab.On) != len(ba.On) {
				t.Errorf("joined the other way: %q", ba)
			}
		})
	}
	joined := tested.Join(declared)
	joined.On[0] = "changed"
	if tested.On[0] != "gap" {
		t.Error("Join shares its list with its argument")
	}
	raw, err := json.Marshal(declared)
	if want := `{"kind":"conditional","on":["p ≤ 80","gap"]}`; err != nil || string(raw) != want {
		t.Errorf("got %s, %v, want %s", raw, err, want)
	}
	var back Scope
	if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, declared) {
		t.Errorf("got %v, %v", back, err)
	}
}

func TestGuaranteeString(t *testing.T) {
	b := Budget{1, 1e-6}
	un := Scope{Kind: Unconditional}
	cases := []struct {
		name string
		g    Guarantee
		want string
	}{
		{"plain", Guarantee{Budget: b, Neighbours: ReplaceOne, Scope: un}, "(1, 1e-06)-DP, replace-one, unconditional"},
		{
			"rounded up",
			Guarantee{Budget: Budget{0.12345600001, 1.0000001e-5}, Neighbours: AddRemove, Scope: un},
			"(0.123457, 1.00001e-05)-DP, add/remove, unconditional",
		},
		{
			"conditional",
			Guarantee{Budget: b, Neighbours: ReplaceOne, Scope: Scope{Kind: Conditional, On: []string{"gap ≥ 0.1"}}},
			"(1, 1e-06)-DP, replace-one, conditional on gap ≥ 0.1",
		},
		{
			"conditional on nothing",
			Guarantee{Budget: b, Neighbours: ReplaceOne, Scope: Scope{Kind: Conditional}},
			"(1, 1e-06), not a guarantee: replace-one, invalid scope (conditional, [])",
		},
		{"no scope", Guarantee{Budget: b, Neighbours: ReplaceOne}, "(1, 1e-06), not a guarantee: replace-one, scope not set"},
		{"no relation", Guarantee{Budget: b, Scope: un}, "(1, 1e-06), not a guarantee: Neighbours(0), unconditional"},
		{"no bound", Guarantee{Budget: Budget{math.Inf(1), 0}, Neighbours: AddRemove, Scope: un}, "(+Inf, 0), not a guarantee: add/remove, unconditional"},
		{"certain failure", Guarantee{Budget: Budget{1, 1}, Neighbours: AddRemove, Scope: un}, "(1, 1), not a guarantee: add/remove, unconditional"},
		{"NaN", Guarantee{Budget: Budget{math.NaN(), 0}, Neighbours: AddRemove, Scope: un}, "(NaN, 0), not a guarantee: add/remove, unconditional"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := c.g.String(); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
	g := cases[0].g.Within(Scope{Kind: Tested, On: []string{"gap"}})
	if g.Scope.Kind != Tested || cases[0].g.Scope.Kind != Unconditional {
		t.Errorf("Within: got %v from %v", g, cases[0].g)
	}
}

func TestFormatUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for range 20000 {
		x := math.Exp(300 * rng.NormFloat64())
		checkFormatUp(t, x)
	}
	for x, want := range map[float64]string{
		0: "0", 0.9999999: "1", 999999.5: "1e+06", 5e-324: "4.94066e-324", math.MaxFloat64: "+Inf", 0.1: "0.1", 100000.2: "100001",
	} {
		if got := FormatUp(x); got != want {
			t.Errorf("FormatUp(%g) = %s, want %s", x, got, want)
		}
	}
}

func checkFormatUp(t *testing.T, x float64) {
	t.Helper()
	got := FormatUp(x)
	v, _ := strconv.ParseFloat(got, 64) // +Inf on overflow
	if v < x || (v > x*(1+1.1e-5) && x > 1e-300) {
		t.Fatalf("FormatUp(%.17g) = %s", x, got)
	}
}

func FuzzFormatUp(f *testing.F) {
	f.Add(0.1)
	f.Fuzz(func(t *testing.T, x float64) {
		if x >= 0 {
			checkFormatUp(t, x)
		}
	})
}
