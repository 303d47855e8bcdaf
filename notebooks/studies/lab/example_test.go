package lab_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

func ExampleRound() {
	fmt.Println(lab.Round(2.0 / 3))
	// Output:
	// 0.66667
}
