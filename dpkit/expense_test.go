package dpkit

import (
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestMarginsCoverTheirFailure: a statistic below the floor, or beside one, passes with probability δ₀ at most, on
// the grid and after rounding; and a margin is not much wider than that.
func TestMarginsCoverTheirFailure(t *testing.T) {
	for _, delta := range []float64{0.5, 0.1, 1e-6, 1e-12, 1e-100} {
		for _, mu := range []float64{1e-3, 0.1, 3} {
			for _, top := range []float64{1, 1e3, 1e9} {
				e := query.Expense{Test: true, Delta: delta, Floor: -7, Query: query.GaussianQuery{Coordinates: 1, Sensitivity: 1, Max: top}}
				if err := e.Calibrate(mu); err != nil {
					t.Fatal(err)
				}
				h := e.Query.Grid.Step()
				// The statistic is at most floor + 1, its rounded value h/2 above, and P(k·h ≥ x) ≤ P(N(0, σ²) ≥ x − h).
				z := (e.Threshold() - e.Floor - 1 - 1.5*h) / e.Query.Sigma
				if p := quad.LogNormalCDF(-z); !(p <= math.Log(delta)) {
					t.Errorf("δ₀ = %v, μ = %v, max %v: passes with ln p = %v, want at most %v", delta, mu, top, p, math.Log(delta))
				}
				if want := (e.Query.S + e.Query.Sigma*max(0, -quad.NormalQuantile(delta))) * (1 + 1e-9); !(e.Margin <= want+3*h) {
					t.Errorf("δ₀ = %v, μ = %v: margin %v, want at most %v", delta, mu, e.Margin, want)
				}
				if c := e.Certified(12); !(c <= 12-e.Margin) || c < 12-e.Margin*(1+1e-15)-1e-14 {
					t.Errorf("certified %v of 12, margin %v", c, e.Margin)
				}
			}
		}
	}
	bad := query.Expense{Bound: true, Delta: 0.7, Query: query.GaussianQuery{Coordinates: 1, Sensitivity: 1, Max: 1}}
	if err := bad.Calibrate(1); err == nil || !strings.Contains(err.Error(), "delta") {
		t.Errorf("δ₀ = 0.7: got %v", err)
	}
}

// TestPrivateBoundsAreChargedBefore: the ledger is charged for a release behind a private bound before the bound
// is known; whatever comes out, the release that is drawn costs no more.
func TestPrivateBoundsAreChargedBefore(t *testing.T) {
	data := demo(t, tinyFrame(t, 5000, 1)).Data()
	by := Bound(Tested{Share: 0.2, Delta: 1e-8})
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		at    int
		chain Pipeline
	}{
		{"dedup", 1, data.Select("age").Dedup(Ball{Eta: 0.01, MaxBlock: by}).Scale()},
		{"quantised", 1, data.Select("age").QuantizeBall(Ball{Eta: 0.01, MaxBlock: by}).Scale()},
		{"regression", 2, data.OneHot().Impute(Midpoint{}, "work", "home").Impute(Ridge{Lambda: 0.1, MinEigen: by}, "pay").Scale()},
		{"mean, then private scales", 1, data.OneHot().Impute(Mean{Pad: 1, MinObserved: by}).Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.2})},
		{"dedup, then a mean", 0, data.Dedup(Ball{Eta: 0.01, MaxBlock: by}, "age").OneHot().Impute(Mean{}).Scale()},
	} {
		t.Run(c.name, func(t *testing.T) {
			bounds := []float64{-5000, -4000, -300, -2, 0, 1, 20, 4000, 1e9}
			chargedBefore(t, c.chain.Mean(target), c.at, bounds)
			chargedBefore(t, c.chain.Sum(target), c.at, bounds)
			chargedBefore(t, c.chain.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).WithoutPrediction(), c.at, bounds)
			if c.name == "dedup" {
				chargedBefore(t, c.chain.Histogram("income", target), c.at, bounds)
			}
		})
	}
}

func chargedBefore[V any](t *testing.T, pl Plan[V], at int, bounds []float64) {
	t.Helper()
	q, err := pl.plan().quote()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bounds {
		r, err := q.rest(at, []float64{b})
		if err != nil {
			t.Fatalf("bound %v: %v", b, err)
		}
		after, err := pl.plan().of.Settle(r.end)
		if err != nil {
			t.Fatalf("bound %v: %v", b, err)
		}
		for _, delta := range []float64{1e-6, 1e-4} {
			charged := must(accountant.EpsilonOf(q.price.Event, ReplaceOne, delta)).Epsilon
			drawn := must(accountant.EpsilonOf(after.Bill.Event, ReplaceOne, delta)).Epsilon
			// Both carry the allowance of spent.widen, 2^-31, far above what they may differ by.
			if !(drawn <= charged*(1+0x1p-40)) {
				t.Errorf("%s: bound %v: ε = %v at δ = %v is drawn, %v was charged", kind.Describe(pl.plan().m), b, drawn, delta, charged)
			}
		}
	}
}

// TestCostsNameFreeRows where a step freed some.
func TestCostsNameFreeRows(t *testing.T) {
	data := demo(t, tinyFrame(t, 60, 1)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		chain Pipeline
		free  int
		says  string
	}{
		{"whole rows", data.Select("age").Dedup(Exact{}), 1, ""},
		{"a key", data.Select("age").Dedup(Exact{}, "age"), 2, "free so far: 2 rows"},
		{"clusters", data.Select("age").Dedup(Ball{Eta: 1, MaxCluster: 3}), 7, "free so far: 7 rows"},
		{"clusters in blocks", data.Select("age").Dedup(Ball{Eta: 1, MaxBlock: Declare(3)}), 5, "free so far: 5 rows"},
	} {
		cost := must(c.chain.Mean(target).Cost())
		last := cost.Steps[len(cost.Steps)-1]
		if last.Free != c.free || (c.says == "") == strings.Contains(cost.String(), "free so far") || !strings.Contains(cost.String(), c.says) {
			t.Errorf("%s: %d free rows, want %d and %q in\n%v", c.name, last.Free, c.free, c.says, cost)
		}
	}
}
