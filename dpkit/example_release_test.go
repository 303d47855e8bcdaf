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

	young := data.Count(dpkit.Target{Epsilon: 0.5, Noise: dpkit.LaplaceNoise}, dpkit.Between("age", 17, 25))
	cost, err := young.Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	// Output:
	// the median within 40 rows
	// (0.5, 0)-DP, replace-one, unconditional
}

// A bound that the paper prints, and what is known of it.
func ExampleTable2() {
	table, err := dpkit.Table2(dpkit.PaperSetting{
		Order: 11, Epsilon: 0.1, Rows: 100_000, Columns: 1,
		Cluster: 10, Eta: 0.05, Missing: 100, Gap: 0.1, Std: 0.05,
	})
	check(err)
	c, _ := table.Cell(dpkit.PaperGaussian, dpkit.PaperScaling)
	fmt.Println("printed:", c.Printed, "false:", c.False)
	fmt.Println("direct: ", c.Direct)
	// Output:
	// printed: 3696.12 (not a guarantee) false: true
	// direct:  35376.2 (not a guarantee)
}
