package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestEveryStepRoundTrips: the text of each kind of step is read back to the same step, whatever its parameters are.
func TestEveryStepRoundTrips(t *testing.T) {
	s := must(Demo(tinyFrame(t, 30, 1), 1, ReplaceOne))
	same := func(step stage.Preprocessor) {
		t.Helper()
		if j, ok := step.(steps.JoinPeople); ok { // its table is the session's
			s.tables = &secondTables{}
			s.tables.add(&Session{schema: j.With.In, tables: s.tables, second: j.With.Table})
		}
		text := kind.TextOf(step)
		p, err := ParsePipeline(s, text)
		if err != nil || len(p.steps) != 1 {
			t.Errorf("%s: %v", text, err)
			return
		}
		if got := p.steps[0]; kind.TextOf(got) != text || reflect.TypeOf(got) != reflect.TypeOf(step) {
			t.Errorf("%s of %T is read as %s of %T", text, step, kind.TextOf(got), got)
		} else if !sameParameters(reflect.ValueOf(got), reflect.ValueOf(step)) {
			t.Errorf("%s: got %+v, want %+v", text, got, step)
		}
	}
	texts := map[string]bool{}
	for _, known := range knownSteps() {
		name := known.Kind().Name
		r := rand.New(rand.NewPCG(1, seedOf(name)))
		for range 40 {
			v := reflect.New(reflect.TypeOf(known)).Elem()
			v.Set(reflect.ValueOf(known))
			fillParameters(t, r, v)
			step := v.Interface().(stage.Preprocessor)
			if f, ok := step.(steps.Spectral); ok { // a centred filter is a step of another type
				step = f.Filter.(Components).Pca()
			}
			if k, _ := kind.KindFor(step); k.Name != name {
				t.Fatalf("filling %s made a %s", name, k.Name)
			}
			same(step)
			texts[kind.TextOf(step)] = true
		}
		for _, a := range stepEntries()[name].attacks {
			for _, u := range []float64{1, 0x1p-190, 0x1p194} {
				for _, step := range a.chain(Pipeline{}, u).steps {
					same(step)
				}
			}
		}
	}
	if len(texts) < 10*len(knownSteps()) {
		t.Errorf("%d different texts: the parameters do not vary", len(texts))
	}
}

// fillParameters sets the exported parameters of a step to anything; the option that tells it from others of its call keeps its type.
func fillParameters(t *testing.T, r *rand.Rand, v reflect.Value) {
	t.Helper()
	if v.CanSet() && v.Type() == reflect.TypeFor[Certificate]() {
		q := Tested{Share: r.Float64(), Delta: math.Pow(10, -9*r.Float64())}
		c := []Certificate{{}, Declare(anyNumber(r)), Test(anyNumber(r), q), Bound(q)}[r.IntN(4)]
		v.Set(reflect.ValueOf(c))
		return
	}
	if v.Type() == reflect.TypeFor[steps.Second]() {
		of := steps.Second{Table: []string{"drugs", "a \"b\"\n)"}[r.IntN(2)], In: mustSchema(frames.Person("id"), frames.Numeric("x", 0, 1))}
		for range r.IntN(3) {
			step := reflect.New(reflect.TypeFor[steps.PerPerson]()).Elem()
			fillParameters(t, r, step)
			of.Steps = append(of.Steps, steps.ClipNorm{R: anyNumber(r)}, step.Interface().(stage.Preprocessor))
		}
		v.Set(reflect.ValueOf(of))
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); (f.IsExported() || f.Anonymous) && f.Tag.Get("dp") != "-" && f.Name != "Keep" {
				fillParameters(t, r, v.Field(i))
			}
		}
	case reflect.Interface:
		if v.IsNil() {
			all := knownVariants(v.Type())
			v.Set(reflect.ValueOf(all[r.IntN(len(all))]))
		}
		held := reflect.New(v.Elem().Type()).Elem()
		held.Set(v.Elem())
		fillParameters(t, r, held)
		v.Set(held)
	case reflect.Slice:
		out := reflect.MakeSlice(v.Type(), r.IntN(4), 4)
		for i := range out.Len() {
			fillParameters(t, r, out.Index(i))
		}
		v.Set(out)
	case reflect.Float64:
		v.SetFloat(anyNumber(r))
	case reflect.Int:
		v.SetInt(int64(r.IntN(2000) - 1000))
	case reflect.Uint8:
		v.SetUint(uint64(r.IntN(2)))
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.String:
		v.SetString([]string{"", "a", "é \"b\"\n", "x.y(1, 2)", fmt.Sprint(r.Uint64())}[r.IntN(5)])
	default:
		t.Fatalf("a parameter is a %v: say how it is filled", v.Type())
	}
}

func anyNumber(r *rand.Rand) float64 {
	return []float64{0, 1, -1, 0.1, 5e-324, -math.MaxFloat64, 1e21, math.Inf(1), math.NaN(), r.NormFloat64(), math.Exp(300 * r.NormFloat64())}[r.IntN(11)]
}

// sameParameters compares values of one type; an empty list is none, and a number that is none is itself.
func sameParameters(a, b reflect.Value) bool {
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Tag.Get("dp") != "-" && !sameParameters(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Interface:
		return a.IsNil() == b.IsNil() && (a.IsNil() || sameParameters(a.Elem(), b.Elem()))
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !sameParameters(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float64:
		return a.Float() == b.Float() || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	}
	return a.Equal(b)
}
