package stage

import (
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/internal/funcsource"
)

// functionID names code: a model that is stored keeps it in place of the function.
type functionID struct{ name, version string }

// function is registered code.
type function struct {
	call func([]float64) float64
	code string // hash of its source, "" where that cannot be seen
}

var functions = struct {
	sync.RWMutex
	of map[functionID]function
}{of: map[functionID]function{}}

// RegisterFunc makes a function of numbers known to dpkit.Pipeline.Mutate under a name and a version.
// Call it in an init function or before the first chain that uses it, in every program that trains
// or predicts. Stored models know the function by these two alone: give it another
// version whenever its values change. It must be public code that depends on its argument only, may
// run in several goroutines at once, and must not keep or change the argument. A version that is
// taken is an error that wraps [kind.ErrParameter], since releases were made under it.
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
	if name == "" || version == "" {
		return fmt.Errorf("dpkit: register function: got name %q and version %q, want both: %w", name, version, kind.ErrParameter)
	}
	if fn == nil {
		return fmt.Errorf("dpkit: register function %q version %q: got no function: %w", name, version, kind.ErrParameter)
	}
	code := funcsource.Hash(fn, "RegisterFunc", 1)
	functions.Lock()
	defer functions.Unlock()
	id := functionID{name, version}
	if _, taken := functions.of[id]; taken {
		return fmt.Errorf("dpkit: register function %q: version %q is registered already; register it once, and give changed code another version: %w", name, version, kind.ErrParameter)
	}
	functions.of[id] = function{fn, code}
	return nil
}

// Registered returns the function of that name and version.
func Registered(name, version string) (func([]float64) float64, error) {
	functions.RLock()
	defer functions.RUnlock()
	if fn, ok := functions.of[functionID{name, version}]; ok {
		return fn.call, nil
	}
	return nil, fmt.Errorf("function %q version %q is not known to this program; call dpkit.RegisterFunc with both first, as the program that trained did: %w", name, version, kind.ErrParameter)
}

// CodeOfFunction is the hash of the source of the function of that name and version, "" where it cannot be seen.
func CodeOfFunction(name, version string) string {
	functions.RLock()
	defer functions.RUnlock()
	return functions.of[functionID{name, version}].code
}
