package linear_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/linear"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := linear.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	worse := 0
	for _, v := range r.Verdicts() {
		if v.Ours == linear.Best && v.Printed == linear.PrintedAdaSSP && v.Worse {
			worse++
		}
	}
	fmt.Printf("%d sets, worse than the printed AdaSSP in %d places\n", len(r.Sets), worse)
	// Output:
	// 11 sets, worse than the printed AdaSSP in 2 places
}
