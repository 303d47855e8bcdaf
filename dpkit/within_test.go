package dpkit

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// TestPlanWithin: a plan of whatever options gets the least ε of three digits that keeps what is predicted of it; its text is that of a plan
// with this ε.
func TestPlanWithin(t *testing.T) {
	d := must(Demo(priceFrame(t, 2000), 1, AddRemove)).Data()
	rows := d.OneHot().Impute(Midpoint{}).Scale()
	const delta = 1e-6
	for name, c := range map[string]struct {
		level float64
		plan  func(epsilon float64) within
	}{
		"AdaSSP": {0, func(e float64) within { return withinOf(rows.FitLinear(AdaSSP{Epsilon: e, Delta: delta})) }},
		"best":   {0, func(e float64) within { return withinOf(rows.FitLinear(BestLinear{Epsilon: e, Delta: delta})) }},
		"output": {0, func(e float64) within {
			return withinOf(rows.FitLinear(OutputPerturbation{Epsilon: e, Delta: delta}))
		}},
		"count": {0.9, func(e float64) within {
			return withinOf(d.Count(Target{Epsilon: e, Delta: delta}, Is("area", "north")).Named("n"))
		}},
		"Gram": {0.9, func(e float64) within {
			return withinOf(rows.Gram(Target{Epsilon: e, Delta: delta}))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, epsilon := range []float64{0.4, 3} {
				level := c.level
				if level == 0 {
					level = 0.5 // of an expectation any
				}
				off := func(w within) float64 {
					worst := 0.0
					for _, m := range must(w.Error(level)).Margin {
						worst = max(worst, m)
					}
					return worst
				}
				want := off(c.plan(epsilon))
				got := c.plan(0).Within(want, c.level)
				e := must(got.Cost()).Guarantee.Epsilon
				if !(e <= 1.012*epsilon) || !(off(got) <= want*(1+1e-9)) {
					t.Errorf("within %g: ε = %g, want at most %g; off by %g", want, e, epsilon, off(got))
				}
				if lower := c.plan(math.Nextafter(e, 0) * 0.97); !(off(lower) >= want*(1-1e-9)) {
					t.Errorf("within %g: ε = %g, but %g is enough", want, e, 0.97*e)
				}
				if text := fmt.Sprint(got); strings.Contains(text, "ε = 0,") || strings.Contains(text, "Named") != (name == "count") {
					t.Errorf("the plan is %s", text)
				}
			}
		})
	}
}

// within is a plan of any value.
type within interface {
	Within(margin, level float64) within
	Cost() (Cost, error)
	Error(level float64) (cost.Prediction, error)
	String() string
}

type withinPlan[V any] struct{ Plan[V] }

func (w withinPlan[V]) Within(margin, level float64) within {
	return withinPlan[V]{w.Plan.Within(margin, level)}
}

func withinOf[V any](p Plan[V]) within { return withinPlan[V]{p} }

func TestPlanWithinMistakes(t *testing.T) {
	d := must(Demo(priceFrame(t, 200), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	free := AdaSSP{Delta: 1e-6}
	paid := free
	paid.Epsilon = 1
	count := d.Count(Target{Delta: 1e-6}, Between("age", 0, 1))
	for name, c := range map[string]struct {
		plan within
		want string
	}{
		"a level of an expectation":    {withinOf(d.FitLinear(free).Within(0.01, 0.9)), "an expectation"},
		"no level":                     {withinOf(count.Within(3, 0)), "level: got 0"},
		"a level above 1":              {withinOf(count.Within(3, 2)), "level: got 2"},
		"NaN":                          {withinOf(d.FitLinear(free).Within(math.NaN(), 0)), "positive finite number"},
		"an ε too":                     {withinOf(d.FitLinear(paid).Within(0.01, 0)), "want 0"},
		"too small":                    {withinOf(d.FitLinear(free).Within(1e-12, 0)), "want a larger one"},
		"a margin after a target's":    {withinOf(d.Count(Target{Delta: 1e-6}.Within(-1, 0.9), Between("age", 0, 1)).Within(3, 0.9)), "positive finite number"},
		"a margin twice":               {withinOf(count.Within(3, 0.9).Within(4, 0.9)), "want 0"},
		"an ε that the options forget": {withinOf(d.FitLinear(nil).Within(0.1, 0)), "no ε to look for"},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := c.plan.Cost(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	var none Pipeline
	if _, err := none.FitLinear(free).Within(0.1, 0).Cost(); err == nil {
		t.Error("a pipeline without a session has a price")
	}
}
