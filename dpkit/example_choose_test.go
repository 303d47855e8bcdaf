package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Two models are released under one ε, by chains of which nobody knows which suits the rows better; then the rows decide. All of it costs
// (1, 1e-6)-DP for the models and (0.1, 0)-DP for the choice.
func ExamplePipeline_Choose() {
	ctx := context.Background()
	s, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	d := s.Data()
	byAge := d.Select("age").Scale().FitLogistic(dpkit.ByGradient{})
	byBoth := d.Select("age", "days").Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByGradient{})
	both, err := dpkit.Together(dpkit.Target{Epsilon: 1, Delta: 1e-6}, byAge, byBoth).Release(ctx)
	check(err)
	a, err := byAge.Of(both)
	check(err)
	b, err := byBoth.Of(both)
	check(err)

	among := []dpkit.Predictor{a.Value, b.Value}
	choose := d.Choose(dpkit.Target{Epsilon: 0.1}, among...)
	expected, err := choose.Error(0.95)
	check(err)
	fmt.Printf("at most %.0f %s\n", expected.Margin[0], expected.Of)
	r, err := choose.Release(ctx)
	check(err)
	best := among[r.Value.Index].(dpkit.LogisticModel)
	fmt.Println("chosen:", best.Columns)

	// Too few rows for so little ε: none is read.
	free, err := d.Choose(dpkit.Target{Epsilon: 0.01}, among...).Release(ctx)
	check(err)
	fmt.Println(free.Value.Unread)
	// Output:
	// at most 30 wrong rows of the chosen model beyond those of the best one
	// chosen: [age days]
	// too few rows to choose by: n·η = 200, want at least 1000: the model that is predicted to be best is taken, no row is read and nothing is charged; raise ε to 0.0501
}

// How sure a choice is.
func ExampleChoice() {
	c := dpkit.Choice{Index: 1, Models: []string{"by age", "by age and days"}, Of: "wrong rows", Rate: 0.1}
	margin, err := c.Margin(0.95)
	check(err)
	fmt.Printf("%s has at most %.0f more %s than the other\n", c.Name(), margin, c.Of)
	// Output: by age and days has at most 30 more wrong rows than the other
}
