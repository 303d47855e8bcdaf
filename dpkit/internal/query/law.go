package query

import "reflect"

// AtEitherLaw is a mechanism with a [Target] whose noise may be of either law: without one the law is chosen for it.
type AtEitherLaw interface{ AtEitherLaw() }

// WithLaplace is a mechanism that asks for no law, as it is with Laplace noise at the same ε, or margin, and δ = 0. ok is false for one
// that asks for a law, or has none to choose.
func WithLaplace(m any) (laplace any, ok bool) {
	if _, ok := m.(AtEitherLaw); !ok {
		return nil, false
	}
	t, ok := AimOf(m)
	if !ok || t.Noise != "" || t.Delta == 0 {
		return nil, false
	}
	t.Noise, t.Delta = NoiseLaplace, 0
	return targeting(m, t), true
}

// withTarget is a copy of a mechanism of which AimOf holds, with another target.
func targeting(m any, t Target) any {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	aim(v).Set(reflect.ValueOf(t))
	return v.Interface()
}
