package stagetest_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/stage/stagetest"
)

// A test of a step calls Attack; Try is the same where there is no test. The second step claims half of what its rows are
// displaced by.
func Example() {
	for _, step := range []MaxAbs{{Floor: 0.01, Claim: 1}, {Floor: 0.01, Claim: 0.5}} {
		_, err := stagetest.Try(context.Background(), step, stagetest.Floor(0.5))
		fmt.Println(err == nil, errors.Is(err, stagetest.ErrBroken))
	}
	// Output:
	// true false
	// false true
}
