package dpkit

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func TestCostSaysWhatTheLedgerCharges(t *testing.T) {
	f := tinyFrame(t, 60, 1)
	s := private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-5})
	for name, c := range map[string]struct {
		plan    Plan[Estimates]
		charged bool
		hint    bool
	}{
		"Laplace":             {s.Data().Count(Target{Epsilon: 0.3, Noise: NoiseLaplace}, Is("income", "high")), true, true},
		"Gaussian, smaller δ": {s.Data().Count(Target{Epsilon: 1, Delta: 1e-6}, Is("income", "high")), true, false},
		"Gaussian, its δ":     {s.Data().Count(Target{Epsilon: 1, Delta: 1e-5}, Is("income", "high")), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			cost := must(c.plan.Cost())
			r := must(c.plan.Release(t.Context()))
			for _, text := range []string{cost.String(), r.String()} {
				if strings.Contains(text, "a ledger at δ = 1e-05 charges this as ε = ") != c.charged || strings.Contains(text, "Gaussian noise composes for less") != c.hint {
					t.Errorf("%s", text)
				}
			}
			if text := cost.String(); strings.Contains(text, "preprocessing") || cost.Amplified() {
				t.Errorf("no preprocessing:\n%s", text)
			}
			if len(cost.Warnings) > 0 || len(r.Status.Warnings) > 0 {
				t.Errorf("warnings %q, %q", cost.Warnings, r.Status.Warnings)
			}
		})
	}
	if cost := must(must(Demo(f, 1, ReplaceOne)).Data().Count(Target{Epsilon: 0.3, Noise: NoiseLaplace}, Is("income", "high")).Cost()); cost.ChargedAs() != "" {
		t.Errorf("a charge without a ledger: %s", cost.ChargedAs())
	}
	if text := must(s.Data().OneHot().Impute(Mean{}, "pay").Impute(Midpoint{}).Sum(gaussianTarget, "pay").Cost()).String(); !strings.Contains(text, "would be sold as") {
		t.Errorf("preprocessing is not counted:\n%s", text)
	}
}

func TestLargeDeltaIsWarnedOf(t *testing.T) {
	const said = "is not below 1/n (n = 60 rows)"
	s := private(t, tinyFrame(t, 60, 1), ledgerPath(t), Budget{Epsilon: 3, Delta: 1.0 / 59})
	if st := must(s.Status()); len(st.Warnings) != 1 || !strings.Contains(st.Warnings[0], said) {
		t.Errorf("budget: %q", st.Warnings)
	}
	for delta, warned := range map[float64]bool{1.0 / 59: true, 1.0 / 60: true, 1e-3: false} {
		plan := s.Data().Count(Target{Epsilon: 0.1, Delta: delta}, Is("income", "high"))
		cost := must(plan.Cost())
		if got := strings.Contains(cost.String(), "the release's δ") && strings.Contains(cost.String(), said); got != warned {
			t.Errorf("δ = %v:\n%s", delta, cost)
		}
	}
}

// TestNamesOfPeopleAreWarnedOf: where rows are protected one by one and an ignored column is named like a person, whoever asks for a price reads it.
func TestNamesOfPeopleAreWarnedOf(t *testing.T) {
	const said = `the ignored column "customer_id" is named like a person`
	for name, col := range map[string]frames.Column{"ignored": frames.Ignored("customer_id"), "a person": frames.Person("customer_id")} {
		s := must(frames.NewSchema(col, frames.Numeric("stay", 0, 30)))
		f := must(frames.ParseCSV(strings.NewReader("a,1\nb,2\na,3\n"), "v", s, frames.CSVOptions{}))
		p := must(Demo(f, 1, ReplaceOne)).Data()
		if col.Kind == frames.KindPerson {
			p = p.PerPerson(MeanOf{Column: "stay"})
		}
		plan := p.Mean(Target{Epsilon: 1, Delta: 1e-6})
		for at, text := range map[string]string{
			"chain": must(p.Explain()), "plan": must(plan.Explain()), "cost": must(plan.Cost()).String(), "result": must(plan.Release(t.Context())).Cost.String(),
		} {
			if strings.Contains(text, said) != (col.Kind == frames.KindIgnored) {
				t.Errorf("%s, %s:\n%s", name, at, text)
			}
		}
	}
}
