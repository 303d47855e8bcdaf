package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// visits are invented rows.
func visits() *frames.Frame {
	schema, err := frames.NewSchema(frames.Numeric("age", 18, 90), frames.Category("ward", "a", "b", "c"), frames.Label("again", "no", "yes"))
	check(err)
	block := &frames.Block{Rows: 2000, Cols: 2}
	for i := range block.Rows {
		age := 18 + float64(i*37%72)
		again := 0.0
		if age > 60 {
			again = 1
		}
		block.X, block.Y = append(block.X, age, float64(i%3)), append(block.Y, again)
	}
	f, err := frames.FromBlock(schema, block)
	check(err)
	return f
}

// Three questions of different kinds share one ε: one charge, and all values or none. The model gets twice the part of the others.
func ExampleTogether() {
	s, err := dpkit.Demo(visits(), 1, dpkit.AddRemove)
	check(err)
	d := s.Data()
	ward := d.Histogram("ward", dpkit.Target{}) // Together gives each its part of the target
	age := d.Quantile(dpkit.Target{}, 0.5, "age")
	model := d.OneHot().Scale().FitLogistic(dpkit.ByGradient{Steps: 20})

	all := dpkit.Together(dpkit.Target{Epsilon: 1, Delta: 1e-6}, ward, age, model.Weight(2))
	fmt.Println(all)
	c, err := all.Cost()
	check(err)
	fmt.Printf("(%.2f, %g)-DP for all of them\n", c.Guarantee.Epsilon, c.Guarantee.Delta)
	for _, m := range c.Members {
		fmt.Printf("%2.0f %% of all, as much noise as alone at ε = %.2f\n", 100*m.Share, m.Cost.Guarantee.Epsilon)
	}

	r, err := all.Release(context.Background())
	check(err)
	median, err := age.Of(r)
	check(err)
	fit, err := model.Of(r)
	check(err)
	again, err := fit.Value.PredictRow(map[string]any{"age": 80, "ward": "b"})
	check(err)
	fmt.Println(median.Value.Column, len(fit.Value.Coef), again > 0.5)
	// Output:
	// Together(ε = 1, δ = 1e-06, Histogram("ward"), Quantile(0.5, "age"), OneHot().Scale().FitLogistic(ByGradient{Steps: 20}).Weight(2))
	// (1.00, 1e-06)-DP for all of them
	// 25 % of all, as much noise as alone at ε = 0.39
	// 25 % of all, as much noise as alone at ε = 0.41
	// 50 % of all, as much noise as alone at ε = 0.56
	// age 4 true
}

// The least budget for answers that are accurate enough, and what each takes of it. Nothing is spent.
func ExampleSession_Plan() {
	s, err := dpkit.Demo(visits(), 1, dpkit.AddRemove)
	check(err)
	d := s.Data()
	questions := []dpkit.AnyPlan{
		d.Histogram("ward", dpkit.Target{Delta: 1e-6}.Within(20, 0.95)),               // ± 20 visits
		d.Select("age").Mean(dpkit.Target{Delta: 1e-6}.Within(1, 0.95)),               // ± 1 year
		d.Quantile(dpkit.Target{Delta: 1e-6}.Within(60, 0.95), 0.9, "age"),            // ± 60 ranks
		d.Count(dpkit.Target{Delta: 1e-6}.Within(15, 0.95), dpkit.Is("again", "yes")), // ± 15 visits
	}
	plan, err := s.Plan(questions...)
	check(err)
	c, err := plan.Cost()
	check(err)
	fmt.Printf("(%.2f, %g)-DP for all of them\n", c.Guarantee.Epsilon, c.Guarantee.Delta)
	for _, m := range c.Members {
		fmt.Printf("%4.1f %%  %s\n", 100*m.Share, m.Plan)
	}
	r, err := plan.Release(context.Background())
	check(err)
	var values dpkit.Joint = r.Value
	fmt.Println(len(values.Results()), "answers")
	// Output:
	// (1.00, 1e-06)-DP for all of them
	// 25.3 %  Histogram("ward")
	//  3.3 %  Select("age").Mean()
	// 26.4 %  Quantile(0.9, "age")
	// 45.0 %  Count(Is("again", "yes"))
	// 4 answers
}
