package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// A release tells how far it has come: the steps of its chain, then its noisy steps.
func ExampleWithProgress() {
	rows, err := datasets.SyntheticAdult(2000, 1)
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	ctx := dpkit.WithProgress(context.Background(), func(done, total int) { // or viz.Progress("model")
		fmt.Print(done, "/", total, " ")
	})
	_, err = session.Data().OneHot().Impute(dpkit.Mean{}).FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}).Release(ctx)
	check(err)
	// Output:
	// 0/2 1/2 2/2 0/5 1/5 2/5 3/5 4/5 5/5
}
