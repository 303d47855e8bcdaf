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
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/frames"
)

var (
	gaussianTarget = Target{Epsilon: 2, Delta: 1e-6}
	laplaceTarget  = Target{Epsilon: 2, Noise: NoiseLaplace}
)

// near reports whether a released number is as near its exact one as its noise allows: 25 standard
// deviations are passed with probability below e^-35 by Laplace noise, and less by Gaussian noise.
func near(got, exact, sigma float64) bool { return math.Abs(got-exact) <= 25*sigma+1e-9 }

func TestReleasesAgainstExact(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	f := tinyFrame(t, 4000, 5)
	for _, target := range []Target{gaussianTarget, laplaceTarget} {
		for _, c := range []struct {
			name  string
			plan  func(Pipeline) Plan[Estimates]
			names []string
		}{
			{"sum of all", func(p Pipeline) Plan[Estimates] {
				return p.OneHot().Impute(Mean{}, "pay").Impute(Midpoint{}).Sum(target)
			}, []string{"age", "work=a", "work=b", "work=c", "pay", "home=x", "home=y"}},
			{"sum of two", func(p Pipeline) Plan[Estimates] { return p.OneHot().Impute(Midpoint{}).Sum(target, "age", "home") }, []string{"age", "home=x", "home=y"}},
			{"means", func(p Pipeline) Plan[Estimates] { return p.OneHot().Impute(Midpoint{}).Mean(target) }, []string{"age", "work=a", "work=b", "work=c", "pay", "home=x", "home=y"}},
			{"histogram", func(p Pipeline) Plan[Estimates] { return p.Histogram("work", target) }, []string{"a", "b", "c", sums.MissingLevel}},
			{"count of levels", func(p Pipeline) Plan[Estimates] { return p.Count(target, Is("work", "a", "c")) }, []string{`Is("work", "a", "c")`}},
			{"count of a range and a class", func(p Pipeline) Plan[Estimates] {
				return p.OneHot("home").Impute(Mean{}, "home").Count(target, Between("pay", 0, 2), Is("income", "high"))
			}, []string{`Between("pay", 0, 2) and Is("income", "high")`}},
		} {
			t.Run(string(target.Noise)+c.name, func(t *testing.T) {
				exact := must(c.plan(must(OnPublic(frames.Public(f))).Data()).Release(ctx)).Value
				path, budget := ledgerPath(t), Budget{Epsilon: 12, Delta: 1e-5} // a pure ε = 2 is charged by its Gaussian cover
				r := must(c.plan(private(t, f, path, budget).Data()).Release(ctx))
				got := r.Value
				if r.Guarantee.Epsilon > target.Epsilon || r.Guarantee.Delta != target.Delta {
					t.Errorf("guarantee %v, want %v", r.Guarantee, target)
				}
				if !slices.Equal(got.Names, c.names) || !slices.Equal(exact.Names, c.names) {
					t.Fatalf("names %v and %v, want %v", got.Names, exact.Names, c.names)
				}
				for i := range got.Values {
					if !(got.Sigma[i] > 0) || got.Values[i] == exact.Values[i] || !near(got.Values[i], exact.Values[i], got.Sigma[i]) {
						t.Errorf("%s: got %v ± %v, exact %v", got.Names[i], got.Values[i], got.Sigma[i], exact.Values[i])
					}
				}
				if again := must(c.plan(private(t, f, path, budget).Data()).Release(ctx)); !again.Replayed || !slices.Equal(again.Value.Values, got.Values) {
					t.Error("the same release was drawn again")
				}
			})
		}
	}
}

// TestLaplaceIsCalibratedLikeTheTextbook: b = Δ/ε with the L1 sensitivity, and pure ε is promised.
func TestLaplaceIsCalibratedLikeTheTextbook(t *testing.T) {
	f := tinyFrame(t, 1000, 5)
	for _, c := range []struct {
		name string
		rel  accountant.Neighbours
		plan func(Pipeline) Plan[Estimates]
		want float64 // Δ in the release's units, where ε = 2
	}{
		{"count", ReplaceOne, func(p Pipeline) Plan[Estimates] { return p.Count(laplaceTarget, Is("home", "x")) }, 1},
		{"count", AddRemove, func(p Pipeline) Plan[Estimates] { return p.Count(laplaceTarget, Is("home", "x")) }, 1},
		{"histogram", ReplaceOne, func(p Pipeline) Plan[Estimates] { return p.Histogram("home", laplaceTarget) }, 2},
		{"histogram", AddRemove, func(p Pipeline) Plan[Estimates] { return p.Histogram("home", laplaceTarget) }, 1},
		{"sum", ReplaceOne, func(p Pipeline) Plan[Estimates] { return p.Sum(laplaceTarget, "age") }, 90 - 17},
		{"sum", AddRemove, func(p Pipeline) Plan[Estimates] { return p.Sum(laplaceTarget, "age") }, 90},
		{"mean", ReplaceOne, func(p Pipeline) Plan[Estimates] { return p.Select("age").Mean(laplaceTarget) }, (90. - 17) / 1000},
	} {
		t.Run(c.name+"/"+c.rel.String(), func(t *testing.T) {
			plan := c.plan(must(Demo(f, 1, c.rel)).Data())
			r := must(plan.Release(context.Background()))
			want := math.Sqrt2 * c.want / laplaceTarget.Epsilon
			if got := r.Value.Sigma[0]; !(got >= want*(1-1e-12) && got <= want*1.0001) {
				t.Errorf("noise %v, want %v", got, want)
			}
			if g := must(plan.Cost()).Guarantee; g.Delta != 0 || !(g.Epsilon <= laplaceTarget.Epsilon && g.Epsilon > laplaceTarget.Epsilon*0.9999) {
				t.Errorf("guarantee %v, want pure ε = 2", g)
			}
		})
	}
}

func TestMargins(t *testing.T) {
	for law, want := range map[Noise]float64{NoiseGaussian: 1.959964, NoiseLaplace: math.Log(20) / math.Sqrt2} {
		m := must(Estimates{Sigma: []float64{2}, Noise: law}.Margin(0.95))
		if math.Abs(m[0]-2*want) > 1e-5 {
			t.Errorf("%s: got %v, want %v", law, m, 2*want)
		}
	}
}

func TestTargetMistakes(t *testing.T) {
	data := demo(t, tinyFrame(t, 50, 5)).Data()
	for _, c := range []struct {
		name string
		plan Plan[Estimates]
		want string
		is   error
	}{
		{"δ with Laplace noise", data.Select("age").Mean(Target{Epsilon: 1, Delta: 1e-6, Noise: NoiseLaplace}), "want 0", accountant.ErrDelta},
		{"no ε", data.Select("age").Sum(Target{Noise: NoiseLaplace}), "epsilon", accountant.ErrEpsilon},
		{"ε is no number", data.Histogram("work", Target{Epsilon: math.NaN(), Noise: NoiseLaplace}), "epsilon", accountant.ErrEpsilon},
		{"no δ", data.Count(Target{Epsilon: 1}, Is("work", "a")), "delta", accountant.ErrDelta},
		{"no such noise", data.Count(Target{Epsilon: 1, Noise: "cauchy"}, Is("work", "a")), "cauchy", ErrParameter},
		{"sum of a category", data.Sum(gaussianTarget, "work"), "encode it with OneHot first", ErrOrder},
		{"sum of nothing known", data.Sum(gaussianTarget, "wrk"), "no such column", ErrColumn},
		{"public count", data.Count(gaussianTarget), "is public, 50", ErrParameter},
		{"count of no column", data.Count(gaussianTarget, Is("wrk", "a")), "no such column", ErrColumn},
		{"count of no level", data.Count(gaussianTarget, Is("work", "z")), `no level "z"`, ErrParameter},
		{"count of no levels", data.Count(gaussianTarget, Is("work")), "got no level", ErrParameter},
		{"level of a number", data.Count(gaussianTarget, Is("age", "a")), "want a category", ErrColumn},
		{"range of a category", data.Count(gaussianTarget, Between("work", 0, 1)), "use Is", ErrColumn},
		{"range of a class", data.Count(gaussianTarget, Between("income", 0, 1)), "use Is", ErrColumn},
		{"range upside down", data.Count(gaussianTarget, Between("age", 2, 1)), "that rise", ErrParameter},
		{"range of NaN", data.Count(gaussianTarget, Between("age", math.NaN(), 1)), "that rise", ErrParameter},
		{"displaced column", data.Impute(Mean{}, "pay").Count(gaussianTarget, Between("pay", 0, 1)), "count before the step", ErrOrder},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.plan.Cost()
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestPureReleasesTakeNoShares: private steps of a chain ask Gaussian queries, which have no share in pure ε.
func TestPureReleasesTakeNoShares(t *testing.T) {
	p := demo(t, tinyFrame(t, 500, 5)).Data().OneHot().Impute(PrivateMean{Share: 0.1}, "pay").Impute(Midpoint{})
	for name, plan := range map[string]cost.Priced{
		"Laplace":                p.Mean(laplaceTarget),
		"quantile":               p.Quantile(Target{Epsilon: 1}, 0.5, "age"),
		"quantile with a δ":      p.Quantile(Target{Epsilon: 1, Delta: 1e-6}, 0.5, "age"),
		"count":                  p.Count(laplaceTarget, Between("age", 20, 30)),
		"Gaussian, for contrast": p.Mean(gaussianTarget),
	} {
		_, err := plan.Cost()
		if want := name != "Gaussian, for contrast"; want != errors.Is(err, ErrOrder) || want != (err != nil) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	c := must(p.Mean(gaussianTarget).Compare())
	if c.Written.Refused != "" {
		t.Error(c)
	}
	fitted := demo(t, tinyFrame(t, 500, 5)).Data().OneHot().Impute(Mean{}).Sum(laplaceTarget)
	if c, err := fitted.Compare(); err != nil || c.Recommended.Refused != "" {
		t.Errorf("comparison at pure ε: %v, %v", c, err)
	}
}
