package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/function"
)

// RegisterFunc makes a function of numbers known to [Pipeline.Mutate] under a name and a version.
// Call it in an init function or before the first chain that uses it, in every program that trains
// or predicts. Stored models know the function by these two alone: give it another
// version whenever its values change. It must be public code that depends on its argument only, may
// run in several goroutines at once, and must not keep or change the argument. A version that is
// taken is an error that wraps [ErrParameter], since releases were made under it.
//
// In a notebook, and in the tests that nb makes of one, releases know the function by its source too: another body under
// the same name and version is another release, which is charged, and nothing of the former is replayed. That covers what the
// registration and the function name in the same file, with the statements that assign to a local variable; not what other
// packages hold, the conditions and loops around such a statement, nor a value that a variable has from elsewhere: from the body
// of a cell, or by a method or a pointer. Nor is it known of releases in a ledger of version 1, which replay under name and version.
// Comments and layout do not count. A compiled program cannot see its source: there a changed function under the same name and version
// replays what the former released, and its releases are others than a notebook's.
//
// A function that panics gives NaN for that row, in silence: that it panicked at all says that the rows hold a value of
// some kind, and one row decides that, so that a warning, with or without a count, would leak. Test the function on
// made-up values over the bounds of its columns before it reads private rows.
func RegisterFunc(name, version string, fn func(x []float64) float64) error {
	return function.Register(name, version, fn)
}
