package hostile_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/hostile"
)

func ExampleCases() {
	c := hostile.Cases()[0]
	fmt.Println(c.Name, *c.Row.X, c.Column, c.Is)
	// Output: a number above its bounds 731.25 x [outside the declared bounds]
}
