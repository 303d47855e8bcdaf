package dpkit

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/frames"
)

// uncertain is a model whose coefficients have an uncertainty.
type uncertain interface {
	Uncertainty(level float64) (coefficient.Uncertainty, error)
}

// lawOf is the law that each kind of release of a model carries, by its name among the entries of mechanisms.
var lawOf = map[string]string{
	"fit/linear, BestLinear":              coefficient.BySums,
	"fit/linear, AdaSSP":                  coefficient.BySums,
	"fit/linear, LinearMixing":            coefficient.BySketch,
	"fit/linear, OutputPerturbation":      coefficient.ByOutput,
	"fit/linear, RelativeGaussianDescent": coefficient.ByRelativeSteps,
	"fit/linear, Sheffet2017":             coefficient.BySketch,
	"fit/huber":                           coefficient.ByObjective,
	"fit/gradient":                        coefficient.OfMomentum,
	"fit/logistic":                        coefficient.OfMomentum,
	"fit/logistic-mixing":                 coefficient.BySketch,
	"fit/logistic-objective, ByObjective": coefficient.ByObjective,
	"fit/logistic-objective, Kifer2012":   coefficient.ByObjective,
	"fit/hinge":                           coefficient.ByObjective,
	"fit/logistic-report, ByObjective":    coefficient.ByObjective,
	"fit/logistic-report, Kifer2012":      coefficient.ByObjective,
	"fit/multinomial":                     coefficient.ByObjective,
	"fit/poisson":                         coefficient.ByObjective,
	"fit/unbounded":                       coefficient.ByClippedSums,
	"train/local":                         coefficient.OfCoordinator,
}

// coveredBy is the test that counts how often intervals of each law hold.
var coveredBy = map[string]string{
	coefficient.BySums: "TestLinearUncertainty", coefficient.BySketch: "TestLinearUncertainty", coefficient.ByOutput: "TestLinearUncertainty",
	coefficient.ByRelativeSteps: "TestLinearUncertainty", coefficient.ByObjective: "TestObjectiveUncertainty", coefficient.BySteps: "TestStepsUncertainty",
	coefficient.ByPass: "TestPassUncertainty", coefficient.ByClippedSums: "TestClippedSumsUncertainty", coefficient.NoNoise: "TestEveryModelSaysItsUncertainty",
}

// TestEveryModelSaysItsUncertainty: each kind of release of a model carries a law that is named here, which is counted by a test or says
// why nothing bounds the noise; it survives the model's file, and coefficients of public rows have no noise.
func TestEveryModelSaysItsUncertainty(t *testing.T) {
	t.Parallel()
	for _, law := range coefficient.Bounding() {
		if coveredBy[law] == "" {
			t.Errorf("law %q: no test counts how often its intervals hold", law)
		}
	}
	seen, data := map[string]bool{}, entryData(t)
	for _, e := range mechanismEntries() {
		value := releasedByDemo(t, e, data[e.data])
		if value == nil {
			continue
		}
		seen[e.kind] = true
		want, known := lawOf[e.kind]
		if !known {
			t.Errorf("%s: a model without a row: name its law, and the test that counts its intervals", e.kind)
			continue
		}
		u := must(value.Uncertainty(0.95))
		reason := slices.Contains(coefficient.Unbounded(), want)
		if got := lawNamed(t, value); got != want && !(got == "" && want == coefficient.BySketch) {
			t.Errorf("%s: got the law %q, want %q", e.kind, got, want)
		}
		if (u.Reason != "") != reason || (u.Of == "") != reason || (len(u.Intervals) == 0) != reason {
			t.Errorf("%s: got %+v", e.kind, u)
		}
		for _, level := range []float64{0, 1, -1} {
			if _, err := value.Uncertainty(level); err == nil {
				t.Errorf("%s: intervals at level %g", e.kind, level)
			}
		}
		back := reflect.New(reflect.TypeOf(value).Elem())
		if err := json.Unmarshal(must(json.Marshal(value)), back.Interface()); err != nil {
			t.Errorf("%s: %v", e.kind, err)
		} else if again := must(back.Interface().(uncertain).Uncertainty(0.95)); !reflect.DeepEqual(again, u) {
			t.Errorf("%s: read from its file: got %v, want %v", e.kind, again, u)
		}
	}
	for kind := range lawOf {
		if !seen[kind] {
			t.Errorf("%s: no release of a model has that name", kind)
		}
	}
}

// releasedByDemo is the model of a kind of release; nil of what is none.
func releasedByDemo(t *testing.T, e mechanismEntry, f *frames.Frame) uncertain {
	t.Helper()
	s := must(Demo(f, 1, e.rel))
	r, err := e.end(s.Data()).release(t.Context())
	if err != nil {
		return nil // a test that refuses
	}
	return modelOf(r.Value)
}

// modelOf is a released value with its uncertainty; nil of what is no model.
func modelOf(v any) uncertain {
	if m, ok := v.(uncertain); ok {
		return m
	}
	p := reflect.New(reflect.TypeOf(v))
	p.Elem().Set(reflect.ValueOf(v))
	m, _ := p.Interface().(uncertain)
	return m
}

func lawNamed(t *testing.T, value any) string {
	t.Helper()
	var file struct {
		Law   *coefficient.Law `json:"law"`
		Model struct {
			Law *coefficient.Law `json:"law"`
		} `json:"model"`
	}
	must(0, json.Unmarshal(must(json.Marshal(value)), &file))
	switch {
	case file.Law != nil:
		return file.Law.Law
	case file.Model.Law != nil:
		return file.Model.Law.Law
	}
	return ""
}
