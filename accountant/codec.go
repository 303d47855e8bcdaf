package accountant

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
)

// codecVersion is the version that [Marshal] writes. A change to a leaf's fields or to their meaning
// needs a new kind; a change to the envelope needs a new version and a reader for the old one.
const codecVersion = 1

// maxDepth bounds the nesting of stored combinators.
const maxDepth = 100

// leafTypes are the leaves that can be stored, by kind. Each leaf's file registers its own.
var leafTypes = map[string]reflect.Type{}

// plainLeaves says which of them are plain values that compare.
var plainLeaves = map[reflect.Type]bool{}

// registerLeaf makes events of the type L storable under a kind, which must never change.
func registerLeaf[L Event](kind string) struct{} {
	if _, taken := leafTypes[kind]; taken || slices.Contains([]string{kindCompose, kindRepeat, kindGroup, kindAsReplaceOne, kindByRoutes, kindCovered}, kind) {
		panic(fmt.Sprintf("accountant: two codecs for the kind %q", kind))
	}
	t := reflect.TypeFor[L]()
	leafTypes[kind] = t
	plainLeaves[t] = t.Comparable()
	return struct{}{}
}

// isLeaf reports whether e is one of this package's mechanisms, a plain value that compares: not a combinator, and no type of others.
func isLeaf(e Event) bool { return plainLeaves[reflect.TypeOf(e)] }

// Marshal stores an event as JSON,
//
//	{"version":1,"event":{"kind":"gaussian","sensitivity":1,"sigma":2,"neighbours":"replace-one"}},
//
// with {"kind":"compose","events":[…]}, {"kind":"repeat","event":…,"count":n}, {"kind":"group","event":…,"size":n},
// {"kind":"as_replace_one","event":…}, {"kind":"covered","event":…,"failure":…,"distance":…,"by":…} and {"kind":"by_routes","name":…,"neighbours":…,"routes":[…]} for the
// combinators. Curves of [ByRoutes] are stored as values at fixed orders, and cost up to about 1 % more when read.
// Fields have the names of the leaf's, in snake case, and all are present; floats are exact, infinities
// are strings. The error wraps [ErrCodec].
func Marshal(e Event) ([]byte, error) {
	body, err := marshalEvent(e, 0)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, `{"version":%d,"event":%s}`, codecVersion, body), nil
}

// Unmarshal reads what [Marshal] wrote. It refuses an unknown version, kind or field, a missing or
// repeated field and anything after the event: a stored event means what it meant, or nothing.
// Parameters out of range are refused when the event is priced. The error wraps [ErrCodec].
func Unmarshal(raw []byte) (Event, error) {
	fields, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	if err := fields.only("version", "event"); err != nil {
		return nil, err
	}
	var version int
	if err := json.Unmarshal(fields["version"], &version); err != nil || version != codecVersion {
		return nil, fmt.Errorf("accountant: codec: version: got %s, want %d; read it with the release that wrote it: %w",
			clip(fields["version"]), codecVersion, ErrCodec)
	}
	return unmarshalEvent(fields["event"], 0)
}

func marshalEvent(e Event, depth int) ([]byte, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("accountant: codec: event: got more than %d levels of combinators, want fewer: %w", maxDepth, ErrCodec)
	}
	if e == nil {
		return nil, fmt.Errorf("accountant: codec: event: got nil, want an event: %w", ErrCodec)
	}
	if raw, ok, err := marshalCombinator(e, depth); err != nil {
		return nil, err
	} else if ok {
		return raw, nil
	}
	v := reflect.ValueOf(e)
	for kind, t := range leafTypes {
		if t == v.Type() {
			raw, err := appendStruct(fmt.Appendf(nil, `{"kind":%q,`, kind), v)
			if err != nil {
				return nil, fmt.Errorf("accountant: codec: %s: %w", kind, err)
			}
			return raw, nil
		}
	}
	return nil, fmt.Errorf("accountant: codec: event: got a %T, want a leaf of this package or a combinator of such: %w", e, ErrCodec)
}

func unmarshalEvent(raw []byte, depth int) (Event, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("accountant: codec: event: got more than %d levels of combinators, want fewer: %w", maxDepth, ErrCodec)
	}
	fields, err := readObject(raw)
	if err != nil {
		return nil, err
	}
	var kind string
	if err := json.Unmarshal(fields["kind"], &kind); err != nil {
		return nil, fmt.Errorf("accountant: codec: kind: got %s, want a string: %w", clip(fields["kind"]), ErrCodec)
	}
	if read, ok := combinatorReaders()[kind]; ok {
		return read(fields, depth)
	}
	t, ok := leafTypes[kind]
	if !ok {
		return nil, fmt.Errorf("accountant: codec: kind: got %q, want one that this release knows: %w", kind, ErrCodec)
	}
	delete(fields, "kind")
	v := reflect.New(t).Elem()
	if err := readStruct(fields, v); err != nil {
		return nil, fmt.Errorf("accountant: codec: %s: %w", kind, err)
	}
	return v.Interface().(Event), nil
}
