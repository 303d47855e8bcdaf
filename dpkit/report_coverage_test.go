package dpkit

import (
	"encoding/json"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestReportCoverage: 300 releases of each kind from session to JSON and back. For each of some rows and of some records that
// are not in the table the published bound fails no more often than ρ. A count of failures is compared with the binomial law
// of the rate ρ, whose tail from the limit on is below 1e-11: with 18 counts a false alarm has a probability below 2e-10.
func TestReportCoverage(t *testing.T) {
	t.Parallel()
	const runs, rho = 300, 0.1
	limit := 0
	for tail := 1.0; tail > 1e-11; limit++ {
		tail = 0
		for k := limit; k <= runs; k++ {
			a, _ := math.Lgamma(runs + 1)
			b, _ := math.Lgamma(float64(k) + 1)
			c, _ := math.Lgamma(float64(runs-k) + 1)
			tail += math.Exp(a - b - c + float64(k)*math.Log(rho) + float64(runs-k)*math.Log1p(-rho))
		}
	}
	ctx := t.Context()
	const n = 60
	f := tinyFrame(t, n, 7)
	for _, c := range []struct {
		name string
		fit  ByObjective
		r    PrivacyReport
	}{
		{"independent", ByObjective{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: rho}},
		{"gradient", ByObjective{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: rho, Share: 0.5, Gradient: 1}},
		{"all statistics", ByObjective{Epsilon: 8, Delta: 1e-5, Lambda: 1}, PrivacyReport{Rho: rho, Share: 0.6, Gradient: 2, Hessian: 1, Eigenvalue: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			members := []int{0, 17, 42}
			var missed, outside [3]int
			var ratios []float64
			for run := range runs {
				s := must(Demo(f, uint64(1000+run), AddRemove))
				plan := publicSteps(s.Data()).FitLogisticWithReport(c.fit, c.r)
				r := must(plan.Release(ctx))
				var stored ReportedLogistic
				must(0, json.Unmarshal(must(json.Marshal(r.Value)), &stored))
				views := must(stored.MemberViews(ctx, frames.Public(f), pdp.ForOne))
				losses, _ := must(plan.Audit(ctx, r.Value)).Losses.Open()
				for j, i := range members {
					if math.Abs(losses[i]) > views[i].Model {
						missed[j]++
					}
					ratios = append(ratios, views[i].Model/math.Abs(losses[i]))
				}

				q := must(plan.plan().quote())
				rows := must(q.apply(ctx, s.src, nil))
				pl := must(glm.ObjectiveFit{How: c.fit}.Task().CalibrateBeside(q.end, c.r.Share))
				var x [][]float64
				var y []float64
				must(0, stage.ScanRows(ctx, rows.rows, func(row []float64, label float64) {
					x, y = append(x, append(append([]float64{}, row...), pl.C)), append(y, 2*label-1)
				}))
				o := pdp.ObjectivePerturbation{Theta: r.Value.Report.Theta, Sigma: pl.Sigma, Lambda: pl.Lambda, Loss: pdp.Logistic{}}
				a := must(o.Audit(x, y))
				bounds := must(stored.Report.Bounds(pdp.ForOne))
				for j := range outside {
					// The j-th row turned around, at the edge of the ball, with the other label.
					row, size := make([]float64, pl.D), num.Norm2(x[j][:pl.D])
					for at := range row {
						row[at] = -x[j][at] / size * pl.R * (1 - 1e-9)
					}
					loss, _ := must(a.NonMember(append(append([]float64{}, row...), pl.C), -y[j])).Open()
					if math.Abs(loss) > must(bounds.NonMember(row, -y[j])).Model {
						outside[j]++
					}
				}
			}
			slices.Sort(ratios)
			t.Logf("members beyond in %v, others in %v of %d runs; median bound/true %.3g", missed, outside, runs, ratios[len(ratios)/2])
			for j := range missed {
				if missed[j] >= limit || outside[j] >= limit {
					t.Errorf("beyond the bound in %v and %v of %d runs, want fewer than %d", missed, outside, runs, limit)
				}
			}
		})
	}
}
