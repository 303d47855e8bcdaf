package dpkit

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// TestSessionPlan: the least budget keeps every margin and a little less keeps them no more; Gaussians need √Σμ² of what each needs alone.
func TestSessionPlan(t *testing.T) {
	t.Parallel()
	s := must(Create(tinyFrame(t, 400, 1), Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 2, Delta: 1.1e-6}, Reserve: 1e-7, Neighbours: AddRemove, Dataset: "test"}))
	defer s.Close()
	d := s.Data()
	filled := d.OneHot().Impute(Midpoint{}).Scale()
	type asked struct {
		plan          AnyPlan
		margin, level float64 // 0: of the noise of its own ε
	}
	count := asked{d.Count(Target{}.Within(15, 0.95), Is("work", "a")), 15, 0.95}
	mean := asked{filled.Mean(Target{}.Within(0.1, 0.9)), 0.1, 0.9}
	laplace := asked{d.Count(Target{Noise: NoiseLaplace}.Within(9, 0.9), Is("home", "x")), 9, 0.9}
	quantile := asked{d.Quantile(Target{}.Within(80, 0.9), 0.5, "age"), 80, 0.9}
	model := asked{filled.FitLogistic(ByGradient{Epsilon: 0.3, Delta: 1e-6, Steps: 2}), 0, 0}
	tested := asked{d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(300, Tested{Share: 0.2, Delta: 1e-8})}).Scale().Mean(Target{}.Within(0.2, 0.9)), 0.2, 0.9}
	for name, all := range map[string][]asked{
		"one": {count}, "Gaussians": {count, mean}, "with a model": {mean, model, count}, "mixed": {laplace, mean}, "pure": {laplace, quantile}, "tested": {count, tested},
	} {
		var plans []AnyPlan
		for _, a := range all {
			plans = append(plans, a.plan)
		}
		p, err := s.Plan(plans...)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		kept := func(pl *plan) bool {
			ok := true
			for i, part := range must(pl.joint.calibrated()).parts {
				if all[i].margin > 0 {
					ok = ok && slices.Max(part.q.made.Predicted.Margin(all[i].level)) <= all[i].margin*(1+1e-9)
				}
			}
			return ok
		}
		j := p.plan().joint
		if !kept(p.plan()) {
			t.Errorf("%s: %s does not keep what was asked", name, p)
		}
		less := j.target
		less.Epsilon *= 0.985
		var members []AnyPlan
		for _, m := range j.members {
			members = append(members, held{m})
		}
		if kept(newJoint(less, members)) && name != "with a model" {
			t.Errorf("%s: %g is not the least ε: %g keeps all, too", name, j.target.Epsilon, less.Epsilon)
		}
		if c := must(p.Cost()); !(c.Guarantee.Epsilon <= j.target.Epsilon) || len(c.Members) != len(all) || !(math.Abs(j.target.Delta-1e-6) < 1e-20) {
			t.Errorf("%s: %v for %+v", name, c.Guarantee, j.target)
		}
	}
	if st := must(s.Status()); st.Releases != 0 {
		t.Errorf("%d charges by plans", st.Releases)
	}
	p := must(s.Plan(count.plan, mean.plan))
	r, err := p.Release(t.Context())
	if err != nil || r.Status.Releases != 1 {
		t.Fatalf("released: %v", err)
	}
	if n, err := count.plan.(Plan[Estimates]).Of(r); err != nil || len(n.Value.Values) != 1 {
		t.Errorf("the count: %v", err)
	}
	_, err = s.Plan(d.Count(Target{}.Within(2, 0.95), Is("work", "a")), mean.plan)
	if !errors.Is(err, ledger.ErrBudget) || !strings.Contains(err.Error(), "left at δ = 1.1e-06") || must(s.Status()).Releases != 1 {
		t.Errorf("more than is left: %v", err)
	}
	failing := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(300, Tested{Share: 0.2, Delta: 2e-7})}).Scale().Mean(Target{}.Within(0.2, 0.9))
	if _, err = s.Plan(failing, count.plan); !errors.Is(err, ledger.ErrBudget) || !strings.Contains(err.Error(), "Reserve is left") {
		t.Errorf("more failures than the reserve: %v", err)
	}
}

// TestSessionPlanRefuses: what has no least budget is said.
func TestSessionPlanRefuses(t *testing.T) {
	f := tinyFrame(t, 100, 1)
	s := must(Demo(f, 1, ReplaceOne))
	d := s.Data()
	within := Target{Delta: 1e-6}.Within(10, 0.9)
	count := d.Count(within, Is("work", "a"))
	for _, c := range []struct {
		name, want string
		plans      []AnyPlan
	}{
		{"none", "give the target of one of them a δ", nil},
		{"no δ", "give the target of one of them a δ", []AnyPlan{d.Count(Target{}.Within(10, 0.9), Is("work", "a"))}},
		{"another session", "another session", []AnyPlan{must(Demo(f, 1, ReplaceOne)).Data().Count(within, Is("work", "a"))}},
		{"two sessions", "plan 2 of 2", []AnyPlan{count, must(Demo(f, 1, ReplaceOne)).Data().Count(within, Is("work", "b"))}},
		{"nil", "plan 2 of 2", []AnyPlan{count, nil}},
		{"nested", "plan 2 of 2", []AnyPlan{count, Together(Target{Epsilon: 1, Delta: 1e-6}, d.Histogram("work", Target{}))}},
		{"no accuracy", "plan 2 of 2", []AnyPlan{count, d.Histogram("work", Target{})}},
		{"margin 0", "margin: got 0", []AnyPlan{d.Count(Target{Delta: 1e-6}.Within(0, 0.9), Is("work", "a"))}},
		{"margin NaN", "margin: got NaN", []AnyPlan{d.Count(Target{Delta: 1e-6}.Within(math.NaN(), 0.9), Is("work", "a"))}},
		{"level 1", "level: got 1", []AnyPlan{d.Count(Target{Delta: 1e-6}.Within(9, 1), Is("work", "a"))}},
		{"no margin tells all", "no margin tells all", []AnyPlan{count, d.Impute(Mean{}, "pay").Quantile(Target{Delta: 1e-6}.Within(10, 0.9), 0.5, "pay")}},
	} {
		if p, err := s.Plan(c.plans...); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v (%v), want %q", c.name, p, err, c.want)
		}
	}
	open := must(OnPublic(frames.Public(f)))
	p, err := open.Plan(open.Data().Count(Target{}.Within(10, 0.9), Is("work", "a")))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Release(t.Context()); err != nil || r.NotPrivate == "" {
		t.Errorf("on public data: %v (%v)", r, err)
	}
	demo, err := s.Plan(count, d.Histogram("work", Target{}.Within(20, 0.9)))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := demo.Release(t.Context()); err != nil || r.NotPrivate == "" || len(r.Value.Results()) != 2 {
		t.Errorf("a demonstration: %v (%v)", r, err)
	}
}

// TestSessionPlanOfAProject: a project has a δ, a part for pure releases and a reserve of its own, which a plan of questions keeps too.
func TestSessionPlanOfAProject(t *testing.T) {
	dir := t.TempDir()
	budget := Budget{Epsilon: 2, Delta: 1e-6}
	for _, c := range []struct {
		name    string
		project ledger.Config
		delta   float64
		refused string
	}{
		{"the same", ledger.Config{Budget: budget, Pure: 1}, 1e-6, ""},
		{"of less δ", ledger.Config{Budget: Budget{Epsilon: 2, Delta: 1e-8}, Pure: 1}, 1e-8, ""},
		{"of little ε", ledger.Config{Budget: Budget{Epsilon: 0.05, Delta: 1e-6}}, 1e-6, "the project's ledger has"},
	} {
		c.project.Neighbours, c.project.Dataset = accountant.ReplaceOne, c.name
		p := must(ledger.Create(filepath.Join(dir, c.name), c.project))
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		s := must(Create(tinyFrame(t, 400, 1), Options{Ledger: filepath.Join(dir, c.name+"-child"), Budget: budget, Pure: 1, Neighbours: ReplaceOne, Dataset: "child", Project: c.name}))
		t.Cleanup(func() { _ = s.Close() })
		plan, err := s.Plan(s.Data().Count(Target{}.Within(30, 0.95), Is("work", "a")))
		if c.refused != "" {
			if err == nil || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: got %v, want %q", c.name, err, c.refused)
			}
			continue
		}
		if err != nil || plan.plan().joint.target.Delta != c.delta {
			t.Errorf("%s: δ = %v (%v), want %v", c.name, plan.plan().joint.target.Delta, err, c.delta)
			continue
		}
		if _, err := plan.Release(t.Context()); err != nil {
			t.Errorf("%s: what was planned is not charged: %v", c.name, err)
		}
	}
}
