package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// How far off is a plan? Many releases of a demonstration, on rows that are public or made up.
func ExamplePlan_Replicate() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	check(err)
	block := &frames.Block{Rows: 5000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X = append(block.X, hours)
		block.Y = append(block.Y, 20+6*hours)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)

	fit := session.Data().Scale().FitLinear(dpkit.BestLinear{Epsilon: 1, Delta: 1e-9})
	models, err := fit.Replicate(context.Background(), 100)
	check(err)
	good := 0
	for _, m := range models {
		rmse, err := m.RMSE(context.Background(), frames.Public(rows))
		check(err)
		if rmse < 3 {
			good++
		}
	}
	fmt.Println(len(models), "releases; off by less than 3 points:", good > 90)
	fmt.Println(models[0].NotPrivate)
	// Output:
	// 100 releases; off by less than 3 points: true
	// a demonstration: its noise is reproducible
}
