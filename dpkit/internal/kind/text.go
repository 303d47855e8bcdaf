package kind

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
)

// The text of a step is how it is written in a chain, with every parameter that is not the zero value:
//
//	Impute(Mean{Pad: 100}, "age", "pay")
//	FitLogistic(ε = 1, δ = 1e-06, Steps = 40, NoIntercept)
//
// Struct literals are Go's, lists stand in brackets, and the fields of a mechanism's options are named arguments. dpkit.Parse
// reads it back.

// A written value has a text of its own in place of a struct literal.
type written interface {
	// Text is how a chain writes the value, all of it: values that differ have texts that differ.
	Text() string
}

// A brief value is a [written] one whose text is too long for tables and messages.
type brief interface {
	// Short names it there.
	Short() string
}

// TextOf is the text of a step or a mechanism with all its parameters.
func TextOf(v any) string { return rendered(v, math.MaxInt) }

// A renamed step or mechanism is one whose call, options or their names in Go have changed since its first release.
type renamed interface {
	// IdentityText is its text of then, with parameters that are younger where they are not zero. It never changes.
	IdentityText() string
}

// IdentityText is what releases are told apart by: the text of a step or a mechanism as it was when the first release of its
// kind was made. A kind whose call, options or their names in Go have changed since has a method IdentityText, which says what was
// said then; parameters that are younger stand in it where they are not zero.
func IdentityText(v any) string {
	if k, ok := own(v); ok {
		if k, ok := k.(renamed); ok {
			return k.IdentityText()
		}
	}
	return TextOf(v)
}

// Named is the text of a call whose arguments are the fields of the options that are not zero, each with its name: what mechanisms
// looked like in identities before their options were struct literals.
func Named(call string, options ...any) string {
	var args []string
	for _, o := range options {
		args = append(args, named(reflect.ValueOf(o), math.MaxInt)...)
	}
	return Call(call, args...)
}

// ShownItems of a list are shown in tables and messages.
const ShownItems = 8

// Describe names a step with its parameters on one line, for errors and tables. Long lists are cut.
func Describe(v any) string {
	if IsOwn(v) {
		return rendered(v, ShownItems)
	}
	if s, ok := v.(fmt.Stringer); ok {
		return s.String()
	}
	if _, ok := KindFor(v); ok {
		return Composite(reflect.ValueOf(v), ShownItems)
	}
	return fmt.Sprintf("%T", v)
}

func rendered(v any, items int) string {
	k, ok := KindFor(v)
	switch {
	case !ok:
		return Call("With", Describe(v))
	case k.Call == "":
		return Call("With", strconv.Quote(k.Name), Composite(reflect.ValueOf(v), items))
	}
	return Call(k.Call, arguments(reflect.ValueOf(v), items)...)
}

// arguments are those of a kind's call, in the order of its fields. The last field, if it is a list, is spread.
func arguments(v reflect.Value, items int) (out []string) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		switch tag := f.Tag.Get("dp"); {
		case tag == "-":
		case tag == "inline":
			out = append(out, named(x, items)...)
		case tag == "base":
			out = append(out, arguments(x, items)...)
		case x.Kind() == reflect.Slice && i == v.NumField()-1:
			out = append(out, list(x, items)...)
		default:
			out = append(out, value(x, items))
		}
	}
	return out
}

// named are the fields of a mechanism's options that are not zero.
func named(v reflect.Value, items int) (out []string) {
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		switch {
		case f.Anonymous:
			out = append(out, named(x, items)...)
		case isZero(x):
		case x.Kind() == reflect.Bool:
			out = append(out, f.Name)
		default:
			out = append(out, argumentName(f.Name)+" = "+value(x, items))
		}
	}
	return out
}

// argumentName is the name of a field in a call.
func argumentName(field string) string {
	switch field {
	case "Epsilon":
		return "ε"
	case "Delta":
		return "δ"
	}
	return field
}

// Composite is a struct literal.
func Composite(v reflect.Value, items int) string {
	var out []string
	for i := range v.NumField() {
		if x := v.Field(i); !isZero(x) {
			out = append(out, v.Type().Field(i).Name+": "+value(x, items))
		}
	}
	return v.Type().Name() + "{" + strings.Join(out, ", ") + "}"
}

// isZero: a list is zero if it is empty, and −0 is 0.
func isZero(x reflect.Value) bool { return x.IsZero() || x.Kind() == reflect.Slice && x.Len() == 0 }

func value(x reflect.Value, items int) string {
	if HasText(x.Type()) && x.CanInterface() {
		if b, ok := x.Interface().(brief); ok && items <= ShownItems {
			return b.Short()
		}
		if w, ok := x.Interface().(written); ok {
			return w.Text()
		}
	}
	switch x.Kind() {
	case reflect.Float64:
		return Decimal(x.Float())
	case reflect.Bool:
		return strconv.FormatBool(x.Bool())
	case reflect.String:
		return strconv.Quote(x.String())
	case reflect.Slice:
		return "[" + strings.Join(list(x, items), ", ") + "]"
	case reflect.Struct:
		return Composite(x, items)
	case reflect.Interface:
		if x.IsNil() {
			return "nil"
		}
		return value(x.Elem(), items)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(x.Uint(), 10)
	}
	if x.CanInt() {
		return strconv.FormatInt(x.Int(), 10)
	}
	return x.Type().String() // no parameter of a kind
}

// GoName is the name that a program knows a type by: those of this module's rooms are on the face.
func GoName(t reflect.Type) string {
	if t.Name() != "" && strings.HasPrefix(t.PkgPath(), "github.com/dpkit-go/dpnb/dpkit") {
		return "dpkit." + t.Name()
	}
	return t.String()
}

// PointedTo is what an option points to that was given by a pointer; a nil pointer is none.
func PointedTo[T any](option T) (none T) {
	p := reflect.ValueOf(option)
	if p.Kind() != reflect.Pointer {
		return option
	}
	if p.IsNil() {
		return none
	}
	if v, ok := p.Elem().Interface().(T); ok {
		return v
	}
	return option
}

// HasText reports whether a type of this module has a text of its own. A type that embeds one of these has its methods, and
// fields beside; what a type elsewhere calls its text need not tell its values apart.
func HasText(t reflect.Type) bool {
	if !t.Implements(reflect.TypeFor[written]()) || !strings.HasPrefix(t.PkgPath(), rooms) {
		return false
	}
	if t.Kind() == reflect.Struct {
		for i := range t.NumField() {
			if f := t.Field(i); f.Anonymous && f.Type.Implements(reflect.TypeFor[written]()) {
				return false
			}
		}
	}
	return true
}

// Decimal is the shortest text that reads back as x.
func Decimal(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// list are the items of a list, of which so many are shown.
func list(x reflect.Value, items int) []string {
	n := x.Len()
	shown := min(n, items)
	var out []string
	for i := range shown {
		out = append(out, value(x.Index(i), items))
	}
	if shown < n {
		out = append(out, fmt.Sprintf("… %d in all", n))
	}
	return out
}

// Call renders a step as it is written in a chain.
func Call(name string, args ...string) string { return name + "(" + strings.Join(args, ", ") + ")" }

// QuoteAll quotes each name as Go does, for messages and for the arguments of [Call].
func QuoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strconv.Quote(n)
	}
	return out
}
