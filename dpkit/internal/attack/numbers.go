package attack

import "reflect"

// Numbers are those in a value and in what it holds, such as the parameters of a step: see Subject.Points.
func Numbers(v any) []float64 {
	var out []float64
	var walk func(v reflect.Value, depth int)
	walk = func(v reflect.Value, depth int) {
		if depth > 6 || len(out) > 64 {
			return
		}
		switch v.Kind() {
		case reflect.Float32, reflect.Float64:
			out = append(out, v.Float())
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
			out = append(out, float64(v.Int()))
		case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			out = append(out, float64(v.Uint()))
		case reflect.Pointer, reflect.Interface:
			if !v.IsNil() {
				walk(v.Elem(), depth+1)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				walk(v.Field(i), depth+1)
			}
		case reflect.Slice, reflect.Array:
			for i := range min(v.Len(), 64) {
				walk(v.Index(i), depth+1)
			}
		}
	}
	walk(reflect.ValueOf(v), 0)
	return out
}
