package query

import "reflect"

// aim finds the [Target] of a mechanism: a field of that type.
func aim(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Struct {
		for i := range v.NumField() {
			if f := v.Field(i); f.Type() == reflect.TypeFor[Target]() {
				return f
			}
		}
	}
	return reflect.Value{}
}

// OfMargins is a mechanism with a [Target] that may ask for margins of its own, in place of those of the target. Beside an ε they part the
// noise alone.
type OfMargins interface{ Margins() bool }

// AsksMargins says whether a mechanism asks for margins of its own.
func AsksMargins(m any) bool {
	of, ok := m.(OfMargins)
	return ok && of.Margins()
}

// AimOf is the target of a mechanism that has one; others have options of their own.
func AimOf(m any) (Target, bool) {
	f := aim(reflect.ValueOf(m))
	if !f.IsValid() {
		return Target{}, false
	}
	return f.Interface().(Target), true
}

// Aimed is a copy of a mechanism of which AimOf holds, with that ε in place of the margin that was asked for.
func Aimed(m any, epsilon float64) any {
	t, _ := AimOf(m)
	t.Epsilon, t.Margin, t.Level = epsilon, 0, 0
	return targeting(m, t)
}

// AimedAt is a copy of a mechanism of which AimOf holds, with that target.
func AimedAt(m any, t Target) any {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	aim(v).Set(reflect.ValueOf(t))
	return v.Interface()
}
