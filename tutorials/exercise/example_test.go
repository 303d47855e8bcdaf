package exercise_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/tutorials/exercise"
)

// A reader's cell shows what is still wrong, and never fails.
func ExampleShow() {
	scale := func(sensitivity, epsilon float64) float64 { return sensitivity * epsilon } // not solved yet
	err := exercise.Show("Scale", func(c *exercise.C) {
		c.Near("Δ = 1, ε = 0.5", scale(1, 0.5), 2, 1e-9)
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// exercise Scale
	// -----------------------------------------------
	// not yet         Δ = 1, ε = 0.5: got 0.5, want 2
}
