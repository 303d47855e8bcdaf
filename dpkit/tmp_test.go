package dpkit_test

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func TestTmpRatio(t *testing.T) {
	ctx := t.Context()
	for name, load := range map[string]func() (*frames.Frame, string, error){"kidney": datasets.Kidney, "credit": datasets.Credit} {
		f, _, err := load()
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			what  string
			o     dpkit.ObjectivePerturbation
			share float64
		}{
			{"indep alone", dpkit.ObjectivePerturbation{Epsilon: 1, Delta: 1e-5, Alone: true}, 0},
			{"indep", dpkit.ObjectivePerturbation{Epsilon: 1, Delta: 1e-5}, 0},
			{"dep .3", dpkit.ObjectivePerturbation{Epsilon: 1, Delta: 1e-5}, 0.3},
			{"dep .67", dpkit.ObjectivePerturbation{Epsilon: 1.8, Delta: 1e-5}, 0.667},
		} {
			var ratios []float64
			var last string
			for seed := range uint64(30) {
				s, err := dpkit.Demo(f, seed, dpkit.AddRemove)
				if err != nil {
					t.Fatal(err)
				}
				chain := s.Data().OneHot()
				if name == "kidney" {
					chain = chain.Impute(dpkit.Midpoint{})
				}
				plan := chain.Scale().FitLogisticWithReport(c.o, dpkit.PrivacyReport{Rho: 0.1, Share: c.share})
				r, err := plan.Release(ctx)
				if err != nil {
					t.Fatal(err)
				}
				a, err := plan.Audit(ctx, r.Value)
				if err != nil {
					t.Fatal(err)
				}
				losses, _ := a.Losses.Open()
				views, err := r.Value.Views(ctx, frames.Public(f), pdp.ForOne)
				if err != nil {
					t.Fatal(err)
				}
				for i, v := range views {
					ratios = append(ratios, v.Model/math.Abs(losses[i]))
				}
				rep := r.Value.Report
				last = ""
				if rep.Gradient != nil {
					last += " g"
				}
				if rep.Hessian != nil {
					last += " H"
				}
				if rep.Eigenvalue != nil {
					last += " l"
				}
				if seed == 0 {
					t.Log(rep.Sigma, rep.Lambda, rep.Output, rep.Near, views[0].Model, losses[0], losses[1], losses[2])
				}
			}
			slices.Sort(ratios)
			t.Logf("%s %s: median ratio %.3g, quartiles %.3g %.3g, %s", name, c.what, ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[len(ratios)*3/4], last)
		}
	}
}
