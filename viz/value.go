package viz

import (
	"reflect"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Value shows a released value with what it promises: estimates as [Estimates], a table as [Groups], a score as [Score], correlations as [Correlation], a series as [Cumulative], a linear or logistic model as
// its 20 largest coefficients, every other value as the lines that it prints.
func Value[V any](v V) View { return value(&v) }

// value is [Value] of what p points to, in a function that a notebook's cell does not compile again.
func value(p any) View {
	switch v := p.(type) {
	case *dpkit.Estimates:
		return Estimates(*v)
	case *dpkit.CorrelationMatrix:
		return Correlation(*v)
	case *dpkit.Score:
		return Score(*v)
	case *dpkit.Series:
		return Cumulative(*v)
	case *dpkit.Table:
		return Groups(*v)
	case *dpkit.LogisticModel:
		return Coefficients(*v, shownCoefficients)
	case *dpkit.ReportedLogistic:
		return Coefficients(v.LogisticModel, shownCoefficients)
	case *dpkit.LinearModel:
		return LinearCoefficients(*v, shownCoefficients)
	}
	held := reflect.ValueOf(p).Elem()
	for held.Kind() == reflect.Pointer && !held.IsNil() {
		return value(held.Interface())
	}
	words, o := bare(held.Interface())
	return View{title: "Released value", blocks: []block{facts{{Name: "value", Value: words}}}}.promising(o)
}

const shownCoefficients = 20

// bare is what a value prints without its promise, and where it came from.
func bare(v any) (words string, o dpkit.Provenance) {
	if v == nil {
		return valueWords(v), o
	}
	p := reflect.New(reflect.TypeOf(v)).Elem()
	p.Set(reflect.ValueOf(v))
	if p.Kind() == reflect.Struct {
		if from, ok := reflect.TypeAssert[*dpkit.Provenance](carried(p)); ok {
			o, *from = *from, dpkit.Provenance{}
		}
	}
	return valueWords(p.Interface()), o
}

// carried points to the provenance that a value embeds; a pointer to nothing where there is none.
func carried(v reflect.Value) reflect.Value {
	if f := v.FieldByName("Provenance"); f.IsValid() && f.Type() == reflect.TypeFor[dpkit.Provenance]() {
		return f.Addr()
	}
	return reflect.ValueOf((*struct{})(nil))
}

// countedWords is a sentence that says what the numbers of a value are of; "" where that is all rows, as they are.
func countedWords(o dpkit.Provenance) string {
	if o.Counted == "" {
		return ""
	}
	return "Counted: " + clean(o.Counted) + "."
}

// exactOf is a sentence on intervals that hold the exact number: where steps drop rows or change values, of what is counted.
func exactOf(o dpkit.Provenance, sentence string) string {
	if o.Counted == "" {
		return sentence
	}
	return strings.NewReplacer(exactNumber+" of a group", exactNumber+" of what is counted in a group", exactNumber, exactNumber+" of what is counted").Replace(sentence)
}

// exactNumber is what intervals hold.
const exactNumber = "the exact number"

// promising is v with what a released value in it is of, and what it promises: on the picture, in the words and in the text that stands for it. The
// zero Provenance, of numbers that no release made, adds nothing.
func (v View) promising(o dpkit.Provenance) View {
	if o == (dpkit.Provenance{}) {
		return v
	}
	line, of := clean(o.Promise()), countedWords(o)
	if of != "" {
		v.blocks = append([]block{para{of}}, v.blocks...)
	}
	if v.fig == nil {
		o.Counted = "" // which was said
		v.blocks = append(v.blocks, Provenance(o).blocks...)
		return v
	}
	f := *v.fig
	if of != "" {
		f.Notes = append(append([]string(nil), f.Notes...), of)
		v.alt += " " + of
	}
	if o.Weak() {
		f.Alarms = append([]string{line}, f.Alarms...)
		v.blocks = append([]block{para{line}}, v.blocks...)
	} else {
		f.Notes = append(append([]string(nil), f.Notes...), line)
		v.blocks = append(append([]block(nil), v.blocks...), para{line})
	}
	v.fig = &f
	v.alt += " " + line + "."
	return v
}
