package query

import "reflect"

// Retargeted is a copy of a mechanism whose target is that (ε, δ) in place of its own, whatever its parameters are called: a field of
// type [Target], or fields Epsilon and Delta, of the mechanism, of options in it, or of the method that stands for an interface. It
// reports whether there is a target. Nothing else changes: the law of the noise is the mechanism's own.
func Retargeted(m any, epsilon, delta float64) (any, bool) {
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Struct {
		return m, false
	}
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(m))
	if !retarget(v, epsilon, delta) {
		return m, false
	}
	return v.Interface(), true
}

func retarget(v reflect.Value, epsilon, delta float64) bool {
	if v.Type() == reflect.TypeFor[Target]() {
		t := v.Interface().(Target)
		t.Epsilon, t.Delta, t.Margin, t.Level = epsilon, delta, 0, 0
		v.Set(reflect.ValueOf(t))
		return true
	}
	e, d := v.FieldByName("Epsilon"), v.FieldByName("Delta")
	if both := e.IsValid() && d.IsValid(); both && e.CanSet() && e.Kind() == reflect.Float64 && d.Kind() == reflect.Float64 {
		e.SetFloat(epsilon)
		d.SetFloat(delta)
		return true
	}
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		switch {
		case !f.IsExported():
		case x.Type() == reflect.TypeFor[Target](), x.Kind() == reflect.Struct && f.Anonymous:
			if retarget(x, epsilon, delta) {
				return true
			}
		case x.Kind() == reflect.Interface && !x.IsNil() && x.Elem().Kind() == reflect.Struct:
			of := reflect.New(x.Elem().Type()).Elem()
			of.Set(x.Elem())
			if retarget(of, epsilon, delta) {
				x.Set(of)
				return true
			}
		}
	}
	return false
}
