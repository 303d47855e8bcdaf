package dpkit_test

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// Encodings that look at private rows are priced; public ones are free.
func ExamplePipeline_TargetEncode() {
	rows, err := datasets.SyntheticAdult(20000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	data := session.Data().Select("workclass", "age")
	for _, way := range []struct {
		name string
		p    dpkit.Pipeline
	}{
		{"one column for each level", data.OneHot()},
		{"public order", data.Ordinal()},
		{"frequencies", data.FrequencyEncode()},
		{"means of the label", data.TargetEncode(dpkit.TargetPrior{Weight: 20, Value: 0.25})},
		{"ranks of a number", data.RankTransform("age").OneHot()},
		{"deciles of a number", data.QuantileBin(10, "age").OneHot()},
		{"public bins of a number", data.Bin([]float64{30, 45, 60}, "age").OneHot()},
	} {
		plan := way.p.Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
		cost, err := plan.Cost() // reads no row
		check(err)
		fmt.Printf("%s: noise × %.1f\n", way.name, cost.Release.Amplification())
	}
	// Output:
	// one column for each level: noise × 1.0
	// public order: noise × 1.0
	// frequencies: noise × 6.3
	// means of the label: noise × 11.6
	// ranks of a number: noise × 6.3
	// deciles of a number: noise × 5.8
	// public bins of a number: noise × 1.0
}

// A function of a row is public code: registered by name and version, it becomes part of the model.
func ExampleRegisterFunc() {
	check(dpkit.RegisterFunc("log1p", "1", func(x []float64) float64 { return math.Log1p(x[0]) }))
	rows, err := datasets.SyntheticAdult(20000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	result, err := session.Data().Select("capital-gain", "age").
		Mutate("log gain", dpkit.MutateOptions{From: []string{"capital-gain"}, Func: "log1p", Version: "1", Lo: 0, Hi: 12}).
		Impute(dpkit.Midpoint{}, "log gain").
		Scale().
		FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6}).
		Release(context.Background())
	check(err)
	fmt.Println(result.Value.Columns, result.Cost.Release.Amplification())
	// Output:
	// [age capital-gain log gain] 1
}
