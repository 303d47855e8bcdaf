package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

func plan(s *dpkit.Session) dpkit.Plan[dpkit.LogisticModel] {
	return s.Data().
		OneHot().
		Impute(dpkit.Mean{}).
		Scale().
		FitLogistic(dpkit.Logistic{Epsilon: 1, Delta: 1e-6})
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

	cost, err := plan(session).Cost() // reads no row
	check(err)
	fmt.Println(cost.Guarantee)
	fmt.Printf("noise × %.2f for the imputation\n", cost.Release.Amplification())

	result, err := plan(session).Release(context.Background())
	check(err)
	accuracy, err := result.Value.Accuracy(context.Background(), frames.Public(test))
	check(err)
	fmt.Println(result)
	fmt.Println(accuracy > 0.8)
	// Output:
	// (1, 1e-06)-DP, replace-one, unconditional
	// noise × 2.96 for the imputation
	// NOT PRIVATE: a demonstration: its noise is reproducible
	// true
}

// A mistake is reported with its place in the chain and the fix, before any row is read.
func ExamplePipeline_errors() {
	rows, err := datasets.SyntheticAdult(1000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	_, err = session.Data().Scale().OneHot().FitLogistic(dpkit.Logistic{Epsilon: 1}).Cost()
	fmt.Println(err)
	// Output:
	// dpkit: step 1 Scale(): column "workclass" is a category; encode it with OneHot before Scale: privacy type error
	// dpkit: step 3 FitLogistic(ε = 1, δ = 0): accountant: budget: delta: got 0, want a number strictly between 0 and 1: invalid delta
}
