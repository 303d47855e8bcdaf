package single_test

import (
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func ExampleGoroutine() {
	test := func(t *testing.T) { // TestSum
		single.Goroutine(t)
		if 1+1 != 2 {
			t.Error("sums are off")
		}
	}
	fmt.Printf("%T\n", test)
	// Output: func(*testing.T)
}
