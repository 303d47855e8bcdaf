package dpkit_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// The same privacy for the same number of steps: what a solver saves in work it pays for in noise.
func ExampleSolver() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	data := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale()
	for _, solver := range []dpkit.Solver{dpkit.FullBatch{}, dpkit.PoissonSampling{Rate: 0.1}, dpkit.WithoutReplacement{Batch: 2000}} {
		cost, err := data.FitConvex(dpkit.SquaredHingeLoss{}, dpkit.ByGradient{Solver: solver, Epsilon: 1, Delta: 1e-6, Steps: 20}).Cost()
		check(err)
		fmt.Printf("%v: noise of %.3g on a sum of gradients\n", solver, cost.Release.Sigma)
	}
	// Output:
	// FullBatch: noise of 37.8 on a sum of gradients
	// PoissonSampling(0.1): noise of 3.8 on a sum of gradients
	// WithoutReplacement(2000): noise of 4.82 on a sum of gradients
}

// How steps get smaller, and which iterates the model is the mean of, costs nothing: the noise is that of the sums.
func ExampleStepRule() {
	session, err := dpkit.Demo(patients(), 1, dpkit.ReplaceOne)
	check(err)
	data := session.Data().OneHot().Impute(dpkit.Midpoint{}).Scale()
	for _, rule := range []dpkit.StepRule{dpkit.StepConstant, dpkit.StepInverseSqrt, dpkit.StepInverse} {
		for _, average := range []dpkit.Averaging{dpkit.AverageLastHalf, dpkit.AverageAll, dpkit.AverageLast} {
			cost, err := data.FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 20, Rule: rule, Average: average}).Cost()
			check(err)
			fmt.Printf("rule %-6q average %-6q σ = %.4g\n", rule, average, cost.Release.Sigma)
		}
	}
	// Output:
	// rule ""     average ""     σ = 26.45
	// rule ""     average "all"  σ = 26.45
	// rule ""     average "last" σ = 26.45
	// rule "1/√t" average ""     σ = 26.45
	// rule "1/√t" average "all"  σ = 26.45
	// rule "1/√t" average "last" σ = 26.45
	// rule "1/t"  average ""     σ = 26.45
	// rule "1/t"  average "all"  σ = 26.45
	// rule "1/t"  average "last" σ = 26.45
}

// A choice of the open parameters, to change one of them by hand.
func ExampleSuggestion() {
	session, err := dpkit.Demo(hoursAndGrades(), 1, dpkit.AddRemove)
	check(err)
	data := session.Data().Scale()
	suggested, err := data.SuggestGradient(nil, dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
	check(err)
	how := suggested.Gradient
	how.Average = dpkit.AverageLast
	fmt.Println(suggested.Loss, how.Steps, "steps, clipped at", how.Clip)
	cost, err := data.FitConvex(suggested.Loss, how).Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	// Output:
	// SoftmaxLoss 119 steps, clipped at 0.7
	// (1, 1e-06)-DP, add/remove, unconditional
}
