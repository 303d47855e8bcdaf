package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// Counts, sums and quantiles of pure ε. The count is of rows that meet public conditions.
func ExamplePipeline_Quantile() {
	rows, err := datasets.SyntheticAdult(20000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	data, ctx := session.Data(), context.Background()

	median, err := data.Quantile(dpkit.Target{Epsilon: 0.5}, 0.5, "age").Release(ctx)
	check(err)
	within, err := median.Value.RankMargin(0.95)
	check(err)
	fmt.Printf("the median within %.0f rows\n", within)

	young := data.Count(dpkit.Target{Epsilon: 0.5, Noise: dpkit.NoiseLaplace}, dpkit.Between("age", 17, 25))
	cost, err := young.Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	// Output:
	// the median within 56 rows
	// (0.5, 0)-DP, replace-one, unconditional
}

// How far off a release will be is known before anything is spent, and so is the ε that keeps it close enough.
func ExampleTarget_Within() {
	rows, err := datasets.SyntheticAdult(20000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	data := session.Data()
	predicted, err := data.Count(dpkit.Target{Epsilon: 0.5, Delta: 1e-6}, dpkit.Between("age", 65, 90)).Error(0.95)
	check(err)
	fmt.Print(predicted)
	plan := data.Count(dpkit.Target{Delta: 1e-6}.Within(30, 0.95), dpkit.Between("age", 65, 90))
	fmt.Println(plan)
	// Output:
	// noise on each value, in its units, with probability 0.95
	//    Between("age", 65, 90): ± 15.7927
	// Count(ε = 0.252, δ = 1e-06, Between("age", 65, 90))
}
