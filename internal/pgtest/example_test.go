package pgtest_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/pgtest"
)

// CI sets the variable, so that a server that is missing fails.
func Example() {
	fmt.Println(pgtest.Required)
	// Output: DPNB_POSTGRES
}
