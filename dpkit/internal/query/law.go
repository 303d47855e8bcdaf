package query

import "reflect"

// AtEitherLaw is a mechanism with a [Target] whose noise may be of either law: without one the law is chosen for it.
type AtEitherLaw interface{ AtEitherLaw() }

// OfIntegers is a mechanism at either law whose pure law may be the geometric one.
type OfIntegers interface{ OfIntegers() }

// PureLaws are a mechanism that asks for no law, as it is with each law of noise that it may have of pure ε, at the same ε, or margin, and
// δ = 0: none for one that asks for a law, or has none to choose.
func PureLaws(m any) (at []any) {
	if _, ok := m.(AtEitherLaw); !ok {
		return nil
	}
	t, ok := AimOf(m)
	if !ok || t.Noise != "" || t.Delta == 0 {
		return nil
	}
	t.Noise, t.Delta = NoiseLaplace, 0
	at = append(at, targeting(m, t))
	if _, ok := m.(OfIntegers); ok {
		t.Noise = NoiseGeometric
		at = append(at, targeting(m, t))
	}
	return at
}

// withTarget is a copy of a mechanism of which AimOf holds, with another target.
func targeting(m any, t Target) any {
	v := reflect.New(reflect.TypeOf(m)).Elem()
	v.Set(reflect.ValueOf(m))
	aim(v).Set(reflect.ValueOf(t))
	return v.Interface()
}
