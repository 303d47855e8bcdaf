package function

import (
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/internal/funcsource"
)

// id names code: a model that is stored keeps it in place of the function.
type id struct{ name, version string }

// function is registered code.
type function struct {
	call func([]float64) float64
	code string // hash of its source, "" where that cannot be seen
	// columns are the names that the function has for its numbers, in order; nil for a function of numbers without names.
	columns []string
}

var functions = struct {
	sync.RWMutex
	of map[id]function
}{of: map[id]function{}}

// Register makes a function known under a name and a version. It is called by the RegisterFunc of a public package, whose caller's
// source is that of the function. A version that is taken is an error that wraps [kind.ErrParameter].
func Register(name, version string, fn func(x []float64) float64) error {
	if name == "" || version == "" {
		return fmt.Errorf("dpkit: register function: got name %q and version %q, want both: %w", name, version, kind.ErrParameter)
	}
	if fn == nil {
		return fmt.Errorf("dpkit: register function %q version %q: got no function: %w", name, version, kind.ErrParameter)
	}
	return register(id{name, version}, function{call: fn, code: funcsource.Hash(fn, "RegisterFunc", 2)})
}

func register(as id, fn function) error {
	functions.Lock()
	defer functions.Unlock()
	if _, taken := functions.of[as]; taken {
		return fmt.Errorf("dpkit: register function %q: version %q is registered already; register it once, and give changed code another version: %w", as.name, as.version, kind.ErrParameter)
	}
	functions.of[as] = fn
	return nil
}

// Named returns the function of that name and version.
func Named(name, version string) (func([]float64) float64, error) {
	functions.RLock()
	defer functions.RUnlock()
	if fn, ok := functions.of[id{name, version}]; ok {
		return fn.call, nil
	}
	return nil, fmt.Errorf("function %q version %q is not known to this program; call dpkit.RegisterFunc (or stage.RegisterGota) with both first, as the program that trained did: %w", name, version, kind.ErrParameter)
}

// ColumnsOf are the columns that the function of that name and version reads by name; nil where it reads numbers.
func ColumnsOf(name, version string) []string {
	functions.RLock()
	defer functions.RUnlock()
	return functions.of[id{name, version}].columns
}

// CodeOf is the hash of the source of the function of that name and version, "" where it cannot be seen.
func CodeOf(name, version string) string {
	functions.RLock()
	defer functions.RUnlock()
	return functions.of[id{name, version}].code
}
