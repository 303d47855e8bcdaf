package dpkit

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
)

// kind says what a step or a mechanism is, in ledgers and in stored plans. It outlives every renaming of Go's types.
type kind struct {
	name string // such as "impute/mean"; the kinds of other modules begin with a module path
	// law is raised when the same parameters come to release something of another law: what was stored is then drawn anew. What a
	// ledger of version 1 holds was paid for before laws had versions, and replays whatever the law of a kind of this package is now.
	law  int
	call string // the method of Pipeline that makes it; "" for a kind of another module
	was  string // its Go type in identities of version 5
}

// kinded is a step or a mechanism of this package: a struct of exported parameters, from which its text, its identity and
// its stored form all derive. A field that is no parameter has the tag dp:"-", a struct whose fields are named arguments
// of the call dp:"inline", and an embedded kind whose fields are its own dp:"base".
type kinded interface {
	kind() kind
	// wasText is its text in identities of version 5, which is frozen: releases of then replay by it.
	wasText() string
}

// others are the kinds of other modules.
var others = struct {
	sync.RWMutex
	byType map[reflect.Type]kind
	byName map[string]reflect.Type
}{byType: map[reflect.Type]kind{}, byName: map[string]reflect.Type{}}

// registerKind makes a type of another module known under a name.
func registerKind(t reflect.Type, name string, law int) error {
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
		return fail("%v is registered as %q already", t, k.name)
	}
	others.byName[name], others.byType[t] = t, kind{name: name, law: law, was: t.String()}
	return nil
}

// kindNamed is the type of another module that was registered under the name.
func kindNamed(name string) (reflect.Type, bool) {
	others.RLock()
	defer others.RUnlock()
	t, ok := others.byName[name]
	return t, ok
}

// kindFor returns the kind of a step or a mechanism.
func kindFor(v any) (kind, bool) {
	if k, ok := v.(kinded); ok {
		return k.kind(), true
	}
	others.RLock()
	defer others.RUnlock()
	k, ok := others.byType[reflect.TypeOf(v)]
	return k, ok
}

// wasText names a step or a mechanism as identities of version 5 did: its Go type of then, and its text of then.
func wasText(v any) string {
	k, _ := kindFor(v)
	if v, ok := v.(kinded); ok {
		return k.was + " " + v.wasText()
	}
	return k.was + " " + describe(v)
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

// isOwn reports whether v is a step or a mechanism of this module, which knows of empty rows and may be called by several
// workers: no other has a kind of this type.
func isOwn(v any) bool {
	_, ok := v.(kinded)
	return ok
}
