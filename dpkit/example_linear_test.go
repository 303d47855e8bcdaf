package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Least squares for a numeric label, by a method whose intervals are exact.
func ExamplePipeline_FitLinear() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 20000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X = append(block.X, hours)
		block.Y = append(block.Y, 20+6*hours+float64(i%7)-3)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)

	fit := session.Data().Scale().FitLinear(dpkit.LinearMixing{Epsilon: 1, Delta: 1e-9})
	cost, err := fit.Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	r, err := fit.Release(context.Background())
	check(err)
	rmse, err := r.Value.RMSE(context.Background(), frames.Public(rows))
	check(err)
	intervals, err := r.Value.Intervals(0.95)
	check(err)
	fmt.Println(r.Value)
	fmt.Println("is off by less than 4 points:", rmse < 4, "and has", len(intervals), "intervals")
	// Output:
	// (1, 1e-09)-DP, add/remove, unconditional
	// linear model of score on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// is off by less than 4 points: true and has 2 intervals
}

// Gradient descent with noise that follows the gradient. What its relative sensitivity rests on, the least eigenvalue of the rows'
// second moments, is asked for privately first.
func ExamplePipeline_FitLinear_relativeGaussian() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 50000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X = append(block.X, hours)
		block.Y = append(block.Y, 20+6*hours+float64(i%7)-3)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Scale().FitLinear(dpkit.RelativeGaussianDescent{
		Epsilon: 1, Delta: 1e-6,
		Strength: dpkit.Bound(dpkit.Tested{Share: 0.1, Delta: 1e-8}),
	}).Release(context.Background())
	check(err)
	fmt.Println(r.Cost.Guarantee)
	rmse, err := r.Value.RMSE(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println("off by less than 4 points:", rmse < 4)
	// Output:
	// (1, 1e-06)-DP, replace-one, tested: least eigenvalue of the rows' mean second moments (Strength)
	// off by less than 4 points: true
}

// The least ε for a model whose expected error is within a margin, in the units of Plan.Error: known before anything is spent.
func ExamplePlan_within() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 5000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X, block.Y = append(block.X, hours), append(block.Y, 20+6*hours)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	plan := session.Data().Scale().FitLinear(dpkit.AdaSSP{Delta: 1e-6}).Within(0.001, 0)
	fmt.Println(plan)
	// Output:
	// Scale().FitLinear(AdaSSP{Epsilon: 0.139, Delta: 1e-06})
}
