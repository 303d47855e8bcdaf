package baseline_test

import (
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
)

// Sheffet's sketch at the constants of the paper, and by its exact law: for a target of ε = 1 the former spends less than it may, on
// more noise than it needs.
func Example() {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.NumericLabel("score", 0, 100))
	if err != nil {
		log.Fatal(err)
	}
	block := &frames.Block{Rows: 20000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X, block.Y = append(block.X, hours), append(block.Y, 20+6*hours+float64(i%7)-3)
	}
	rows, err := frames.FromBlock(schema, block)
	if err != nil {
		log.Fatal(err)
	}
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	if err != nil {
		log.Fatal(err)
	}
	for _, exact := range []bool{false, true} {
		cost, err := session.Data().Scale().FitLinear(baseline.Sheffet2017{Epsilon: 1, Delta: 1e-6, Exact: exact}).Cost()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("exact %-5t: %v\n", exact, cost.Guarantee)
	}
	// Output:
	// exact false: (0.413485, 1e-06)-DP, add/remove, unconditional
	// exact true : (1, 1e-06)-DP, add/remove, unconditional
}
