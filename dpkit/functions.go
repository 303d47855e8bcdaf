package dpkit

import (
	"fmt"
	"sync"
)

// functionID names code: a model that is stored keeps it in place of the function.
type functionID struct{ name, version string }

var functions = struct {
	sync.RWMutex
	of map[functionID]func([]float64) float64
}{of: map[functionID]func([]float64) float64{}}

// RegisterFunc makes a function of numbers known to [Pipeline.Mutate] under a name and a version.
// Call it in an init function or before the first chain that uses it, in every program that trains
// or predicts. Releases and stored models know the function by these two alone: give it another
// version whenever its values change. It must be public code that depends on its argument only, may
// run in several goroutines at once, and must not keep or change the argument. A version that is
// taken is an error that wraps [ErrParameter], since releases were made under it.
//
// A function that panics gives NaN for that row, in silence: that it panicked at all says that the rows hold a value of
// some kind, and one row decides that, so that a warning, with or without a count, would leak. Test the function on
// made-up values over the bounds of its columns before it reads private rows.
func RegisterFunc(name, version string, fn func(x []float64) float64) error {
	if name == "" || version == "" {
		return fmt.Errorf("dpkit: register function: got name %q and version %q, want both: %w", name, version, ErrParameter)
	}
	if fn == nil {
		return fmt.Errorf("dpkit: register function %q version %q: got no function: %w", name, version, ErrParameter)
	}
	functions.Lock()
	defer functions.Unlock()
	id := functionID{name, version}
	if functions.of[id] != nil {
		return fmt.Errorf("dpkit: register function %q: version %q is registered already; register it once, and give changed code another version: %w", name, version, ErrParameter)
	}
	functions.of[id] = fn
	return nil
}

// registered returns the function of that name and version.
func registered(name, version string) (func([]float64) float64, error) {
	functions.RLock()
	defer functions.RUnlock()
	if fn := functions.of[functionID{name, version}]; fn != nil {
		return fn, nil
	}
	return nil, fmt.Errorf("function %q version %q is not known to this program; call dpkit.RegisterFunc with both first, as the program that trained did: %w", name, version, ErrParameter)
}
