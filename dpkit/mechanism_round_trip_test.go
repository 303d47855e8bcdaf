package dpkit

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
)

// TestEveryMechanismRoundTrips: the text of a plan reads back to the same plan, of the same identity and price, for every
// kind of release, with each of its parameters at each of its choices or at several values; no two of these have the same text; and
// what was released survives JSON.
func TestEveryMechanismRoundTrips(t *testing.T) {
	t.Parallel()
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism) {
		base := e.end(d)
		seen := map[string]string{}
		check := func(what string, pl *plan, priced bool) {
			text := pl.String()
			if other, twice := seen[text]; twice {
				t.Errorf("%s has the text of %s: %s", what, other, text)
			}
			seen[text] = what
			p, err := Parse[any](d.s, text)
			if err != nil {
				t.Errorf("%s: %s: %v", what, text, err)
				return
			}
			got := p.(typedPlan[any]).of
			if got.String() != text || !reflect.DeepEqual(withoutCoordinator(got.m), withoutCoordinator(pl.m)) {
				t.Errorf("%s: got %s, want %s", what, got, text)
			}
			if got, want := must(got.chainIdentity()), must(pl.chainIdentity()); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: identity %v, want %v", what, got, want)
			}
			if !priced {
				return
			}
			if got, want := priceText(got), priceText(pl); got != want {
				t.Errorf("%s: price %s, want %s", what, got, want)
			}
		}
		check("the base", base, true)
		check("a name", base.named("a \"b\"\n"), true)
		check("no prediction", base.blinded(), true)
		tried := 0
		for _, p := range parametersOf(base.m) {
			was := valueOf(base.m, p)
			names, values := choices(p.typ)
			for i, v := range values {
				tried++
				if v.IsZero() && p.typ.Kind() != reflect.Interface || p.typ.Kind() != reflect.Interface && was.Comparable() && v.Comparable() && was.Equal(v) {
					continue // as the base is, or as it is without
				}
				if p.typ.Kind() == reflect.Interface && !was.IsNil() && was.Elem().Type() == reflect.TypeOf(v.Interface()) {
					continue
				}
				check(p.path+" "+names[i], m.end(base.p, withSetting(base.m, p, v)), true)
				if p.typ.Kind() == reflect.Interface {
					checkVariant(v.Interface(), func(what string, variant reflect.Value) {
						check(p.path+" "+names[i]+" "+what, m.end(base.p, withSetting(base.m, p, variant)), false)
					})
				}
			}
			for i, v := range samples(p.typ) {
				if len(names) > 0 {
					break
				}
				tried++
				check(fmt.Sprintf("%s, sample %d", p.path, i+1), m.end(base.p, withSetting(base.m, p, v)), false)
			}
		}
		if tried < 4 {
			t.Errorf("%d parameters tried", tried)
		}
		survivesJSON(t, base)
	})
}

// withoutCoordinator leaves out what no text holds.
func withoutCoordinator(m any) any {
	if l, ok := m.(local.LocalFit); ok {
		l.Coordinator = nil
		return l
	}
	return m
}

// priceText is what a plan costs, or why it has no price.
func priceText(pl *plan) string {
	c, err := pl.Cost()
	if err != nil {
		return err.Error()
	}
	return c.String()
}

// checkVariant tries the parameters of a struct that a parameter may hold.
func checkVariant(variant any, check func(what string, v reflect.Value)) {
	for _, p := range parametersOf(variant) {
		for i, v := range samples(p.typ) {
			check(fmt.Sprintf("with %s, sample %d", p.path, i+1), reflect.ValueOf(withSetting(variant, p, v)))
		}
	}
}

// survivesJSON: a released value that is stored and read back is the same in every exported field, and is stored the same again.
func survivesJSON(t *testing.T, pl *plan) {
	t.Helper()
	r, err := pl.release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	stored := must(json.Marshal(r.Value))
	again := reflect.New(reflect.TypeOf(r.Value).Elem())
	if err := json.Unmarshal(stored, again.Interface()); err != nil {
		t.Fatal(err)
	}
	if got := must(json.Marshal(again.Interface())); string(got) != string(stored) {
		t.Errorf("stored as %s, read back and stored as %s", stored, got)
	}
	if path := differs(reflect.ValueOf(r.Value).Elem(), again.Elem()); path != "" {
		t.Errorf("%s is lost in JSON", path)
	}
}

// differs names an exported field in which two values differ; "" if there is none.
func differs(a, b reflect.Value) string {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			f := a.Type().Field(i)
			if !f.IsExported() && !f.Anonymous {
				continue
			}
			if path := differs(a.Field(i), b.Field(i)); path != "" {
				return f.Name + "." + path
			}
		}
		return ""
	case reflect.Slice:
		if a.Len() != b.Len() {
			return "length"
		}
		for i := range a.Len() {
			if path := differs(a.Index(i), b.Index(i)); path != "" {
				return fmt.Sprintf("[%d].%s", i, path)
			}
		}
		return ""
	}
	if !a.CanInterface() || reflect.DeepEqual(a.Interface(), b.Interface()) {
		return ""
	}
	return fmt.Sprintf("%v, now %v", a, b)
}
