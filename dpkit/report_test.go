package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

func publicSteps(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}).Scale() }

// TestReportRelease: a release with a report stays within its target, replays from the ledger, and its report bounds the
// losses that the audit finds; the part of the budget that the statistics take is noise on the coefficients.
func TestReportRelease(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	f := tinyFrame(t, 400, 2)
	fit := ByObjective{Epsilon: 1, Delta: 1e-6}
	const rho = 1e-12 // of each release: its noise is drawn anew in every run
	var plain float64
	for _, c := range []struct {
		name string
		r    PrivacyReport
		has  string
	}{
		{"independent", PrivacyReport{Rho: rho}, ""},
		{"chosen", PrivacyReport{Rho: rho, Share: 0.5}, "?"},
		{"all", PrivacyReport{Rho: rho, Share: 0.5, Gradient: 2, Hessian: 1, Eigenvalue: 1}, "gHλ"},
		{"gradient", PrivacyReport{Rho: rho, Share: 0.2, Gradient: 1}, "g"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: AddRemove, Dataset: "test"})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			plan := publicSteps(s.Data()).FitLogisticWithReport(fit, c.r)
			r := must(plan.Release(ctx))
			if g := r.Guarantee; !(g.Epsilon <= 1 && g.Epsilon > 0.99 && g.Delta <= 1e-6) {
				t.Errorf("priced at %v", g)
			}
			again := must(plan.Release(ctx))
			if !again.Replayed || fmt.Sprint(again.Value.Report.Theta) != fmt.Sprint(r.Value.Report.Theta) {
				t.Errorf("not replayed")
			}
			rep := r.Value.Report
			has := ""
			for _, v := range []struct {
				on   bool
				name string
			}{{rep.Gradient != nil, "g"}, {rep.Hessian != nil, "H"}, {rep.Eigenvalue != nil, "λ"}} {
				if v.on {
					has += v.name
				}
			}
			if has != c.has && c.has != "?" || c.has == "?" && has == "" {
				t.Errorf("the report has %q, want %q", has, c.has)
			}
			if c.name == "independent" {
				plain = rep.Sigma
			} else if want := plain / math.Sqrt(1-c.r.Share); rep.Sigma > want*(1+1e-3) || rep.Sigma < want*7/8 { // less where a larger ridge was chosen
				t.Errorf("σ = %g, want %g", rep.Sigma, want)
			}
			for j, v := range r.Value.Coef {
				if v != rep.Theta[j] {
					t.Errorf("coefficient %d: model %g, report %g", j, v, rep.Theta[j])
				}
			}
			views := must(r.Value.Views(ctx, frames.Public(f), pdp.ForAllRows))
			a := must(plan.Audit(ctx, r.Value))
			losses, ok := a.Losses.Open()
			if !ok || len(losses) != 400 || len(views) != 400 {
				t.Fatalf("%d losses, %d views", len(losses), len(views))
			}
			for i, v := range views {
				if !(math.Abs(losses[i]) <= v.Model) { // for all rows: with probability 1 − ρ
					t.Errorf("row %d: loss %g, bound %g", i, losses[i], v.Model)
				}
			}
			if s := fmt.Sprintf("%v %+v", a, a); !strings.Contains(s, "curator") || strings.Contains(s, fmt.Sprint(losses[0])) {
				t.Errorf("the audit prints %s", s)
			}
			if _, err := json.Marshal(a); !errors.Is(err, pdp.ErrCuratorOnly) {
				t.Errorf("the audit serialises: %v", err)
			}
		})
	}
}

// TestAuditIsTheDensityRatio: losses of the session's audit equal those of rows that were encoded by hand, and those of the
// model's plan are the same.
func TestAuditIsTheDensityRatio(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 300, 4)
	s := must(Demo(f, 3, AddRemove))
	o := ByObjective{Epsilon: 2, Delta: 1e-5}
	plan := publicSteps(s.Data()).FitLogistic(o)
	r := must(plan.Release(ctx))
	a := must(plan.Audit(ctx, r.Value))
	got, _ := a.Losses.Open()

	q := must(plan.plan().quote())
	rows := must(q.apply(ctx, s.src, nil))
	pl := must(glm.ObjectiveFit{How: o}.Task().Calibrate(rows.q.end))
	var x [][]float64
	var y []float64
	must(0, stage.ScanRows(ctx, rows.rows, func(row []float64, label float64) {
		x = append(x, append(append([]float64{}, row...), pl.C))
		y = append(y, 2*label-1)
	}))
	release := pdp.ObjectivePerturbation{
		Theta: append(append([]float64{}, r.Value.Coef...), r.Value.Intercept/pl.C), Sigma: pl.Sigma, Lambda: pl.Lambda, Loss: pdp.Logistic{},
	}
	audit := must(release.Audit(x, y))
	for i := range x {
		want, _ := must(audit.Member(i)).Open()
		if !(math.Abs(got[i]-want) <= 1e-10) {
			t.Fatalf("row %d: %.15g, by hand %.15g", i, got[i], want)
		}
	}
}

func TestReportRefusals(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 60, 1)
	data := func(rel accountant.Neighbours) Pipeline { return must(Demo(f, 1, rel)).Data() }
	fit := ByObjective{Epsilon: 1, Delta: 1e-6}
	ok := PrivacyReport{Rho: 0.1}
	for _, c := range []struct {
		name string
		plan Plan[ReportedLogistic]
		text string
		want error
	}{
		{"replace-one", publicSteps(data(ReplaceOne)).FitLogisticWithReport(fit, ok), "use AddRemove", ErrOrder},
		{"no ρ", publicSteps(data(AddRemove)).FitLogisticWithReport(fit, PrivacyReport{}), "Rho: got 0", ErrParameter},
		{"NaN ρ", publicSteps(data(AddRemove)).FitLogisticWithReport(fit, PrivacyReport{Rho: math.NaN()}), "Rho", ErrParameter},
		{"tiny ρ", publicSteps(data(AddRemove)).FitLogisticWithReport(fit, PrivacyReport{Rho: 1e-25}), "samplers", ErrParameter},
		{"share 1", publicSteps(data(AddRemove)).FitLogisticWithReport(fit, PrivacyReport{Rho: 0.1, Share: 1}), "Share", ErrParameter},
		{"parts of nothing", publicSteps(data(AddRemove)).FitLogisticWithReport(fit, PrivacyReport{Rho: 0.1, Gradient: 1}), "Gradient", ErrParameter},
		{"alone", publicSteps(data(AddRemove)).FitLogisticWithReport(ByObjective{Epsilon: 1, Delta: 1e-6, Alone: true}, PrivacyReport{Rho: 0.1, Share: 0.1}), "want ByObjective without Alone", ErrOrder},
		{"Kifer", publicSteps(data(AddRemove)).FitLogisticWithReport(baseline.Kifer2012{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: 0.1, Share: 0.5}), "want ByObjective without Alone", ErrOrder},
		{"by gradient", publicSteps(data(AddRemove)).FitLogisticWithReport(ByGradient{Epsilon: 1, Delta: 1e-6}, ok), "want dpkit.ByObjective", ErrParameter},
		{"no method", publicSteps(data(AddRemove)).FitLogisticWithReport(nil, ok), "want dpkit.ByObjective", ErrParameter},
		{"fitted", data(AddRemove).OneHot().Impute(Mean{}).Scale().FitLogisticWithReport(fit, ok), "use FitLogistic", ErrOrder},
		{"private steps", data(AddRemove).OneHot().Impute(PrivateMean{Share: 0.1}).Scale().FitLogisticWithReport(fit, ok), "private queries", ErrOrder},
		{"removes", publicSteps(data(AddRemove).Dedup(Exact{})).FitLogisticWithReport(fit, ok), "removes rows", ErrOrder},
		{"no ε", publicSteps(data(AddRemove)).FitLogisticWithReport(ByObjective{Delta: 1e-6}, ok), "epsilon", accountant.ErrEpsilon},
	} {
		if _, err := c.plan.Cost(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v and %q", c.name, err, c.want, c.text)
		}
	}
	pub := must(OnPublic(frames.Public(f)))
	if _, err := publicSteps(pub.Data()).FitLogisticWithReport(fit, ok).Release(ctx); !errors.Is(err, ErrParameter) {
		t.Errorf("public data: got %v", err)
	}
	if _, err := publicSteps(pub.Data()).FitLogistic(fit).Audit(ctx, LogisticModel{}); !errors.Is(err, ErrParameter) {
		t.Errorf("audit of public data: got %v", err)
	}
	if _, err := publicSteps(data(AddRemove)).FitLogistic(fit).Audit(ctx, LogisticModel{}); !errors.Is(err, ErrParameter) {
		t.Errorf("audit of another model: got %v", err)
	}
	if _, err := publicSteps(data(AddRemove)).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Audit(ctx, LogisticModel{}); !errors.Is(err, ErrParameter) {
		t.Errorf("audit of descent: got %v", err)
	}
	if _, err := publicSteps(data(ReplaceOne)).FitLogistic(fit).Audit(ctx, LogisticModel{}); !errors.Is(err, ErrOrder) {
		t.Errorf("audit under replace-one: got %v", err)
	}
	var m ReportedLogistic
	if _, err := m.Views(ctx, nil, pdp.ForOne); !errors.Is(err, ErrParameter) {
		t.Errorf("views of nothing: got %v", err)
	}
	if _, err := m.Views(ctx, frames.Public(f), pdp.ForOne); !errors.Is(err, ErrColumn) {
		t.Errorf("views of another label: got %v", err)
	}
}
