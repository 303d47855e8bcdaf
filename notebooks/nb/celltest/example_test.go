package celltest_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/notebooks/nb/celltest"
)

// The directive output: approx=1e-3 lets numbers differ a little, and says where they differ more.
func ExampleCompare() {
	cell := celltest.Cell{Number: 5, Output: "approx", Tolerance: 1e-3}
	fmt.Println(celltest.Compare(cell, "ε = 1.0004\n", "ε = 1\n", nil))
	fmt.Println(celltest.Compare(cell, "ε = 1.5\n", "ε = 1\n", nil) != nil)
	// Output:
	// <nil>
	// true
}
