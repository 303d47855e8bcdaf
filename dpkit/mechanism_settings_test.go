package dpkit

import (
	"go/ast"
	"go/token"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// enumerated are the values of every type of texts that the face and the rooms declare constants of, such as MeanLocator.
var enumerated = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, source := range sources() {
		for _, file := range source.files {
			ast.Inspect(file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
					note(out, spec)
				}
				return true
			})
		}
	}
	return out
})

// note adds an exported constant whose value is a text to those of its type.
func note(values map[string][]string, spec *ast.ValueSpec) {
	typ, named := spec.Type.(*ast.Ident)
	text, literal := spec.Values[0].(*ast.BasicLit)
	if named && literal && text.Kind == token.STRING && ast.IsExported(spec.Names[0].Name) {
		v, err := strconv.Unquote(text.Value)
		if err != nil {
			panic(err)
		}
		values[typ.Name] = append(values[typ.Name], v)
	}
}

// choices are the values of a parameter of which a mechanism has a few, each with its name: those of an enumeration, the structs
// of an interface, what a certificate rests on, and a switch that is on.
func choices(t reflect.Type) (names []string, values []reflect.Value) {
	add := func(name string, v any) {
		names, values = append(names, name), append(values, reflect.ValueOf(v).Convert(t))
	}
	switch {
	case t == reflect.TypeFor[Certificate]():
		for name, c := range certificates {
			add(name, c)
		}
	case t.Kind() == reflect.Bool:
		add("on", true)
	case t.Kind() == reflect.String && enumerated()[t.Name()] != nil:
		for _, v := range enumerated()[t.Name()] {
			add(strconv.Quote(v), v)
		}
	case t.Kind() == reflect.Interface:
		for _, v := range knownVariants(t) {
			add(reflect.TypeOf(v).Name(), v)
		}
	}
	return names, values
}

var certificates = map[string]Certificate{
	"declared": Declare(0.25),
	"tested":   Test(0.25, Tested{Share: 0.125, Delta: 1e-9}),
	"bounded":  Bound(Tested{Share: 0.125, Delta: 1e-9}),
}

// samples are values of a parameter of any other kind, which a text must not lose.
func samples(t reflect.Type) (out []reflect.Value) {
	var all []any
	switch t.Kind() {
	case reflect.Struct:
		if t == reflect.TypeFor[models.Candidate]() {
			all = []any{models.NewCandidate(LinearModel{Label: "y, z", Hi: 1, Columns: []string{`"`}, Coef: []float64{5e-324}}), models.NewCandidate(nil)}
		}
	case reflect.Float64:
		all = []any{0.1 + 0.2, 5e-324, 1e21, -math.MaxFloat64, math.Inf(1)}
	case reflect.Int:
		all = []any{7, math.MinInt}
	case reflect.String:
		all = []any{"a \"b\"\n\u00e9, c = 1)"}
	case reflect.Slice:
		switch t.Elem() {
		case reflect.TypeFor[float64]():
			all = []any{[]float64{-1e300, 5e-324, 1}}
		case reflect.TypeFor[string]():
			all = []any{[]string{"a", "b, c", `"`}}
		case reflect.TypeFor[Condition]():
			all = []any{[]Condition{Is("a", "x", "y"), Between("b, c", -0.5, math.Inf(1))}, []Condition{Is(`"`), Not(Or(And(), Is("a", "x")))}}
		case reflect.TypeFor[models.Candidate]():
			of := func(m Predictor) models.Candidate { return models.NewCandidate(m) }
			all = []any{
				[]models.Candidate{of(LinearModel{Label: "y, z", Hi: 1, Columns: []string{`"`}, Coef: []float64{5e-324}}), of(nil)},
				[]models.Candidate{of(ClassModel{Label: "y", Classes: [2]string{"<1", "≥1"}, Provenance: Provenance{Release: "FitHinge(ε = 1)", NotPrivate: "a demonstration"}})},
			}
		case reflect.TypeFor[TableStatistic]():
			all = []any{[]TableStatistic{{Of: "count"}, {Of: "share", Column: "a, b", Level: `"`}}}
		}
	}
	for _, v := range all {
		out = append(out, reflect.ValueOf(v))
	}
	return out
}

// A parameter of a mechanism: a field that its text names, by the path to it, and to the option that holds it where the mechanism has
// a choice of options.
type parameter struct {
	path   string
	option []int // an interface whose struct holds the field; nil: the mechanism does
	index  []int
	typ    reflect.Type
}

// parametersOf lists the parameters of a mechanism, or of a struct that a parameter holds.
func parametersOf(m any) (out []parameter) {
	var walk func(v reflect.Value, path string, option, index []int)
	walk = func(v reflect.Value, path string, option, index []int) {
		for i := range v.NumField() {
			f, x := v.Type().Field(i), v.Field(i)
			at := append(slices.Clone(index), i)
			name := strings.TrimPrefix(path+"."+f.Name, ".")
			switch {
			case f.Tag.Get("dp") == "-":
			case f.Type.Kind() == reflect.Struct && !kind.HasText(f.Type):
				if f.Anonymous || f.Tag.Get("dp") == "inline" {
					name = path
				}
				walk(x, name, option, at)
			case f.Name == "How":
				walk(x.Elem(), path, at, nil)
			default:
				out = append(out, parameter{name, option, at, f.Type})
			}
		}
	}
	walk(reflect.ValueOf(m), "", nil, nil)
	return out
}

// valueOf is the value of a parameter.
func valueOf(m any, p parameter) reflect.Value {
	v := reflect.ValueOf(m)
	if p.option != nil {
		v = v.FieldByIndex(p.option).Elem()
	}
	return v.FieldByIndex(p.index)
}

// withSetting copies a mechanism with one parameter set.
func withSetting(m any, p parameter, v reflect.Value) any {
	c := reflect.New(reflect.TypeOf(m)).Elem()
	c.Set(reflect.ValueOf(m))
	if p.option == nil {
		c.FieldByIndex(p.index).Set(v)
		return c.Interface()
	}
	how := c.FieldByIndex(p.option)
	option := reflect.New(how.Elem().Type()).Elem()
	option.Set(how.Elem())
	option.FieldByIndex(p.index).Set(v)
	how.Set(option)
	return c.Interface()
}

// wayName is the name of a mechanism's kind, and of its option where it has a choice of them.
func wayName(m kind.Kinded) string {
	name := m.Kind().Name
	v := reflect.ValueOf(m)
	for v.NumField() > 0 {
		if f := v.Type().Field(0); f.Tag.Get("dp") == "base" {
			v = v.Field(0)
			continue
		} else if f.Name == "How" {
			name += ", " + v.Field(0).Elem().Type().Name()
		}
		break
	}
	return name
}

// settingsOf are the choices that a mechanism was made with, such as Noise "laplace" or ReleaseEigenvalue on.
func settingsOf(m any) map[string]bool {
	out := map[string]bool{}
	for _, p := range parametersOf(m) {
		x := valueOf(m, p)
		names, values := choices(p.typ)
		for i, c := range values {
			same := x.Comparable() && c.Comparable() && x.Equal(c)
			switch {
			case p.typ == reflect.TypeFor[Certificate]():
				is, of := x.Interface().(Certificate), c.Interface().(Certificate)
				same = is.Ground() == of.Ground() && query.IsOpen(is) == query.IsOpen(of)
			case p.typ.Kind() == reflect.Interface:
				same = !x.IsNil() && x.Elem().Type() == reflect.TypeOf(c.Interface())
			}
			if same {
				out[p.path+" "+names[i]] = true
			}
		}
	}
	return out
}

// TestEnumerationsAreSeen: the constants that completeness rests on are found in the files, and every parameter is of a kind that
// the tests of mechanisms vary.
func TestEnumerationsAreSeen(t *testing.T) {
	for typ, least := range map[string]int{"Noise": 2, "MeanLocator": 3, "MomentMethod": 3, "GradientNoise": 2, "StepRule": 3, "Averaging": 3, "Link": 3} {
		if got := enumerated()[typ]; len(got) < least {
			t.Errorf("%s: %d constants %q, want at least %d", typ, len(got), got, least)
		}
	}
	seen := map[string]bool{}
	for _, m := range knownMechanisms() {
		for _, p := range parametersOf(m.of) {
			names, _ := choices(p.typ)
			if len(names) == 0 && len(samples(p.typ)) == 0 {
				t.Errorf("%s: %s is a %v, of which no value is tried", m.of.Kind().Name, p.path, p.typ)
			}
			seen[p.typ.String()] = true
		}
	}
	if len(seen) < 10 {
		t.Errorf("parameters of %d types: %q", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}
