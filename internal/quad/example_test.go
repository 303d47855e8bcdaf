package quad_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// The largest eigenvalue of 50 × 50 GOE noise, of unit variance off the diagonal, exceeds the quantile once in a thousand
// draws at most.
func ExampleGOEQuantile() {
	fmt.Printf("%.2f\n", quad.GOEQuantile(50, 1e-3))
	// Output:
	// 15.75
}
