package dpkit

import (
	"errors"
	"slices"
	"testing"
)

// TestFitLogisticBySolvers: with a solver the fit is that of FitConvex with the logistic loss, and with full batches that without one.
func TestFitLogisticBySolvers(t *testing.T) {
	f := tinyFrame(t, 200, 4)
	data := func() Pipeline { return must(Demo(f, 3, ReplaceOne)).Data().OneHot().Impute(Midpoint{}).Scale() }
	plain := ByGradient{Epsilon: 1, Delta: 1e-5, Steps: 5}
	for _, c := range []struct {
		name  string
		spoil func(*ByGradient)
	}{
		{"Poisson", func(g *ByGradient) { g.Solver = PoissonSampling{Rate: 0.2} }},
		{"batches", func(g *ByGradient) { g.Solver = WithoutReplacement{Batch: 20} }},
		{"by iteration", func(g *ByGradient) { g.Solver, g.Steps, g.Average = ByIteration{}, 0, AverageLast }},
		{"falling steps", func(g *ByGradient) { g.Rule = StepInverseSqrt }},
		{"the last iterate", func(g *ByGradient) { g.Average = AverageLast }},
		{"a pointer", func(g *ByGradient) { g.Solver = &PoissonSampling{Rate: 0.2} }},
	} {
		g := plain
		c.spoil(&g)
		a := must(data().FitLogistic(g).Release(t.Context()))
		b := must(data().FitConvex(LogLoss{}, g).Release(t.Context()))
		if !slices.Equal(a.Value.Coef, b.Value.Coef[0]) || a.Value.Intercept != b.Value.Intercept[0] || a.Guarantee.Epsilon != b.Guarantee.Epsilon {
			t.Errorf("%s: got %v at %v, want %v at %v", c.name, a.Value.Coef, a.Guarantee, b.Value.Coef[0], b.Guarantee)
		}
	}
	full := plain
	full.Solver = FullBatch{}
	if a, b := must(data().FitLogistic(plain).Release(t.Context())), must(data().FitLogistic(full).Release(t.Context())); !slices.Equal(a.Value.Coef, b.Value.Coef) {
		t.Errorf("full batches: got %v, want %v", b.Value.Coef, a.Value.Coef)
	}
}

// TestFitLogisticWays: a method by pointer is that method, and none is refused, where the plan is priced.
func TestFitLogisticWays(t *testing.T) {
	d := must(Demo(tinyFrame(t, 100, 4), 3, ReplaceOne)).Data().OneHot().Impute(Midpoint{}).Scale()
	for name, how := range map[string][2]LogisticMethod{
		"by gradient":  {ByGradient{Epsilon: 1, Delta: 1e-6}, &ByGradient{Epsilon: 1, Delta: 1e-6}},
		"by objective": {ByObjective{Epsilon: 1, Delta: 1e-6}, &ByObjective{Epsilon: 1, Delta: 1e-6}},
		"by mixing":    {ByMixing{Epsilon: 1, Delta: 1e-6}, &ByMixing{Epsilon: 1, Delta: 1e-6}},
	} {
		if a, b := d.FitLogistic(how[0]).String(), d.FitLogistic(how[1]).String(); a != b {
			t.Errorf("%s: got %s, want %s", name, b, a)
		}
	}
	for name, plan := range map[string]Plan[LogisticModel]{"nil": d.FitLogistic(nil), "a nil pointer": d.FitLogistic((*ByObjective)(nil))} {
		if _, err := plan.Cost(); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want that it is refused", name, err)
		}
		if _, err := plan.Release(t.Context()); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: released: %v", name, err)
		}
		if _, err := plan.Explain(); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: explained: %v", name, err)
		}
	}
}
