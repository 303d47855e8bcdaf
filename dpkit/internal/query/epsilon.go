package query

import "reflect"

// EpsilonOf is the ε of a mechanism: of its field of that name, of a struct that it embeds, or of the option that it holds.
func EpsilonOf(m any) (float64, bool) {
	f := reflect.ValueOf(m)
	for f.IsValid() {
		if f.Kind() == reflect.Interface {
			f = f.Elem()
			continue
		}
		if f.Kind() == reflect.Float64 {
			return f.Float(), true
		}
		f = towardsEpsilon(f)
	}
	return 0, false
}

// WithEpsilon is a copy of a mechanism of which EpsilonOf holds, with that ε.
func WithEpsilon(m any, epsilon float64) any {
	return withEpsilon(reflect.ValueOf(m), epsilon).Interface()
}

// withEpsilon copies v, and what it holds on the way to its ε.
func withEpsilon(v reflect.Value, epsilon float64) reflect.Value {
	if v.Kind() == reflect.Interface {
		return withEpsilon(v.Elem(), epsilon)
	}
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	f := towardsEpsilon(out)
	if f.Kind() == reflect.Float64 {
		f.SetFloat(epsilon)
		return out
	}
	f.Set(withEpsilon(f, epsilon))
	return out
}

// towardsEpsilon is the field Epsilon of a struct, or the one that leads there.
func towardsEpsilon(v reflect.Value) reflect.Value {
	if v.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Name == "Epsilon" && f.Type.Kind() == reflect.Float64 {
			return v.Field(i)
		}
	}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.IsExported() && (f.Anonymous || f.Type == reflect.TypeFor[Target]() || f.Type.Kind() == reflect.Interface) && leads(v.Field(i)) {
			return v.Field(i)
		}
	}
	return reflect.Value{}
}

// leads reports whether there is an ε behind v.
func leads(v reflect.Value) bool {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	return v.IsValid() && towardsEpsilon(v).IsValid()
}
