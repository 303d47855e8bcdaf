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
	return Retargeted(m, t)
}

// Retargeted is a copy of a mechanism of which AimOf holds, with another target.
func Retargeted(m any, t Target) any {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	aim(v).Set(reflect.ValueOf(t))
	return v.Interface()
}
