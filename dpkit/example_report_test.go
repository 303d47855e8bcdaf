package dpkit_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// halves is a table of two numeric features and a class.
func halves(rows int) *frames.Frame {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.Numeric("age", 18, 90), frames.Label("passed", "no", "yes"))
	check(err)
	block := &frames.Block{Rows: rows, Cols: 2}
	for i := range rows {
		hours, age := float64(i%101)/10, float64(18+i%71)
		block.X = append(block.X, hours, age)
		block.Y = append(block.Y, float64(min(1, int(hours)/5)))
	}
	f, err := frames.FromBlock(schema, block)
	check(err)
	return f
}

// A model and a report that tells everybody what the model can have cost them, as JSON that any process evaluates.
func ExamplePipeline_FitLogisticWithReport() {
	session, err := dpkit.Demo(halves(5000), 1, dpkit.AddRemove)
	check(err)
	fit := session.Data().Scale().FitLogisticWithReport(
		dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}, dpkit.PrivacyReport{Rho: 0.05})
	r, err := fit.Release(context.Background())
	check(err)

	published, err := json.Marshal(r.Value.Report)
	check(err)
	var report pdp.Report
	check(json.Unmarshal(published, &report))
	bounds, err := report.Bounds(pdp.ForOne)
	check(err)
	view, err := bounds.At([]float64{0.2, -0.1}, 1) // a person's row, scaled as the model's columns are
	check(err)
	fmt.Println(view)
	// Output:
	// your loss is at most 0.0304 (worst case 1), with probability 0.95
}

// What owners of rows that were fitted are told: here two people ask.
func ExampleReportedLogistic_MemberViews() {
	session, err := dpkit.Demo(halves(5000), 1, dpkit.AddRemove)
	check(err)
	fit := session.Data().Scale().FitLogisticWithReport(
		dpkit.ByObjective{Epsilon: 1, Delta: 1e-6, Lambda: 20}, dpkit.PrivacyReport{Rho: 0.05})
	r, err := fit.Release(context.Background())
	check(err)
	views, err := r.Value.MemberViews(context.Background(), frames.Public(halves(2)), pdp.ForOne)
	check(err)
	for _, v := range views {
		fmt.Println(v)
	}
	// Output:
	// your loss is at most 0.00622 (worst case 1), with probability 0.95
	// your loss is at most 0.0066 (worst case 1), with probability 0.95
}

// What a release cost each row, for the curator alone: nothing prints until it is opened.
func ExamplePlan_Audit() {
	session, err := dpkit.Demo(halves(5000), 1, dpkit.AddRemove)
	check(err)
	fit := session.Data().Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6})
	r, err := fit.Release(context.Background())
	check(err)
	audit, err := fit.Audit(context.Background(), r.Value)
	check(err)
	fmt.Println(audit.Losses)
	losses, ok := audit.Losses.Open()
	fmt.Println(len(losses), ok)
	// Output:
	// for the curator only: use Open
	// 5000 true
}

// Second moments with noise of the Gaussian orthogonal ensemble.
func ExamplePipeline_Gram() {
	session, err := dpkit.Demo(halves(5000), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().Gram(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	spread, err := r.Value.Spread(0.05)
	check(err)
	fmt.Println(r.Value)
	fmt.Printf("with probability 95 %% no eigenvalue is off by more than %.3g\n", spread)
	// Output:
	// second moments of 2 columns with noise 4.2247 on the diagonal; counted: columns in units of their bounds; NOT PRIVATE: a demonstration: its noise is reproducible
	// with probability 95 % no eigenvalue is off by more than 10.9
}
