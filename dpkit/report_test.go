package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
)

func TestReportTmp(t *testing.T) {
	ctx := t.Context()
	f := tinyFrame(t, 600, 2)
	s := must(Demo(f, 7, AddRemove))
	plan := s.Data().OneHot().Impute(Midpoint{}).Scale()
	for _, share := range []float64{0, 0.5} {
		fit := plan.FitLogisticWithReport(ObjectivePerturbation{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: 0.05, Share: share})
		r := must(fit.Release(ctx))
		t.Log(r.Cost)
		t.Logf("near %g output %g slip %g sigma %g lambda %g", r.Value.Report.Near, r.Value.Report.Output, r.Value.Report.Slip, r.Value.Report.Sigma, r.Value.Report.Lambda)
		views := must(r.Value.Views(ctx, frames.Public(f), pdp.ForOne))
		a := must(fit.Audit(ctx, r.Value))
		losses, _ := a.Losses.Open()
		missed := 0
		for i, v := range views {
			if i < 5 {
				t.Log(v, losses[i], v.Model)
			}
			if math.Abs(losses[i]) > v.Model {
				missed++
			}
		}
		t.Log("missed", missed)
	}
}
