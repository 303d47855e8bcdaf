package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func plan(s *dpkit.Session, how dpkit.Imputer) dpkit.Plan[dpkit.LogisticModel] {
	return s.Data().
		OneHot().
		ClipColumns(0, 20000, "capital-gain"). // a public choice: more tells the same
		Indicate().
		Impute(how).
		Scale().
		FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6})
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// A demonstration on synthetic rows: its noise is reproducible, so that the result says that it
// is not private. With dpkit.Create in place of dpkit.Demo the release is charged to a ledger.
func Example() {
	rows, err := datasets.SyntheticAdult(20000, 1)
	check(err)
	train, test, err := frames.Split(rows, 0.8, 1)
	check(err)
	session, err := dpkit.Demo(train, 1, dpkit.ReplaceOne)
	check(err)

	cost, err := plan(session, dpkit.Mean{}).Cost() // reads no row
	check(err)
	fmt.Println(cost.Guarantee)
	fmt.Printf("noise × %.2f for the imputation\n", cost.Release.Amplification())

	comparison, err := plan(session, dpkit.Mean{}).Compare() // nor does this
	check(err)
	for _, step := range comparison.Steps {
		if step.Step == 4 {
			fmt.Println(step.Variants[step.Best].Name)
		}
	}

	result, err := plan(session, dpkit.Midpoint{}).Release(context.Background())
	check(err)
	accuracy, err := result.Value.Accuracy(context.Background(), frames.Public(test))
	check(err)
	fmt.Println(result)
	fmt.Println(accuracy > 0.8)
	// Output:
	// (1, 1e-06)-DP, replace-one, unconditional
	// noise × 2.59 for the imputation
	// Impute(Midpoint{})
	// NOT PRIVATE: a demonstration: its noise is reproducible
	// true
}

// A mistake is reported with its place in the chain and the fix, before any row is read.
func ExamplePipeline_errors() {
	rows, err := datasets.SyntheticAdult(1000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	_, err = session.Data().Scale().OneHot().FitLogistic(dpkit.ByGradient{Epsilon: 1}).Cost()
	fmt.Println(err)
	// Output:
	// dpkit: step 1 Scale(): column "workclass" is a category; encode it with OneHot before Scale: privacy type error
	// dpkit: step 3 FitLogistic(ByGradient{Epsilon: 1}): accountant: budget: delta: got 0, want a number strictly between 0 and 1: invalid delta
}
