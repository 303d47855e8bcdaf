package decisions_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/decisions"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := decisions.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%d sets, %d cases\n", len(r.Sets), len(r.Verdicts()))
	// Output:
	// 12 sets, 36 cases
}
