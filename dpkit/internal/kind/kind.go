package kind

import (
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/internal/sentinel"
)

// ErrParameter is returned for a parameter outside its range.
var ErrParameter = sentinel.ErrParameter

// Kind says what a step or a mechanism is, in ledgers and in stored plans. It outlives every renaming of Go's types.
type Kind struct {
	Name string // such as "impute/mean"; the kinds of other modules begin with a module path
	// Law is raised when the same parameters come to release something of another law: what was stored is then drawn anew. What a
	// ledger of version 1 holds was paid for before laws had versions, and replays whatever the law of a kind of this package is now.
	Law int
	// Replays is the least law whose stored values a ledger still replays for the same parameters, because the law was raised for
	// values of less error alone; 0: only those of Law.
	Replays int
	Call    string // the method of Pipeline that makes it; "" for a kind of another module
	// Was is its Go type in identities of version 5; "" for a kind that is younger. One with a type has method WasText too, its text
	// there, which is frozen: releases of then replay by it.
	Was string
}

// Kinded is a step or a mechanism of this package: a struct of exported parameters, from which its text, its identity and
// its stored form all derive. A field that is no parameter has the tag dp:"-", a struct whose fields are named arguments
// of the call dp:"inline", and an embedded kind whose fields are its own dp:"base".
type Kinded interface {
	Kind() Kind
}

// others are the kinds of other modules.
var others = struct {
	sync.RWMutex
	byType map[reflect.Type]Kind
	byName map[string]reflect.Type
}{byType: map[reflect.Type]Kind{}, byName: map[string]reflect.Type{}}

// RegisterKind makes a type of another module known under a name.
func RegisterKind(t reflect.Type, name string, law int) error {
	fail := func(format string, args ...any) error {
		return fmt.Errorf("dpkit: register %q: "+format+": %w", append(append([]any{name}, args...), ErrParameter)...)
	}
	path, _, deep := strings.Cut(name, "/")
	switch {
	case !deep || !strings.Contains(path, ".") || strings.TrimSpace(name) != name:
		return fail(`name: want the path of a module and the step, such as "example.com/module/maxabs"`)
	case law < 1:
		return fail("law: got version %d, want at least 1", law)
	case t.Kind() != reflect.Struct:
		return fail("got a %v, want a struct of exported parameters, with methods on its values", t)
	}
	if err := plain(t, 0); err != nil {
		return fail("%v: %w", t, err)
	}
	others.Lock()
	defer others.Unlock()
	if was, taken := others.byName[name]; taken {
		return fail("the name is that of %v already; take another, and register each type once", was)
	}
	if k, taken := others.byType[t]; taken {
		return fail("%v is registered as %q already", t, k.Name)
	}
	others.byName[name], others.byType[t] = t, Kind{Name: name, Law: law, Was: t.String()}
	return nil
}

// KindNamed is the type of another module that was registered under the name.
func KindNamed(name string) (reflect.Type, bool) {
	others.RLock()
	defer others.RUnlock()
	t, ok := others.byName[name]
	return t, ok
}

// KindFor returns the kind of a step or a mechanism.
func KindFor(v any) (Kind, bool) {
	if k, ok := own(v); ok {
		return k.Kind(), true
	}
	others.RLock()
	defer others.RUnlock()
	k, ok := others.byType[reflect.TypeOf(v)]
	return k, ok
}

// A frozen step or mechanism is older than identities of version 6.
type frozen interface {
	// WasText is its text in identities of version 5, behind its Go type of then: releases of then replay by it, so that it never
	// changes.
	WasText() string
}

// WasText names a step or a mechanism as identities of version 5 did: its Go type of then, and its text of then. A kind that is
// younger has a name there that none of then had.
func WasText(v any) string {
	k, _ := KindFor(v)
	if v, ok := own(v); ok {
		if was, ok := v.(frozen); ok && k.Was != "" {
			return k.Was + " " + was.WasText()
		}
		return fmt.Sprintf("%s/%d %s", k.Name, k.Law, Describe(v))
	}
	return k.Was + " " + Describe(v)
}

// plain reports a type that the text of a plan cannot hold.
func plain(t reflect.Type, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("got a type within itself, or more than %d deep", maxDepth)
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return nil
	case reflect.Slice:
		return plain(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if !f.IsExported() {
				return fmt.Errorf("field %s is not exported: want parameters alone, so that none is left out of the identity", f.Name)
			}
			if err := plain(f.Type, depth+1); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
		return nil
	}
	return fmt.Errorf("got a %v, want numbers, strings, booleans, and slices and structs of such", t)
}

// IsOwn reports whether v is a step or a mechanism of this module: one that knows of empty rows, and whose maps several workers
// may call.
func IsOwn(v any) bool {
	_, ok := own(v)
	return ok
}

// own is v as a kind of this module. A type elsewhere that embeds one has its methods, and does something else.
func own(v any) (Kinded, bool) {
	k, ok := v.(Kinded)
	return k, ok && strings.HasPrefix(reflect.TypeOf(v).PkgPath(), rooms)
}

// Closed reports an option that is of no type of this module. Options are believed: what a loss or a filter says of its
// constants is in the price, and its type's name in the identity. Go cannot seal an interface whose methods have exported
// names: a type elsewhere that embeds one of ours has them all, and may replace some.
func Closed(what string, option any) error {
	t := reflect.TypeOf(option)
	if t == nil || strings.HasPrefix(t.PkgPath(), rooms) {
		return nil
	}
	return fmt.Errorf("%s: got a %v, want one of the types of package dpkit, by value: what others say of themselves nobody has checked: %w", what, t, ErrParameter)
}

// rooms are where kinds of this module stand.
var rooms = strings.TrimSuffix(reflect.TypeFor[Kind]().PkgPath(), "kind")
