package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// patients are 20000 invented people of a hospital: their age, their days in bed, the ward, and whether they came back.
func patients() *frames.Frame {
	schema, err := frames.NewSchema(
		frames.Numeric("age", 0, 100), frames.Numeric("days", 0, 30).MayMiss(),
		frames.Category("ward", "surgery", "medicine", "children"), frames.Label("returned", "no", "yes"),
	)
	check(err)
	block := &frames.Block{Rows: 20000, Cols: 3}
	for i := range block.Rows {
		age, days, ward, back := float64(i*37%100), float64(i*13%12), float64(i%2), 0.0
		if age < 18 {
			ward = 2
		}
		if age+5*days > 80 {
			back = 1
		}
		block.X, block.Y = append(block.X, age, days, ward), append(block.Y, back)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	return rows
}

// How many patients were over 80, to within a dozen.
func ExamplePipeline_Count() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	old := session.Data().Count(dpkit.Target{Epsilon: 0.5, Noise: dpkit.NoiseLaplace}, dpkit.Between("age", 80, 100))
	cost, err := old.Cost() // no row is read
	check(err)
	fmt.Println(cost.Guarantee)
	r, err := old.Release(context.Background())
	check(err)
	fmt.Printf("%.0f patients, noise of %.1f\n", r.Value.Values[0], r.Value.Sigma[0])
	// Output:
	// (0.5, 0)-DP, add/remove, unconditional
	// 3999 patients, noise of 2.8
}

// All days in bed, in the units of the column. Its public bounds, [0, 30], say how much one patient can add.
func ExamplePipeline_Sum() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Impute(dpkit.Fixed{}, "days").Sum(dpkit.Target{Epsilon: 1, Delta: 1e-6}, "days").Release(context.Background())
	check(err)
	fmt.Printf("%.0f days, noise of %.0f\n", r.Value.Values[0], r.Value.Sigma[0])
	// Output:
	// 109935 days, noise of 127
}

// The mean of every column by one draw of noise. A level's mean is its frequency.
func ExamplePipeline_Mean() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	means := session.Data().OneHot().Impute(dpkit.Midpoint{}).Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6})
	r, err := means.Release(context.Background())
	check(err)
	for j, name := range r.Value.Names {
		fmt.Printf("%-14s %.2f\n", name, r.Value.Values[j])
	}
	// Output:
	// age            49.49
	// days           5.51
	// ward=surgery   0.41
	// ward=medicine  0.41
	// ward=children  0.18
}

// How many patients each ward has. Levels are public: an empty one would be listed, too.
func ExamplePipeline_Histogram() {
	session, err := dpkit.Demo(patients(), 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Histogram("ward", dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	for j, ward := range r.Value.Names {
		fmt.Printf("%-9s %.0f\n", ward, r.Value.Values[j])
	}
	// Output:
	// surgery   8198
	// medicine  8205
	// children  3604
}

// Who comes back? The model reads raw rows: what the chain's public steps do to them is part of it.
func ExamplePipeline_FitLogistic() {
	rows := patients()
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	fit := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
	r, err := fit.Release(context.Background())
	check(err)
	accuracy, err := r.Value.Accuracy(context.Background(), frames.Public(rows)) // invented people have no secrets
	check(err)
	fmt.Println(r.Value)
	fmt.Printf("it is right on %.0f %% of the rows\n", 100*accuracy)
	// Output:
	// logistic model of returned = yes on 5 columns; signs and sizes of coefficients cannot be read: steps with momentum carry noise on, and nothing bounds how far. Set StepSize for steps without momentum; NOT PRIVATE: a demonstration: its noise is reproducible
	// it is right on 99 % of the rows
}

// What does an imputation cost, and what else would do the same job?
func ExamplePlan_Compare() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	comparison, err := session.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Compare()
	check(err)
	step := comparison.Steps[0]
	for _, way := range step.Variants {
		fmt.Printf("%-11s noise × %.2f\n", way.Kind, way.Noise)
	}
	fmt.Println("take", step.Variants[step.Best].Name+":", step.Why)
	// Output:
	// non-private noise × 1.58
	// public      noise × 1.00
	// non-private noise × 2.15
	// tested      noise × 1.09
	// private     noise × 1.00
	// take Impute(PrivateMean{Share: 0.002}): predicted error 0.00126 against 0.00193 as written, the other steps as recommended: although what it fills is off by 0.00027 of half a column's range on the reference population in place of 0; noise has 0.00123 of the error in place of 0.00193
}

// The recommended plan is one to price and release.
func ExamplePlan_Recommended() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	plan, err := session.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Recommended()
	check(err)
	fmt.Println(plan)
	// Output:
	// OneHot().Impute(PrivateMean{Share: 0.002}).Scale().Mean(ε = 1, δ = 1e-06)
}

// One count in a ledger that keeps a part of its ε for releases of pure DP gets geometric noise: a third of what Gaussian noise of the
// same ε has. A demonstration of it says so beforehand.
func ExampleSession_WithPure() {
	schema, err := frames.NewSchema(frames.Category("ward", "north", "south"))
	check(err)
	block := &frames.Block{Rows: 1000, Cols: 1, X: make([]float64, 1000)}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	plain, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	kept, err := plain.WithPure(1)
	check(err)
	for _, session := range []*dpkit.Session{plain, kept} {
		plan := session.Data().Count(dpkit.Target{Epsilon: 1, Delta: 1e-6}, dpkit.Is("ward", "north"))
		off, err := plan.Error(0.95)
		check(err)
		fmt.Printf("%v: ± %.1f\n", plan, off.Margin[0])
	}
	// Output:
	// Count(ε = 1, δ = 1e-06, Is("ward", "north")): ± 8.3
	// Count(ε = 1, Noise = "geometric", Is("ward", "north")): ± 3.0
}

// A released count is between 0 and the public number of rows, and so is its interval.
func ExampleEstimates_Interval() {
	schema, err := frames.NewSchema(frames.Category("ward", "north", "south"))
	check(err)
	rows, err := frames.FromBlock(schema, &frames.Block{Rows: 1000, Cols: 1, X: make([]float64, 1000)})
	check(err)
	session, err := dpkit.Demo(rows, 3, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Histogram("ward", dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	low, high, err := r.Value.Interval(0.95)
	check(err)
	for i, ward := range r.Value.Names {
		fmt.Printf("%s: %.0f in [%.0f, %.0f]\n", ward, r.Value.Values[i], low[i], high[i])
	}
	// Output:
	// north: 998 in [987, 1000]
	// south: 6 in [0, 18]
}
