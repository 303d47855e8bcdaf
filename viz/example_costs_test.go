package viz

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

const promise = "every column but \"income\" has at most 12 missing cells"

// handCost is a cost put together by hand: no accountant gave its numbers.
func handCost(conditional bool) dpkit.Cost {
	free := accountant.Scope{Kind: accountant.Unconditional}
	middle := free
	if conditional {
		middle = accountant.Scope{Kind: accountant.Conditional, On: []string{promise}}
	}
	return dpkit.Cost{
		Rows: 30000, Neighbours: accountant.ReplaceOne,
		Steps: []cost.Step{
			{Step: 1, Name: `ClipNorm(4)`, Role: stage.RolePublic, Scope: free, R: 4, Note: "A projection on a ball is 1-Lipschitz."},
			{Step: 2, Name: `Impute(Mean{Pad: 64}, "age", "hours-per-week")`, Role: stage.RoleNonPrivate, Scope: middle, R: 4, Displacement: 1.23456, Moved: 29999, Note: "One row moves the mean, and the mean moves every missing cell."},
			{Step: 3, Name: `OneHot("workclass")`, Role: stage.RolePublic, Scope: free, R: 5, Displacement: 1.23456, Moved: 29999, Note: "Clean columns stay clean."},
			{Step: 4, Name: `Scale()`, Role: stage.RolePublic, Scope: free, R: 1, Displacement: 0.30864, Moved: 29999, Note: "A displacement shrinks with the map."},
		},
		Release: cost.Release{
			Name: "FitLogistic(ε = 1, δ = 1e-06)", Event: "120 × discrete Gaussian (S = 1.8, σ = 81)",
			Sensitivity: 1.8, FreeSensitivity: 1.4, Sigma: 81, Uncounted: 0.75431, Nominal: 1.3338,
		},
		Guarantee: accountant.Guarantee{
			Budget: accountant.Budget{Epsilon: 0.99994, Delta: 1e-6}, Neighbours: accountant.ReplaceOne,
			Scope: middle, Route: "exact Gaussian profile",
		},
	}
}

// demoResult prices and makes a real release on synthetic rows.
func demoResult(t testing.TB) (dpkit.Cost, dpkit.Result[dpkit.LogisticModel]) {
	t.Helper()
	f, err := datasets.SyntheticAdult(4000, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Demo(f, 1, accountant.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	plan := s.Data().
		OneHot().Impute(dpkit.Mean{}).Scale().
		FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20})
	c, err := plan.Cost()
	if err != nil {
		t.Fatal(err)
	}
	r, err := plan.Release(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return c, r
}

func handModel() dpkit.LogisticModel {
	m := dpkit.LogisticModel{
		Label: "income", Classes: [2]string{"<=50K", ">50K"},
		Columns: []string{"age", "sex=Male", "marital-status=Married-civ-spouse", "hours-per-week", "capital-gain", "race=Black", "education-num"},
		Coef:    []float64{1.25, 0.41, 2.19, 0.875, 3.5, -0.33, -1.0625}, Intercept: -1.5,
	}
	m.Law = handLaw(0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25, 0.25)
	return m
}

// unreadModel is of a fit whose noise nothing bounds.
func unreadModel() dpkit.LogisticModel {
	m := handModel()
	m.Law = &coefficient.Law{Law: coefficient.OfMomentum}
	return m
}

// handLaw is that of normal noise of these deviations.
func handLaw(scales ...float64) *coefficient.Law {
	return &coefficient.Law{Law: coefficient.ByOutput, Scales: scales}
}

func handStatus(scope accountant.Scope) ledger.Status {
	return ledger.Status{
		Dataset: "Adult", Budget: accountant.Budget{Epsilon: 3, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: scope,
		Spent: accountant.Budget{Epsilon: 1.41235, Delta: 1e-6}, Left: accountant.Budget{Epsilon: 2.51239, Delta: 1e-6},
		Releases: 2,
		Interrupted: []ledger.Entry{{
			ID: "9f86d081884c7d659a2feaa0c55ad015", Event: "120 × discrete Gaussian", When: time.Date(2025, 3, 1, 9, 30, 0, 0, time.UTC),
			State: ledger.Interrupted, Guarantee: accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}},
		}},
		Torn: 17,
	}
}

// handWatched has what a status holds only sometimes.
func handWatched() (ledger.Status, []ledger.Entry) {
	s := handStatus(accountant.Scope{Kind: accountant.Unconditional})
	project := s
	project.Dataset = "the project"
	s.Project, s.Expires = &project, time.Date(2031, 3, 1, 9, 30, 0, 0, time.UTC)
	s.Warnings = []string{"/data/adult.ledger: this copy holds 2 releases, the latest one had 3"}
	stored := s.Interrupted[0]
	stored.Seq, stored.Name, stored.State, stored.Mechanism = 1, "model", ledger.Stored, "OneHot().Impute(Mean{}).FitLogistic(ε = 1, δ = 1e-06)"
	stored.Guarantee.Scope = s.Scope
	cut := s.Interrupted[0]
	cut.Seq, cut.Guarantee.Scope = 3, accountant.Scope{Kind: accountant.Conditional, On: []string{promise}}
	return s, []ledger.Entry{stored, cut}
}

func handResult(conditional bool) dpkit.Result[float64] {
	c := handCost(conditional)
	return dpkit.Result[float64]{
		Value: 0.75, Guarantee: c.Guarantee, Cost: c, Replayed: conditional,
		When: time.Date(2025, 3, 1, 9, 30, 0, 0, time.UTC), Status: handStatus(c.Guarantee.Scope),
	}
}

// views are the examples that the golden files hold.
func views(t testing.TB) map[string]View {
	t.Helper()
	notPrivate := handResult(false)
	notPrivate.NotPrivate, notPrivate.Guarantee = "a demonstration: its noise is reproducible", accountant.Guarantee{}
	warned, refused := handResult(false), handResult(false)
	warned.Status.Warnings = []string{"the clock was set back"}
	project := warned.Status
	warned.Status.Project = &project
	refused.Refused = "step 2: at most 12 cells are missing"
	out := map[string]View{
		"result-warned":         Result(warned),
		"result-refused":        Result(refused),
		"srdp":                  SRDP(smoothCost(t, false), 2, 8),
		"srdp-conditional":      SRDP(smoothCost(t, true)),
		"cost":                  Cost(handCost(false)),
		"cost-conditional":      Cost(handCost(true)),
		"waterfall":             Waterfall(handCost(false)),
		"waterfall-conditional": Waterfall(handCost(true)),
		"guarantee":             Guarantee(handCost(false).Guarantee),
		"guarantee-conditional": Guarantee(handCost(true).Guarantee),
		"guarantee-zero":        Guarantee(accountant.Guarantee{}),
		"result":                Result(handResult(false)),
		"result-conditional":    Result(handResult(true)),
		"result-not-private":    Result(notPrivate),
		"ledger":                Ledger(handStatus(accountant.Scope{Kind: accountant.Unconditional})),
		"ledger-conditional":    Ledger(handStatus(accountant.Scope{Kind: accountant.Conditional, On: []string{promise}})),
		"ledger-releases":       Releases(handWatched()),
		"ledger-none":           Ledger(ledger.Status{}),
		"coefficients":          Coefficients(handModel(), 5),
		"coefficients-unread":   Coefficients(unreadModel(), 5),
		"table":                 Table([]string{"class", "share"}, [][]string{{"<=50K", "0.75"}, {">50K", "0.25"}, {"日本", "−1"}}),
		"table-empty":           Table([]string{"class", "share"}, nil),
	}
	maps.Copy(out, charts())
	maps.Copy(out, specific(t))
	return out
}
