package single_test

import (
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func ExampleGoroutine() {
	_ = func(t *testing.T) { // TestSum
		single.Goroutine(t)
		if 1+1 != 2 {
			t.Error("sums are off")
		}
	}
}
