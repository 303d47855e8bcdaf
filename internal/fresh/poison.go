package fresh

import "sync/atomic"

// poison is what tests put into memory that nobody cleared, and small tables too; nil: nothing.
var poison atomic.Pointer[float64]

// Poison is for tests alone: until clean is called, tables of all sizes hold x where nobody wrote. What comes out otherwise with it than without
// read what it had not written.
func Poison(x float64) (clean func()) {
	before := poison.Swap(&x)
	return func() { poison.Store(before) }
}
