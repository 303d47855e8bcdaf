package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// spenders are chains that end in a step with private queries; the attack below searches each for
// neighbouring datasets whose answers differ by more than their sensitivity.
var spenders = []struct {
	name  string
	tight float64 // lower limit on the best attack
	build func(Pipeline) Pipeline
}{
	{"private mean of a number", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(PrivateMean{Share: 0.1}, "pay")
	}},
	{"private mean of everything", 0.7, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(PrivateMean{Share: 0.1})
	}},
	{"private mean behind a mean", 0.3, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}, "work").Scale().Impute(PrivateMean{Share: 0.1})
	}},
	{"private mean squares", 0.7, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.1})
	}},
	{"private means and squares of two columns", 0.6, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().Standardize(PrivateStandard{Share: 0.1, Floor: 0.1}, "age", "pay")
	}},
	{"private means and squares behind a mean", 0.3, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}).Scale().Standardize(PrivateStandard{Share: 0.1, Floor: 0.1})
	}},
	{"private second moments", 0.8, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().PCA(PrivateComponents{K: 2, Share: 0.1})
	}},
	{"private second moments behind a mean", 0.2, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}).Scale().PCA(PrivateComponents{K: 2, Share: 0.1})
	}},
	{"sizes of two columns", 0.99, func(p Pipeline) Pipeline {
		return p.Winsorize(PrivateBounds{Share: 0.1}, "age", "pay")
	}},
	{"sizes beside a mean", 0.99, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}, "work").Winsorize(PrivateBounds{Share: 0.1}, "pay")
	}},
	{"smallest standard deviation", 0.3, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().Standardize(Standard{MinSpread: Test(0.05, Tested{Share: 0.1, Delta: 1e-8})}, "age", "pay")
	}},
	{"eigengap", 0.5, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Midpoint{}).Scale().PCA(Hard{K: 1, Gap: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"eigengap behind a mean", 0.1, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{}).Scale().PCA(Hard{K: 2, Gap: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"number of rows with a missing cell", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{MaxMissing: Test(4, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"a bound on that number", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{MaxMissing: Bound(Tested{Share: 0.1, Delta: 1e-8})}, "work", "home")
	}},
	{"least number of observed values", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Mean{MinObserved: Test(2, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"both, and bounds on them", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(TrimmedMean{Trim: 0.2, MaxMissing: Bound(Tested{Share: 0.1, Delta: 1e-8}), MinObserved: Bound(Tested{Share: 0.1, Delta: 1e-8})}, "pay")
	}},
	{"missing rows of a median", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(Median{MaxMissing: Test(4, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
	}},
	{"smallest eigenvalue of regressors", 0.5, func(p Pipeline) Pipeline {
		return p.OneHot().Scale().Impute(Ridge{Lambda: 0.01, On: []string{"age"}, MinEigen: Test(1, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
	}},
	{"smallest eigenvalue of displaced regressors", 0.1, func(p Pipeline) Pipeline {
		return p.OneHot().Scale().Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.4}, "age").Impute(Ridge{
			Lambda: 0.01, On: []string{"age"}, MaxMissing: Test(3, Tested{Share: 0.1, Delta: 1e-8}), MinEigen: Bound(Tested{Share: 0.1, Delta: 1e-8}),
		}, "pay")
	}},
	{"largest block of rows", 0.9, func(p Pipeline) Pipeline {
		return p.Select("age").Dedup(Ball{Eta: 4, MaxBlock: Test(3, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"largest block of features", 0.9, func(p Pipeline) Pipeline {
		return p.Select("age", "pay").QuantizeBall(Ball{Eta: 4, MaxBlock: Bound(Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"the same for one column", 0.9, func(p Pipeline) Pipeline {
		return p.OneHot().Impute(TrimmedMean{Trim: 0.2, MaxMissing: Test(4, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
	}},
}

func TestAttackQueries(t *testing.T) {
	t.Parallel()
	for _, c := range spenders {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, 9))
			worst := 0.0
			chain := prepare(t, c.build)
			for _, n := range []int{2, 6} {
				worst = max(worst, climbPairs(r, n, 4, 80, func(p pairOfRows) float64 {
					x, y := p.sides()
					u, list := chain.answers(x)
					v, _ := chain.answers(y)
					most := 0.0
					for k, e := range list {
						if len(u[k]) != e.Query.Coordinates {
							t.Fatalf("query %d: %d coordinates, declared %d", k, len(u[k]), e.Query.Coordinates)
						}
						sum := 0.0
						for j := range u[k] {
							sum += (u[k][j] - v[k][j]) * (u[k][j] - v[k][j])
							if !(math.Abs(u[k][j]) <= e.Query.Max) {
								t.Fatalf("query %d: a coordinate is beyond its public bound", k)
							}
						}
						most = max(most, math.Sqrt(sum)/e.Query.Sensitivity)
					}
					return most
				}))
			}
			t.Logf("observed/bound %.3f", worst)
			if !(worst <= 1) {
				t.Errorf("observed/bound %.6f: the sensitivity is broken", worst)
			}
			if worst < c.tight {
				t.Errorf("observed/bound %.3f, want at least %.3f: the attack or the bound is slack", worst, c.tight)
			}
		})
	}
}

// TestSharesComposeToTheTarget: the steps' queries and the mechanism together meet the target from
// below, and use it up.
func TestSharesComposeToTheTarget(t *testing.T) {
	data := demo(t, tinyFrame(t, 5000, 1)).Data().OneHot()
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		chain Pipeline
	}{
		{"one private mean", data.Impute(PrivateMean{Share: 0.1}).Scale()},
		{"two", data.Impute(PrivateMean{Share: 0.1}, "pay").Impute(PrivateMean{Share: 0.3}).Scale()},
		{"a test", data.Impute(Mean{MaxMissing: Test(4500, Tested{Share: 0.05, Delta: 1e-8})}).Scale()},
		{"a private bound", data.Impute(Mean{MaxMissing: Bound(Tested{Share: 0.05, Delta: 1e-8})}).Scale()},
		{"a test and a private mean", data.Impute(Mean{MaxMissing: Test(4500, Tested{Share: 0.05, Delta: 1e-7})}, "pay").Impute(PrivateMean{Share: 0.1}).Scale()},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := must(c.chain.Mean(target).Cost())
			if g := cost.Guarantee; g.Epsilon > 1 || g.Epsilon < 0.9999 || g.Delta != 1e-6 {
				t.Errorf("got ε = %v at δ = %v, want (1, 1e-6) from below", g.Epsilon, g.Delta)
			}
			q := must(c.chain.Mean(target).plan().quote())
			again := must(accountant.EpsilonOf(q.price.Event, ReplaceOne, target.Delta))
			if again.Epsilon != cost.Guarantee.Epsilon {
				t.Errorf("the event of the whole release has ε = %v, the guarantee says %v", again.Epsilon, cost.Guarantee.Epsilon)
			}
			if !strings.Contains(cost.String(), "asks privately") {
				t.Errorf("the cost does not show the queries:\n%v", cost)
			}
		})
	}
	half := must(data.Impute(PrivateMean{Share: 0.5}).Scale().Mean(target).Cost())
	none := must(data.Impute(Midpoint{}).Scale().Mean(target).Cost())
	if r := half.Release.Sigma / none.Release.Sigma; math.Abs(r-math.Sqrt2) > 1e-6 {
		t.Errorf("half the budget for the means: noise × %v at the end, want √2", r)
	}
}

func TestBadShares(t *testing.T) {
	data := demo(t, tinyFrame(t, 60, 1)).Data().OneHot()
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name string
		plan Plan[Estimates]
		want []string
	}{
		{"no share", data.Impute(PrivateMean{}).Mean(target), []string{"step 2", "share: got 0"}},
		{"NaN", data.Impute(PrivateMean{Share: math.NaN()}).Mean(target), []string{"step 2", "share: got NaN"}},
		{"all of it", data.Impute(PrivateMean{Share: 0.6}, "pay").Impute(PrivateMean{Share: 0.4}).Mean(target), []string{"sum to 1", "less than 1"}},
		{"a test that takes all of δ", data.Impute(Mean{MaxMissing: Test(5, Tested{Share: 0.1, Delta: 1e-6})}).Mean(target), []string{"probability 1e-06 together", "less than the release's δ"}},
		{"a test without δ₀", data.Impute(Mean{MaxMissing: Test(5, Tested{Share: 0.1})}).Mean(target), []string{"step 2", "Delta: got 0"}},
		{"a declaration of nothing", data.Impute(Mean{MaxMissing: Declare(math.Inf(1))}).Mean(target), []string{"step 2", "number of rows with a missing cell: got +Inf"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.plan.Cost()
			if !errors.Is(err, ErrParameter) {
				t.Fatalf("got %v, want %v", err, ErrParameter)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to contain %q", err, w)
				}
			}
		})
	}
}

// TestPrivateFitDeploys: prediction fills missing cells by the released means, which the ledger
// replays with the model.
func TestPrivateFitDeploys(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 400, 1)
	path := ledgerPath(t)
	budget := Budget{Epsilon: 5, Delta: 1e-5}
	plan := func(s *Session) Plan[LogisticModel] {
		return s.Data().OneHot().Impute(PrivateMean{Share: 0.2}).Scale().FitLogistic(ByGradient{Epsilon: 4, Delta: 1e-6})
	}
	first := must(plan(private(t, f, path, budget)).Release(ctx))
	again := must(plan(private(t, f, path, budget)).Release(ctx))
	a, b := must(json.Marshal(first.Value)), must(json.Marshal(again.Value))
	if !again.Replayed || string(a) != string(b) {
		t.Errorf("the replayed model differs:\n%s\n%s", a, b)
	}
	fill := first.Value.Maps[1].Fill
	if fill == nil || len(fill.Values) != 6 {
		t.Fatalf("got maps %s, want the released fills of pay, three levels of work and two of home", a)
	}
	for i, v := range fill.Values {
		lo, hi := 0.0, 1.0
		if fill.Columns[i] == 4 { // pay, behind age and work's block
			lo, hi = -1, 4
		}
		if !(v >= lo && v <= hi) {
			t.Errorf("fill %d = %v leaves the column's domain [%v, %v]", i, v, lo, hi)
		}
	}
}

// TestTestsPassAndFail: with room to spare the test passes, without it refuses, says so, is paid for
// and replays.
func TestTestsPassAndFail(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 5000, 1) // of which about 3900 rows miss a cell
	chain := func(s *Session, most float64) Plan[Estimates] {
		return s.Data().OneHot().Impute(Mean{MaxMissing: Test(most, Tested{Share: 0.2, Delta: 1e-8})}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	}
	s := demo(t, f)
	r, err := chain(s, 4900).Release(ctx)
	if err != nil || r.Refused != "" || len(r.Value.Values) == 0 {
		t.Errorf("with room to spare: got %v, %v", r.Refused, err)
	}
	r, err = chain(s, 3000).Release(ctx)
	if !errors.Is(err, ErrTestFailed) || !strings.Contains(r.Refused, "at most 3000 rows miss a cell") || r.Value.Values != nil {
		t.Errorf("a bound that does not hold: got %+v, %v", r, err)
	}
	if strings.Contains(fmt.Sprint(err), "39") {
		t.Errorf("the refusal tells a count: %v", err)
	}

	bounded := s.Data().OneHot().Impute(Mean{MaxMissing: Bound(Tested{Share: 0.2, Delta: 1e-8})}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	before := must(bounded.Cost())
	r, err = bounded.Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Cost.Steps[1].Moved
	if p < 3700 || p > 4300 {
		t.Errorf("the private bound on about 3900 rows came out at %d", p)
	}
	if b, a := before.Release, r.Cost.Release; !(a.Sigma < b.Sigma) || before.Steps[1].Moved != 4999 {
		t.Errorf("worst case %v rows and σ = %v, then σ = %v: want less noise with the bound known", before.Steps[1].Moved, b.Sigma, a.Sigma)
	}
	if e := r.Cost.Guarantee.Epsilon; e > 1 || e < 0.9999 {
		t.Errorf("with the bound known the release costs ε = %v, want 1 from below", e)
	}
	c := must(chain(s, 4900).Cost())
	if k := c.Guarantee.Scope.Kind; k != accountant.Tested {
		t.Errorf("scope %v, want tested", k)
	}
}

// TestTestedLedger: a ledger with a reserve takes a chain with tests that asks for its whole budget,
// and replays a refusal as a refusal.
func TestTestedLedger(t *testing.T) {
	ctx := context.Background()
	f := tinyFrame(t, 2000, 1) // of which about 1570 rows miss a cell
	path := ledgerPath(t)
	o := Options{Ledger: path, Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "test", Reserve: 1e-8}
	s := must(Create(f, o))
	defer s.Close()
	chain := func(s *Session, most float64) Plan[Estimates] {
		return s.Data().OneHot().Impute(Mean{MaxMissing: Test(most, Tested{Share: 0.2, Delta: 1e-8})}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	}
	for _, replayed := range []bool{false, true} {
		r, err := chain(s, 1000).Release(ctx)
		if !errors.Is(err, ErrTestFailed) || r.Refused == "" || r.Replayed != replayed || r.Status.Releases != 1 {
			t.Fatalf("replayed %v: got %+v, %v", replayed, r.Status, err)
		}
		if !strings.Contains(r.String(), "refused") {
			t.Errorf("the result does not say that it was refused: %v", r)
		}
	}
	if _, err := chain(s, 1999).Release(ctx); err == nil || !strings.Contains(err.Error(), "left") {
		t.Errorf("beyond the budget: got %v", err)
	}
}
