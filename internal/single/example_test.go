package single_test

import (
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// result stands for the t of a test.
type result struct {
	testing.TB
	failed bool
	ends   func()
}

func (r *result) Helper()               {}
func (r *result) Skip(...any)           {}
func (r *result) Errorf(string, ...any) { r.failed = true }
func (r *result) Cleanup(f func())      { r.ends = f }

func ExampleGoroutine() {
	t := &result{ends: func() {}}
	single.Goroutine(t)
	sum := 0
	for i := range 4 {
		sum += i
	}
	t.ends()
	fmt.Println(sum, t.failed)
	// Output: 6 false
}
