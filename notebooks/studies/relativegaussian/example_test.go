package relativegaussian_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/studies/relativegaussian"
)

// The results that the notebook draws are part of the package.
func ExampleStored() {
	r, err := relativegaussian.Stored()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Rows, "rows,", len(r.Panels), "panels")
	// Output:
	// 141691 rows, 8 panels
}
