package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// hoursAndGrades are 20000 rows of one number and a grade of three classes.
func hoursAndGrades() *frames.Frame {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 10), frames.Label("grade", "fail", "pass", "distinction"))
	check(err)
	block := &frames.Block{Rows: 20000, Cols: 1}
	for i := range block.Rows {
		hours := float64(i%101) / 10
		grade := 0.0
		if hours > 3 {
			grade = 1
		}
		if hours > 7 {
			grade = 2
		}
		block.X, block.Y = append(block.X, hours), append(block.Y, grade)
	}
	rows, err := frames.FromBlock(schema, block)
	check(err)
	return rows
}

// DP-SGD: every step draws one row in ten or so, which stays secret and pays for less noise.
func ExamplePipeline_FitConvex() {
	rows := hoursAndGrades()
	session, err := dpkit.Demo(rows, 1, dpkit.AddRemove)
	check(err)
	fit := session.Data().Scale().FitConvex(dpkit.SoftmaxLoss{}, dpkit.ByGradient{Solver: dpkit.PoissonSampling{Rate: 0.1}, Epsilon: 2, Delta: 1e-6})
	r, err := fit.Release(context.Background())
	check(err)
	accuracy, err := r.Value.Accuracy(context.Background(), frames.Public(rows))
	check(err)
	fmt.Println("ε within the target:", r.Cost.Guarantee.Epsilon <= 2, "and close to it:", r.Cost.Guarantee.Epsilon > 1.99)
	fmt.Println(r.Value)
	fmt.Println("more than four in five right:", accuracy > 0.8)
	// Output:
	// ε within the target: true and close to it: true
	// linear model of grade by SoftmaxLoss, 3 × 1 coefficients; signs and sizes of coefficients cannot be read: gradients of several scores are clipped together, and nothing bounds how far their steps carry noise. A larger Clip does not clip; NOT PRIVATE: a demonstration: its noise is reproducible
	// more than four in five right: true
}

// Public rules choose what was left open, before any row is read.
func ExamplePipeline_SuggestGradient() {
	session, err := dpkit.Demo(hoursAndGrades(), 1, dpkit.AddRemove)
	check(err)
	s, err := session.Data().Scale().SuggestGradient(nil, dpkit.ByGradient{Epsilon: 0.01, Delta: 1e-6})
	check(err)
	fmt.Print(s)
	// Output:
	// loss SoftmaxLoss: read off the label
	// FullBatch: for equal privacy and steps the least noise, 0.0678 on a coordinate of a mean gradient; each of 40 steps reads all rows
	// Clip 0.7: of at most 1.581 that a gradient can have; a lower one biases, a higher one needs noise for what few rows have
	// MaxNorm 1000: what coefficients of the loss rarely pass
	// Steps 40: more let the noise of each grow as √T, fewer do not arrive; the public rule weighs μ·n·R/S = 93.26
	// StepSize from 1.044 up to 1.044: at most 2/β at first, with momentum 0.851; it grows while noisy sums point the same way, and shrinks where steps bounce
}
