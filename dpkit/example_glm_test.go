package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// hoursOf are rows of one feature in [0, 10] with that label.
func hoursOf(label frames.Column, y func(i int, hours float64) float64) *frames.Frame {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), label)
	check(err)
	block := &frames.Block{Rows: 20000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		block.X, block.Y = append(block.X, hours), append(block.Y, y(i, hours))
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	return rows
}

// A linear classifier that rows far on the right side do not move.
func ExamplePipeline_FitHinge() {
	rows := hoursOf(frames.Label("passed", "no", "yes"), func(_ int, hours float64) float64 {
		if hours > 4 {
			return 1
		}
		return 0
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitHinge(dpkit.HingeLoss{}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-9}).Release(context.Background())
	check(err)
	accuracy, err := r.Value.Accuracy(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value)
	fmt.Println("is right on 9 rows of 10:", accuracy > 0.9)
	// Output:
	// linear classifier of passed = yes on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// is right on 9 rows of 10: true
}

// A line that every twentieth label, which is wrong, hardly moves.
func ExamplePipeline_FitHuber() {
	rows := hoursOf(frames.NumericLabel("score", 0, 100), func(i int, hours float64) float64 {
		if i%20 == 0 {
			return 100
		}
		return 20 + 6*hours
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitHuber(dpkit.HuberLoss{Knee: 0.1}, dpkit.ByObjective{Epsilon: 2, Delta: 1e-9}).Release(context.Background())
	check(err)
	scores, err := r.Value.Predict(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value)
	fmt.Println("says 50 ± 3 for 5 hours:", scores[50] > 47 && scores[50] < 53)
	// Output:
	// linear model of score on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// says 50 ± 3 for 5 hours: true
}

// The rate of a count.
func ExamplePipeline_FitPoisson() {
	rows := hoursOf(frames.NumericLabel("visits", 0, 20), func(i int, hours float64) float64 {
		return float64(i%3) + float64(int(hours/2))
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	plan := session.Data().Scale().FitPoisson(dpkit.PoissonLoss{MaxCount: 8, Rate: 3}, dpkit.ByObjective{Epsilon: 1, Delta: 1e-9})
	cost, err := plan.Cost()
	check(err)
	fmt.Println("within the target:", cost.Guarantee.Epsilon <= 1)
	r, err := plan.Release(context.Background())
	check(err)
	rates, err := r.Value.Predict(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value)
	fmt.Println("has more visits after 9 hours than after 1:", rates[90] > 2*rates[10])
	// Output:
	// within the target: true
	// Poisson model of visits on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// has more visits after 9 hours than after 1: true
}

// Three classes for one target: the releases of the classes are composed exactly.
func ExamplePipeline_FitMultinomial() {
	rows := hoursOf(frames.Label("grade", "C", "B", "A"), func(_ int, hours float64) float64 {
		return float64(int(hours / 3.5))
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	plan := session.Data().Scale().FitMultinomial(dpkit.ByObjective{Epsilon: 1, Delta: 1e-9})
	cost, err := plan.Cost()
	check(err)
	r, err := plan.Release(context.Background())
	check(err)
	p, err := r.Value.Probabilities(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println("within the target:", cost.Guarantee.Epsilon <= 1)
	fmt.Println(r.Value)
	fmt.Println("prefers A for ten hours and C for none:", p[100][2] > p[100][0] && p[0][0] > p[0][2])
	// Output:
	// within the target: true
	// model of the 3 classes of grade on 1 columns; the signs of 2 of 3 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// prefers A for ten hours and C for none: true
}

// Logistic regression from a Gaussian sketch: a baseline.
func ExampleByMixing() {
	rows := hoursOf(frames.Label("passed", "no", "yes"), func(_ int, hours float64) float64 {
		if hours > 4 {
			return 1
		}
		return 0
	})
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	r, err := session.Data().Scale().FitLogistic(dpkit.ByMixing{Epsilon: 1, Delta: 1e-9}).Release(context.Background())
	check(err)
	accuracy, err := r.Value.Accuracy(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println(r.Value)
	fmt.Println("is right on 9 rows of 10:", accuracy > 0.9)
	// Output:
	// logistic model of passed = yes on 1 columns; the signs of 1 of 1 coefficients can be read at 0.95; NOT PRIVATE: a demonstration: its noise is reproducible
	// is right on 9 rows of 10: true
}
