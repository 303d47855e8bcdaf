package dpkit

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
)

// predictable is a plan of whatever value.
type predictable interface {
	Error(level float64) (cost.Prediction, error)
	Cost() (Cost, error)
}

// statistics are plans whose errors are predicted by level.
var statistics = []struct {
	name string
	plan func(p Pipeline, t Target) predictable
}{
	{"count", func(p Pipeline, t Target) predictable { return p.Count(t, Is("work", "a")) }},
	{"histogram", func(p Pipeline, t Target) predictable { return p.Histogram("work", t) }},
	{"mean", func(p Pipeline, t Target) predictable { return p.Select("age").Mean(t) }},
	{"mean behind a fit", func(p Pipeline, t Target) predictable { return p.Select("age", "pay").Impute(Mean{}).Mean(t) }},
	{"sum", func(p Pipeline, t Target) predictable { return p.Select("age").Sum(t) }},
	{"quantile", func(p Pipeline, t Target) predictable { return p.Quantile(t, 0.5, "age") }},
}

// TestPredictedMarginsCover: in 400 demonstrations of each kind of plan noise is within the predicted margin with at least its level, and,
// but for quantiles, whose margin is a bound, not much more: 0.90 to 0.98 at 0.95.
func TestPredictedMarginsCover(t *testing.T) {
	const releases, level = 400, 0.95
	f := tinyFrame(t, 2000, 5)
	for _, target := range []Target{{Epsilon: 1, Delta: 1e-6}, laplaceTarget} {
		for name, of := range map[string]func(p Pipeline, t Target) Plan[Estimates]{
			"count":     func(p Pipeline, t Target) Plan[Estimates] { return p.Count(t, Is("work", "a")) },
			"histogram": func(p Pipeline, t Target) Plan[Estimates] { return p.Histogram("work", t) },
			"mean":      func(p Pipeline, t Target) Plan[Estimates] { return p.Select("age").Mean(t) },
			"fitted":    func(p Pipeline, t Target) Plan[Estimates] { return p.Select("age", "pay").Impute(Mean{}).Mean(t) },
			"sum":       func(p Pipeline, t Target) Plan[Estimates] { return p.Select("age").Sum(t) },
		} {
			t.Run(fmt.Sprintf("%s, %v", name, target), func(t *testing.T) {
				exact := must(of(must(OnPublic(frames.Public(f))).Data(), target).Release(t.Context())).Value
				plan := of(must(Demo(f, 1, ReplaceOne)).Data(), target)
				p := must(plan.Error(level))
				if p.Level != level || len(p.Margin) != len(exact.Values) || len(p.Names) != len(p.Margin) || len(p.Idle) > 0 {
					t.Fatalf("%+v", p)
				}
				for i, n := range p.Names {
					if n != exact.Names[i] {
						t.Errorf("number %d is %q, want %q", i, n, exact.Names[i])
					}
				}
				within, all := 0, 0
				for _, e := range must(plan.Replicate(t.Context(), releases)) {
					for i, v := range e.Values {
						all++
						if math.Abs(v-exact.Values[i]) <= p.Margin[i] {
							within++
						}
					}
				}
				if share := float64(within) / float64(all); !(share >= 0.9 && share <= 0.99) {
					t.Errorf("%d of %d are within the margin, want about %g", within, all, level)
				}
			})
		}
	}
}

// TestWithin: a target that says how far off a release may be gets the least ε of three digits for which it is not; the plan says that ε,
// and parsed from its text it is the same plan.
func TestWithin(t *testing.T) {
	t.Parallel()
	f := tinyFrame(t, 2000, 5)
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, base := range []Target{{Delta: 1e-6}, {Noise: NoiseLaplace}, {}} {
			for _, c := range statistics {
				if base.Noise != "" && c.name == "quantile" || base == (Target{}) && c.name != "quantile" {
					continue
				}
				t.Run(fmt.Sprintf("%s, %v, %v", c.name, rel, base), func(t *testing.T) {
					d := must(Demo(f, 1, rel)).Data()
					at := func(epsilon float64) float64 {
						target := base
						target.Epsilon = epsilon
						worst := 0.0
						for _, m := range must(c.plan(d, target).Error(0.9)).Margin {
							worst = max(worst, m)
						}
						return worst
					}
					for _, epsilon := range []float64{0.05, 0.7, 5} {
						want := at(epsilon)
						plan := c.plan(d, base.Within(want, 0.9))
						got := must(plan.Cost()).Guarantee.Epsilon
						if !(got <= epsilon*1.012) || !(got >= epsilon*0.97) {
							t.Errorf("within %g: ε = %g, want about %g", want, got, epsilon)
						}
						if p := must(plan.Error(0.9)); !(p.Margin[0] <= want) {
							t.Errorf("within %g: %v", want, p)
						}
						text := fmt.Sprint(plan)
						if strings.Contains(text, "Margin") || strings.Contains(text, "Level") {
							t.Errorf("the plan is %s", text)
						}
					}
				})
			}
		}
	}
	public := must(OnPublic(frames.Public(f))).Data()
	if r, err := public.Count(Target{Delta: 1e-6}.Within(3, 0.9), Is("work", "a")).Release(t.Context()); err != nil || r.Value.Sigma[0] != 0 {
		t.Errorf("on public data: %v, %v", r.Value, err)
	}
}

func TestPredictMistakes(t *testing.T) {
	d := must(Demo(tinyFrame(t, 200, 5), 1, ReplaceOne)).Data()
	of := func(t Target) error { _, err := d.Count(t, Is("work", "a")).Cost(); return err }
	_, level := d.Count(laplaceTarget, Is("work", "a")).Error(1)
	_, unknown := d.OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Solver: ByIteration{}, Average: AverageLast}).Error(0.9)
	_, public := must(OnPublic(frames.Public(tinyFrame(t, 20, 5)))).Data().Count(laplaceTarget, Is("work", "a")).Error(0.9)
	delta := Target{Delta: 1e-6}
	_, displaced := d.Impute(Mean{}, "pay").Quantile(Target{}.Within(50, 0.9), 0.5, "pay").Cost()
	_, wrong := d.Impute(Mean{}, "nope").Count(delta.Within(3, 0.9), Is("work", "a")).Cost()
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"no margin", of(delta.Within(0, 0.9)), "want a positive finite number"},
		{"NaN", of(delta.Within(math.NaN(), 0.9)), "want a positive finite number"},
		{"no level", of(delta.Within(3, 0)), "want a number in (0, 1)"},
		{"an ε too", of(Target{Epsilon: 1, Delta: 1e-6}.Within(3, 0.9)), "want 0"},
		{"too small", of(delta.Within(1e-9, 0.9)), "want a larger one"},
		{"no δ", of(Target{}.Within(3, 0.9)), "delta"},
		{"a level of an error", level, "want a number in (0, 1)"},
		{"a quantile that is off by a width too", displaced, "give an ε"},
		{"a wrong chain", wrong, "no such column"},
		{"nothing is predicted", unknown, "Replicate"},
		{"public rows", public, "there is no noise"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
				t.Errorf("got %v, want %q", c.err, c.want)
			}
			if c.name != "public rows" && c.name != "no δ" && c.name != "a wrong chain" && !errors.Is(c.err, ErrParameter) {
				t.Errorf("got %v, want ErrParameter", c.err)
			}
		})
	}
}

// TestIdleReleasesWarn: a cost warns where noise covers all that public bounds leave open, and there alone.
func TestIdleReleasesWarn(t *testing.T) {
	d := must(Demo(tinyFrame(t, 60, 5), 1, ReplaceOne)).Data()
	for _, c := range statistics {
		delta := 1e-6
		loud, quiet := must(c.plan(d, Target{Epsilon: 0.01, Delta: delta}).Cost()), must(c.plan(d, Target{Epsilon: 8, Delta: delta}).Cost())
		if len(loud.Warnings) != 1 || !strings.Contains(loud.String(), "would tell nothing") || len(quiet.Warnings) != 0 {
			t.Errorf("%s: warnings %q at ε = 0.01, %q at 8", c.name, loud.Warnings, quiet.Warnings)
		}
		if p := must(c.plan(d, Target{Epsilon: 0.01, Delta: delta}).Error(0.9)); len(p.Idle) != len(p.Margin) || !strings.Contains(p.String(), "would tell nothing") {
			t.Errorf("%s: %v", c.name, p)
		}
	}
	wide := must(d.Impute(Mean{}, "pay").Quantile(Target{Epsilon: 0.3}, 0.5, "pay").Cost())
	if len(wide.Warnings) != 1 {
		t.Errorf("a width as wide as the column: %q", wide.Warnings)
	}
	if p := must(d.Impute(Mean{}, "pay").Quantile(Target{Epsilon: 1}, 0.5, "pay").Error(0.9)); !strings.Contains(p.Of, "near the value") {
		t.Errorf("a quantile within a width: %v", p)
	}
	prices := must(Demo(priceFrame(t, 2000), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	for epsilon, want := range map[float64]int{0.01: 1, 4: 0} { // beside one of the ignored column "id"
		fit := prices.FitLinear(AdaSSP{Epsilon: epsilon, Delta: 1e-6})
		c, p := must(fit.Cost()), must(fit.Error(0.9))
		if len(c.Warnings) != 1+want || len(p.Idle) != want || p.Level != 0 || len(p.Margin) != 1 {
			t.Errorf("a regression at ε = %g: warnings %q, %v", epsilon, c.Warnings, p)
		}
	}
}
