package cost_test

import (
	"fmt"
	"log"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
)

// Compare tries the ways of one step after another. Chains of one's own are priced beside each other with Of; no row is read.
func ExampleOf() {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 100).MayMiss(), frames.Numeric("pay", 0, 200))
	if err != nil {
		log.Fatal(err)
	}
	const n = 1000
	block := &frames.Block{Rows: n, Cols: 2, X: make([]float64, 2*n)}
	for i := range n {
		block.X[2*i], block.X[2*i+1] = float64(20+i%60), float64(i%200)
	}
	frame, err := frames.FromBlock(schema, block)
	if err != nil {
		log.Fatal(err)
	}
	session, err := dpkit.Demo(frame, 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	data, target := session.Data(), dpkit.Target{Epsilon: 1, Delta: 1e-6}
	for _, v := range []cost.Variant{
		cost.Of("public midpoint", data.Impute(dpkit.Midpoint{}).Mean(target)),
		cost.Of("private mean", data.Impute(dpkit.PrivateMean{Share: 0.1}).Mean(target)),
		cost.Of("mean of the cells", data.Impute(dpkit.Mean{Pad: 100}).Mean(target)),
		cost.Of("nothing", data.Mean(target)),
	} {
		fmt.Printf("%-17s noise × %.3f, refused: %t\n", v.Name, v.Noise, v.Refused != "")
	}
	// Output:
	// public midpoint   noise × 1.000, refused: false
	// private mean      noise × 1.054, refused: false
	// mean of the cells noise × 8.064, refused: false
	// nothing           noise × 0.000, refused: true
}

// Curves of a plan: what the release costs end to end, and what it would cost behind other displacements. No row is read.
func ExamplePlan_SRDP() {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 100).MayMiss(), frames.Numeric("pay", 0, 200))
	if err != nil {
		log.Fatal(err)
	}
	frame, err := frames.FromBlock(schema, &frames.Block{Rows: 1000, Cols: 2, X: make([]float64, 2000)})
	if err != nil {
		log.Fatal(err)
	}
	session, err := dpkit.Demo(frame, 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	plan := session.Data().Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6})
	c, err := plan.Cost()
	if err != nil {
		log.Fatal(err)
	}
	const alpha = 8
	tau := c.Tau()
	fmt.Printf("end to end        %.3f\n", c.RDP(alpha))
	fmt.Printf("displaced by τ    %.3f\n", c.SRDP(alpha, tau))
	fmt.Printf("one hop           %.3f\n", c.Displaced(alpha, tau))
	fmt.Printf("one hop at 2τ     %.3f\n", c.Displaced(alpha, 2*tau))
	fmt.Printf("two hops          %.3f\n", c.Theorem2(alpha, tau))
	fmt.Printf("behind the means  %.3f\n", c.StepSRDP(1, alpha))
	fmt.Println(len(c.Curves().Orders), "orders in JSON")
	// Output:
	// end to end        0.224
	// displaced by τ    0.038
	// one hop           0.224
	// one hop at 2τ     0.448
	// two hops          0.237
	// behind the means  0.038
	// 7 orders in JSON
}
