package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// A plan is text with every parameter: it can be stored, sent, and read back over a session's data.
func ExampleParse() {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 100).MayMiss(), frames.Category("ward", "north", "south"))
	check(err)
	block := &frames.Block{Rows: 1000, Cols: 2}
	for i := range block.Rows {
		block.X = append(block.X, float64(i%100), float64(i%2))
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)

	plan := session.Data().Impute(dpkit.Mean{Pad: 500}, "age").Select("age").Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-9})
	fmt.Println(plan)

	again, err := dpkit.Parse[dpkit.Estimates](session, plan.String())
	check(err)
	a, err := plan.Release(context.Background())
	check(err)
	b, err := again.Release(context.Background())
	check(err)
	fmt.Println("the same release:", a.Value.Values[0] == b.Value.Values[0])

	_, err = dpkit.ParsePipeline(session, `Impute(Mode{}, "age")`)
	fmt.Println(err)
	// Output:
	// Impute(Mean{Pad: 500}, "age").Select("age").Scale().Mean(ε = 1, δ = 1e-09)
	// the same release: true
	// dpkit: parse: byte 6: Impute: want one of Midpoint{…}, Fixed{…}, Mean{…}, Median{…}, PrivateMean{…}, Ridge{…}, TrimmedMean{…}: bad parameter
}
