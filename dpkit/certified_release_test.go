package dpkit

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// certifiedChains are chains of which one step rests on a number: value is one that the 5000 rows of the
// fixture have with room to spare, wrong one that they do not have.
var certifiedChains = []struct {
	name         string
	value, wrong float64
	says         string
	build        func(p Pipeline, c Certificate) Pipeline
}{
	{"missing rows of a median", 2500, 500, "rows miss a cell of \"pay\"", func(p Pipeline, c Certificate) Pipeline {
		return p.OneHot().Impute(Median{MaxMissing: c}, "pay").Impute(Midpoint{}).Scale()
	}},
	{"missing rows of a regression", 2500, 500, "rows miss a cell of \"pay\"", func(p Pipeline, c Certificate) Pipeline {
		return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 0.3, MaxMissing: c}, "pay")
	}},
	{"eigenvalue of a regression", 100, 4000, "smallest eigenvalue of the regressors of \"pay\"", func(p Pipeline, c Certificate) Pipeline {
		return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 0.001, On: []string{"age"}, MinEigen: c}, "pay")
	}},
	{"observed values of a mean", 2000, 4900, "values of \"pay\" are observed", func(p Pipeline, c Certificate) Pipeline {
		return p.OneHot().Impute(Mean{Pad: 1, MinObserved: c}, "pay").Impute(Midpoint{}).Scale()
	}},
	{"observed values of a trimmed mean", 2000, 4900, "values of \"pay\" are observed", func(p Pipeline, c Certificate) Pipeline {
		return p.OneHot().Impute(TrimmedMean{Trim: 0.1, Pad: 1, MinObserved: c}, "pay").Impute(Midpoint{}).Scale()
	}},
	{"block of a dedup", 900, 30, "rows in a block of cells", func(p Pipeline, c Certificate) Pipeline {
		return p.Select("age").Dedup(Ball{Eta: 0.01, MaxBlock: c}).Scale()
	}},
	{"block of a quantisation", 900, 30, "rows in a block of cells", func(p Pipeline, c Certificate) Pipeline {
		return p.Select("age").QuantizeBall(Ball{Eta: 0.01, MaxBlock: c}).Scale()
	}},
}

// TestCertifiedSteps: declared, tested and privately bounded numbers name themselves in the guarantee, lower the
// price, and meet the target; a test of one that does not hold refuses.
func TestCertifiedSteps(t *testing.T) {
	ctx := context.Background()
	s := demo(t, tinyFrame(t, 5000, 1))
	target := Target{Epsilon: 1, Delta: 1e-6}
	tested := Tested{Share: 0.3, Delta: 1e-8}
	for _, c := range certifiedChains {
		t.Run(c.name, func(t *testing.T) {
			plan := func(by Certificate) Plan[Estimates] { return c.build(s.Data(), by).Mean(target) }
			declared, open := must(plan(Declare(c.value)).Cost()), must(plan(Bound(tested)).Cost())
			if k := declared.Guarantee.Scope.Kind; k != accountant.Conditional || !strings.Contains(declared.String(), c.says) {
				t.Errorf("declared: scope %v, want conditional, and %q in\n%v", k, c.says, declared)
			}
			if d, o := declared.Release.Sigma, open.Release.Sigma; !(d < o) {
				t.Errorf("σ = %v with the number declared, %v where nothing is known: want less", d, o)
			}
			r, err := plan(Test(c.value, tested)).Release(ctx)
			if err != nil || r.Refused != "" {
				t.Fatalf("with room to spare: got %q, %v", r.Refused, err)
			}
			if k := r.Cost.Guarantee.Scope.Kind; k != accountant.Tested {
				t.Errorf("tested: scope %v", k)
			}
			if r, err = plan(Test(c.wrong, tested)).Release(ctx); !errors.Is(err, ErrTestFailed) || r.Refused == "" {
				t.Errorf("a number that does not hold: got %q, %v", r.Refused, err)
			}
			if r, err = plan(Bound(tested)).Release(ctx); err != nil {
				t.Fatal(err)
			}
			if e := r.Cost.Guarantee.Epsilon; !(e <= 1) || e < 0.9999 {
				t.Errorf("with the bound known the release costs ε = %v, want 1 from below", e)
			}
			if b, o := r.Cost.Release.Sigma, open.Release.Sigma; !(b < o) {
				t.Errorf("σ = %v with the bound known, %v in the worst case: want less", b, o)
			}
			named := slices.ContainsFunc(r.Cost.Steps, func(s cost.Step) bool { return strings.Contains(s.Name, "Bound(Tested{Share: 0.3, Delta: 1e-08}) = ") })
			if !named {
				t.Errorf("the cost does not name the bound that came out:\n%v", r.Cost)
			}
		})
	}
}

// TestTwoPrivateBounds on one step come out in their order.
func TestTwoPrivateBounds(t *testing.T) {
	s := demo(t, tinyFrame(t, 5000, 1)) // of which about 1650 miss pay
	by := Bound(Tested{Share: 0.2, Delta: 1e-8})
	plan := s.Data().OneHot().Impute(Mean{Pad: 1, MaxMissing: by, MinObserved: by}, "pay").Impute(Midpoint{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	r := must(plan.Release(context.Background()))
	var n0, p float64
	for _, k := range r.Cost.Steps[1].Constants {
		switch k.Symbol {
		case "N0":
			n0 = k.Value
		case "p":
			p = k.Value
		}
	}
	if !(p > 1650 && p < 2500) || !(n0 > 2500 && n0 < 3350) {
		t.Errorf("got at most %v rows with a missing cell and at least %v values, want some hundred beyond 1650 and 3350", p, n0)
	}
}

// TestBoundsReplay: the ledger stores the bounds that came out, and replays the cost with the value.
func TestBoundsReplay(t *testing.T) {
	ctx := context.Background()
	s := must(Create(tinyFrame(t, 2000, 1), Options{
		Ledger: ledgerPath(t), Budget: Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "test", Reserve: 1e-7,
	}))
	defer s.Close()
	by := Bound(Tested{Share: 0.2, Delta: 1e-8})
	plan := s.Data().Dedup(Ball{Eta: 0.01, MaxBlock: by}, "age").OneHot().Impute(Mean{Pad: 1, MaxMissing: by, MinObserved: by}, "pay").Impute(Midpoint{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
	first := must(plan.Release(ctx))
	again := must(plan.Release(ctx))
	if first.Replayed || !again.Replayed || again.Status.Releases != 1 {
		t.Fatalf("replayed %v, then %v, %d releases", first.Replayed, again.Replayed, again.Status.Releases)
	}
	if a, b := first.Cost.String(), again.Cost.String(); a != b || !strings.Contains(a, "Bound(Tested{Share: 0.2, Delta: 1e-08}) = ") {
		t.Errorf("replayed with another cost:\n%s\n%s", a, b)
	}
	if !slices.Equal(first.Value.Values, again.Value.Values) {
		t.Errorf("replayed %v for %v", again.Value.Values, first.Value.Values)
	}
}

// TestGaussianTestsAreNotDearer than the classical Laplace test: with the room that each asks for made equal,
// the release as a whole has the smaller ε.
func TestGaussianTestsAreNotDearer(t *testing.T) {
	const rel, delta = ReplaceOne, 1e-6
	for _, c := range []struct{ epsilon, tail, missed float64 }{
		{0.02, 1e-8, 0.1}, {0.05, 1e-8, 1e-3}, {0.1, 1e-10, 0.01}, {0.3, 1e-8, 1e-3}, {0.1, 1e-7, 0.1},
	} {
		// A test passes with probability 1 − missed at a statistic this far above the floor.
		laplace := must(accountant.TestThresholdLaplace(0, 1, c.epsilon, c.tail)) + math.Log(1/(2*c.missed))/c.epsilon
		// Both quantiles of the Gaussian are proportional to σ.
		z := must(accountant.TestThresholdGaussian(0, 1, 1, c.tail)) - 1 + must(accountant.TestThresholdGaussian(0, 1, 1, c.missed)) - 1
		sigma := (laplace - 1) / z
		price := func(test accountant.Event) float64 {
			rest := accountant.Gaussian{Sensitivity: 1, Sigma: 5, Neighbours: rel}
			return must(accountant.EpsilonOf(accountant.Compose(test, accountant.ApproxDP{Delta: c.tail, Neighbours: rel}, rest), rel, delta)).Epsilon
		}
		gaussian, classical := price(accountant.Gaussian{Sensitivity: 1, Sigma: sigma, Neighbours: rel}), price(accountant.Laplace{Sensitivity: 1, Scale: 1 / c.epsilon, Neighbours: rel})
		t.Logf("ε₀ = %v, δ₀ = %v, missed %v: ε = %.4f with Gaussian noise, %.4f with Laplace noise", c.epsilon, c.tail, c.missed, gaussian, classical)
		if !(gaussian <= classical) {
			t.Errorf("ε₀ = %v, δ₀ = %v, missed %v: the Gaussian test costs ε = %v in all, the Laplace test %v", c.epsilon, c.tail, c.missed, gaussian, classical)
		}
	}
}
