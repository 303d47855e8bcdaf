package query

import (
	"reflect"

	"github.com/dpkit-go/dpnb/accountant"
)

// Retargeted is a copy of a mechanism whose target is that (ε, δ) in place of its own, whatever its parameters are called: a field of
// type [Target], or fields Epsilon and Delta, of the mechanism, of options in it, or of the method that stands for an interface. It
// reports whether there is a target. Nothing else changes: the law of the noise is the mechanism's own.
func Retargeted(m any, epsilon, delta float64) (any, bool) {
	return withTarget(m, func(b accountant.Budget) accountant.Budget { return accountant.Budget{Epsilon: epsilon, Delta: delta} })
}

// BudgetOf is the target of a mechanism, as Retargeted finds it.
func BudgetOf(m any) (b accountant.Budget, ok bool) {
	_, ok = withTarget(m, func(own accountant.Budget) accountant.Budget { b = own; return own })
	return b, ok
}

func withTarget(m any, to func(accountant.Budget) accountant.Budget) (any, bool) {
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Struct {
		return m, false
	}
	v := reflect.New(t).Elem()
	v.Set(reflect.ValueOf(m))
	if !retarget(v, to) {
		return m, false
	}
	return v.Interface(), true
}

func retarget(v reflect.Value, to func(accountant.Budget) accountant.Budget) bool {
	if v.Type() == reflect.TypeFor[Target]() {
		t := v.Interface().(Target)
		b := to(t.Budget())
		t.Epsilon, t.Delta, t.Margin, t.Level = b.Epsilon, b.Delta, 0, 0
		v.Set(reflect.ValueOf(t))
		return true
	}
	if own := aim(v); own.IsValid() {
		return retarget(own, to)
	}
	e, d := v.FieldByName("Epsilon"), v.FieldByName("Delta")
	if both := e.IsValid() && d.IsValid(); both && e.CanSet() && e.Kind() == reflect.Float64 && d.Kind() == reflect.Float64 {
		b := to(accountant.Budget{Epsilon: e.Float(), Delta: d.Float()})
		e.SetFloat(b.Epsilon)
		d.SetFloat(b.Delta)
		return true
	}
	for i := range v.NumField() {
		f, x := v.Type().Field(i), v.Field(i)
		switch {
		case !f.IsExported():
		case x.Kind() == reflect.Struct && f.Anonymous:
			if retarget(x, to) {
				return true
			}
		case x.Kind() == reflect.Interface && !x.IsNil() && x.Elem().Kind() == reflect.Struct:
			of := reflect.New(x.Elem().Type()).Elem()
			of.Set(x.Elem())
			if retarget(of, to) {
				x.Set(of)
				return true
			}
		}
	}
	return false
}
