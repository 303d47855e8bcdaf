package cost

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestGota: every row of a price says what the plan would promise; a way without a price promises nothing and has no numbers.
func TestGota(t *testing.T) {
	g := accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}}
	plan := Plan{Steps: []Step{{Step: 1, Name: "Impute", Role: stage.RolePublic, Displacement: 3, Moved: 9, Free: 1, Queries: []Query{{Share: 0.25}}}}, Release: Release{Name: "Mean", Sensitivity: 2, Sigma: 5}, Guarantee: g}
	demo := plan
	demo.NotPrivate = "a demonstration"
	for _, c := range []struct {
		name    string
		plan    Plan
		epsilon any
		promise string
	}{
		{"private", plan, 1., g.String() + ", unit: row"},
		{"not private", demo, nil, "NOT PRIVATE: a demonstration"},
	} {
		rows := c.plan.Gota().Maps()
		if len(rows) != 2 {
			t.Fatalf("%s: got %d rows, want 2", c.name, len(rows))
		}
		for i, r := range rows {
			if r["step"] != i+1 || r["epsilon"] != c.epsilon || r["promise"] != c.promise || r["displacement"] != 3. || r["moved"] != 9 {
				t.Errorf("%s: row %d: %v", c.name, i+1, r)
			}
		}
		if rows[0]["sigma"] != nil || rows[0]["share"] != 0.25 || rows[1]["sigma"] != 5. || rows[1]["share"] != 0. || rows[1]["role"] != "release" {
			t.Errorf("%s: got %v", c.name, rows)
		}
	}
	ways := Comparison{Steps: []StepComparison{{Step: 1, Name: "Impute", Best: 0, Variants: []Variant{{Name: "midpoint", Noise: 1, Cost: plan}, {Name: "mean", Refused: "no bound", Cost: plan}}}}}
	rows := ways.Gota().Maps()
	if len(rows) != 2 || rows[0]["best"] != true || rows[0]["epsilon"] != 1. || rows[0]["noise"] != 1. {
		t.Errorf("ways: %v", rows)
	}
	if rows[1]["best"] != false || rows[1]["epsilon"] != nil || rows[1]["noise"] != nil || rows[1]["refused"] != "no bound" {
		t.Errorf("a way without a price: %v", rows[1])
	}
}
