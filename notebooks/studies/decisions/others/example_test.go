package others_test

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/notebooks/studies/decisions/others"
)

// A count of 100 by two-sided geometric noise: whole numbers that are right on average.
func ExampleCount() {
	random := rand.New(rand.NewPCG(1, 2))
	sum, whole := 0.0, true
	for range 10000 {
		v := others.Count(random, 100, 1)
		sum, whole = sum+v, whole && v == math.Trunc(v)
	}
	fmt.Printf("about %.0f on average, whole numbers: %t\n", sum/10000, whole)
	// Output:
	// about 100 on average, whole numbers: true
}
