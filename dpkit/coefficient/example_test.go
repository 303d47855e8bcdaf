package coefficient_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
)

// What the method Uncertainty of a model returns: two coefficients, of which one has a sign that the noise leaves.
func Example() {
	known := coefficient.Uncertainty{
		Level: 0.95, Of: "the coefficient that the same fit gives on the same rows without noise",
		Intervals: []coefficient.Interval{
			{Name: "age", Lo: 0.2, Hi: 0.9}, {Name: "hours", Lo: -0.4, Hi: 0.6}, {Name: coefficient.Intercept, Lo: -3, Hi: -1},
		},
	}
	for _, i := range known.Intervals {
		fmt.Println(i.Name, i.Sign())
	}
	signs, of := known.Readable()
	fmt.Println(signs, "of", of)
	// Output:
	// age 1
	// hours 0
	// (intercept) -1
	// 1 of 2
}
