package dpkit

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
)

// priceFrame has a category, a cell that may miss and a numeric label.
func priceFrame(t testing.TB, n int) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(
		frames.Numeric("rooms", 1, 9).Clamped(), frames.Category("area", "north", "south"), frames.Numeric("age", 0, 120).MayMiss(),
		frames.Ignored("id"), frames.NumericLabel("price", 0, 50),
	))
	r := rand.New(rand.NewPCG(3, 3))
	rows := make([][]float64, n)
	for i := range rows {
		rooms, area, age := 1+8*r.Float64(), float64(r.IntN(2)), 120*r.Float64()
		rows[i] = []float64{rooms, area, age, num.Clamp(5+4*rooms+3*area-age/20, 0, 50)}
		if r.IntN(9) == 0 {
			rows[i][2] = nan
		}
	}
	return frameOf(t, s, rows)
}

// TestModelFilesRoundTrip: a stored model evaluates as before, and says what it promises, wherever it came from.
func TestModelFilesRoundTrip(t *testing.T) {
	ctx := t.Context()
	prices, people := priceFrame(t, 400), tinyFrame(t, 200, 5)
	budget := Budget{Epsilon: 6, Delta: 1e-4}
	sessions := func(f *frames.Frame) map[string]*Session {
		reserved := must(Create(f, Options{Ledger: ledgerPath(t), Budget: budget, Neighbours: AddRemove, Dataset: "test", Reserve: 1e-5}))
		t.Cleanup(func() { reserved.Close() })
		return map[string]*Session{"private": reserved, "demo": must(Demo(f, 1, AddRemove)), "public": must(OnPublic(frames.Public(f)))}
	}
	for mode, s := range sessions(prices) {
		for _, method := range []string{models.BestLinear, models.LinearMixing, models.AdaSSP, models.OutputPerturbation} {
			t.Run(fmt.Sprintf("linear, %s, %q", mode, method), func(t *testing.T) {
				r := must(s.Data().OneHot().Impute(Midpoint{}).Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-6, Method: method})).Release(ctx))
				raw := must(json.Marshal(r.Value))
				var back LinearModel
				if err := json.Unmarshal(raw, &back); err != nil {
					t.Fatal(err)
				}
				test := frames.Public(prices)
				if a, b := must(r.Value.Predict(ctx, test)), must(back.Predict(ctx, test)); !slices.Equal(a, b) {
					t.Error("the stored model predicts something else")
				}
				if a, b := must(json.Marshal(back)), raw; string(a) != string(b) {
					t.Errorf("%s became %s", b, a)
				}
				a, errA := r.Value.Intervals(0.9)
				b, errB := back.Intervals(0.9)
				if !slices.Equal(a, b) || (errA == nil) != (errB == nil) {
					t.Error("the stored model has other intervals")
				}
				checkProvenance(t, raw, back.Provenance, r.NotPrivate, r.Guarantee.Epsilon)
			})
		}
	}
	for mode, s := range sessions(people) {
		chain := s.Data().OneHot().Impute(Midpoint{}).Scale()
		for name, plan := range map[string]Plan[LogisticModel]{
			"descent":   chain.FitLogistic(ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 10}),
			"objective": chain.FitLogistic(ByObjective{Epsilon: 2, Delta: 1e-6}),
		} {
			t.Run(fmt.Sprintf("logistic, %s, %s", mode, name), func(t *testing.T) {
				r := must(plan.Release(ctx))
				raw := must(json.Marshal(r.Value))
				var back LogisticModel
				if err := json.Unmarshal(raw, &back); err != nil {
					t.Fatal(err)
				}
				test := frames.Public(people)
				if a, b := must(r.Value.Accuracy(ctx, test)), must(back.Accuracy(ctx, test)); a != b {
					t.Errorf("the stored model is right at %v, want %v", b, a)
				}
				if !reflect.DeepEqual(back.Coef, r.Value.Coef) || string(must(json.Marshal(back))) != string(raw) {
					t.Error("the stored model is another one")
				}
				checkProvenance(t, raw, back.Provenance, r.NotPrivate, r.Guarantee.Epsilon)
			})
		}
	}
}

func checkProvenance(t *testing.T, raw []byte, p Provenance, notPrivate string, epsilon float64) {
	t.Helper()
	if p.Release == "" || p.NotPrivate != notPrivate || (p.Guarantee == nil) != (notPrivate != "") {
		t.Errorf("provenance %+v", p)
	}
	if p.Guarantee != nil && p.Guarantee.Epsilon != epsilon {
		t.Errorf("guarantee %v, want ε = %g", p.Guarantee, epsilon)
	}
	if notPrivate != "" && !strings.Contains(string(raw), `"not_private":"`) {
		t.Errorf("the file does not say that it is not private: %s", raw)
	}
}

// TestModelFileHoldsNoSecret: a model that was released without prediction takes neither maps nor the schema along,
// and one behind a fitted step is not released with them.
func TestModelFileHoldsNoSecret(t *testing.T) {
	fit := must(Demo(priceFrame(t, 300), 1, ReplaceOne)).Data().OneHot().Impute(Mean{}).Scale().Center().
		FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6})
	if _, err := fit.Release(t.Context()); !errors.Is(err, ErrOrder) {
		t.Errorf("got %v, want ErrOrder", err)
	}
	r := must(fit.WithoutPrediction().Release(t.Context()))
	raw := must(json.Marshal(r.Value))
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		t.Fatal(err)
	}
	public := []string{"format", "version", "label", "lo", "hi", "method", "columns", "coef", "intercept", "errors", "intercept_error", "law", "release", "not_private", "predicted", "predicted_of", "counted"}
	for name := range fields {
		if !slices.Contains(public, name) {
			t.Errorf("the file has %q: %s", name, fields[name])
		}
	}
	var back LinearModel
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	if _, err := back.Predict(t.Context(), frames.Public(priceFrame(t, 5))); !errors.Is(err, ErrOrder) {
		t.Errorf("prediction: got %v, want ErrOrder", err)
	}
}

// TestLedgerValuesOfBefore: what a ledger holds of an earlier version replays.
func TestLedgerValuesOfBefore(t *testing.T) {
	var linear LinearModel
	if err := json.Unmarshal([]byte(`{"label":"y","lo":0,"hi":1,"columns":["a"],"coef":[2],"intercept":1}`), &linear); err != nil || linear.Coef[0] != 2 {
		t.Errorf("got %v, %v", linear.Coef, err)
	}
	var logistic LogisticModel
	if err := json.Unmarshal([]byte(`{"label":"","classes":["",""],"columns":null,"coef":null,"intercept":0}`), &logistic); err != nil {
		t.Error(err) // beside a test that refused
	}
}

// modelFile is a linear model's file with a change.
func modelFile(t testing.TB, from, to string) []byte {
	r := must(must(Demo(priceFrame(t, 200), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale().
		FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).Release(t.Context()))
	raw := string(must(json.Marshal(r.Value)))
	if !strings.Contains(raw, from) {
		t.Fatalf("%q is not in %s", from, raw)
	}
	return []byte(strings.Replace(raw, from, to, 1))
}

func TestModelFilesRefuse(t *testing.T) {
	for _, c := range []struct{ name, from, to, want string }{
		{"another kind", models.LinearKind, models.LogisticKind, `got format "dpkit.LogisticModel"`},
		{"no format", `"format":"dpkit.LinearModel",`, ``, `got format "" version 1`},
		{"a newer version", `"version":1`, `"version":2`, "newer version of this library"},
		{"an unknown field", `"label":`, `"labels":`, `"labels"`},
		{"no label", `"label":"price"`, `"label":""`, `label ""`},
		{"bounds the wrong way", `"lo":0`, `"lo":60`, "lo < hi"},
		{"a method that is none", `"method":"adassp"`, `"method":"ols"`, `"ols"`},
		{"a column less", `"columns":["rooms",`, `"columns":[`, "3 columns for 4 coefficients"},
		{"an error less", `"errors":[`, `"errors":[],"method":"adassp","x":[`, `"x"`},
		{"an error too many", `"errors":[`, `"errors":[0,`, "5 errors for 4"},
		{"a negative error", `"errors":[`, `"errors":[-`, "error 1"},
		{"a number too large", `"intercept":`, `"intercept":1e999,"intercept_error":`, "1e999"},
		{"a schema that is none", `"kind":"category"`, `"kind":"word"`, `kind "word"`},
		{"a schema without its maps", `"maps":[`, `"maps":[],"release":"","x":[`, `"x"`},
		{"a map of another width", `"onehot":{"levels":[0,2,0]}`, `"onehot":{"levels":[0,3,0]}`, "row operation"},
		{"a map that fills memory", `"onehot":{"levels":[0,2,0]}`, `"onehot":{"levels":[0,4611686018427387904,0]}`, "one-hot"},
		{"an operation that is none", `"onehot":{"levels":[0,2,0]}`, `"linear":null`, "unknown operation"},
		{"a matrix that overflows", `"onehot":{"levels":[0,2,0]}`, `"linear":{"rows":6148914691236517206,"columns":3,"matrix":[1,2]}`, "linear"},
		{"a guarantee that is none", `"not_private":`, `"guarantee":{"epsilon":-1,"delta":0,"neighbours":"add/remove","scope":{"kind":"unconditional"},"route":""},"not_private":`, "says that it is not private"},
		{"not an object", `{"format"`, `["format"`, "JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var m LinearModel
			err := json.Unmarshal(modelFile(t, c.from, c.to), &m)
			if c.name == "not an object" { // refused by encoding/json before the model is asked
				if err == nil {
					t.Error("got no error")
				}
				return
			}
			if !errors.Is(err, ErrModelFile) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want ErrModelFile and %q", err, c.want)
			}
			if m.Coef != nil {
				t.Error("a refused file left a model")
			}
		})
	}
	for _, p := range []string{
		`"epsilon":-1,"delta":0`, `"epsilon":1,"delta":1`, `"epsilon":1,"delta":-0.1`,
	} {
		g := `"guarantee":{` + p + `,"neighbours":"add/remove","scope":{"kind":"unconditional"},"route":""}`
		var m LinearModel
		if err := json.Unmarshal(modelFile(t, `"not_private":"`+demoReason+`"`, g), &m); !errors.Is(err, ErrModelFile) || !strings.Contains(err.Error(), "guarantee") {
			t.Errorf("%s: got %v", p, err)
		}
	}
}

// FuzzModelFile: what is read is written the same way again, and reads rows of its own schema without panic.
func FuzzModelFile(f *testing.F) {
	f.Add(modelFile(f, "", ""))
	chain := must(Demo(tinyFrame(f, 60, 1), 7, ReplaceOne)).Data()
	o := MutateOptions{From: []string{"pay"}, Func: "test.wave", Version: "1", Lo: -1, Hi: 1}
	r := must(chain.Ordinal("work").Mutate("wave", o).Bin([]float64{30, 50}, "age").OneHot().Impute(Midpoint{}).Scale().ClipNorm(0.9).
		FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).Release(f.Context()))
	f.Add(must(json.Marshal(r.Value)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var linear LinearModel
		if err := json.Unmarshal(raw, &linear); err == nil {
			var back LinearModel
			once := must(json.Marshal(linear))
			if err := json.Unmarshal(once, &back); linear.Check() == nil && (err != nil || string(must(json.Marshal(back))) != string(once)) {
				t.Fatalf("%s became %+v, %v", once, back, err)
			}
			if rows := anyRow(t, linear.Schema); rows != nil {
				_, _ = linear.Predict(t.Context(), rows)
			}
		}
		var logistic LogisticModel
		if err := json.Unmarshal(raw, &logistic); err == nil {
			var back LogisticModel
			once := must(json.Marshal(logistic))
			if err := json.Unmarshal(once, &back); logistic.Check() == nil && (err != nil || string(must(json.Marshal(back))) != string(once)) {
				t.Fatalf("%s became %+v, %v", once, back, err)
			}
			if rows := anyRow(t, logistic.Schema); rows != nil {
				_, _ = logistic.Predict(t.Context(), rows)
			}
		}
	})
}

// anyRow is one row of the schema, at the upper ends of its domain; nil where there can be none.
func anyRow(t *testing.T, s frames.Schema) *frames.PublicFrame {
	features := s.Features()
	if len(features) == 0 {
		return nil
	}
	b := &frames.Block{Rows: 1, Cols: len(features)}
	for _, c := range features {
		switch {
		case c.Block != "":
			b.X = append(b.X, 0)
		case len(c.Levels) > 0:
			b.X = append(b.X, float64(len(c.Levels)-1))
		default:
			b.X = append(b.X, c.Hi)
		}
	}
	if label, ok := s.Label(); ok {
		y := label.Hi
		if len(label.Levels) > 0 {
			y = 0
		}
		b.Y = []float64{y}
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Fatal(err)
	}
	return frames.Public(f)
}

// TestModelFileWithoutMaps: files as others may write them.
func TestModelFileWithoutMaps(t *testing.T) {
	var m LinearModel
	err := json.Unmarshal([]byte(`{"format":"dpkit.LinearModel","version":1,"label":"y","lo":0,"hi":1,"columns":["x"],"coef":[2],"intercept":-0.5,
		"schema":[{"name":"x","kind":"numeric","lo":0,"hi":1},{"name":"y","kind":"label","lo":0,"hi":1}]}`), &m)
	if err != nil {
		t.Fatal(err)
	}
	got := must(m.Predict(t.Context(), frames.Public(frameOf(t, m.Schema, [][]float64{{0, 0}, {0.5, 0}, {1, 0}}))))
	if want := []float64{0, 0.5, 1}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	// A code beyond the levels that a map encodes misses, as nothing else can be said of it, and nothing is predicted there.
	var l LogisticModel
	err = json.Unmarshal([]byte(`{"format":"dpkit.LogisticModel","version":1,"label":"y","classes":["n","p"],"columns":["a","b"],"coef":[1,2],"intercept":0,
		"schema":[{"name":"c","kind":"category","levels":["p","q","s"]},{"name":"y","kind":"label","levels":["n","p"]}],"maps":[{"onehot":{"levels":[2]}}]}`), &l)
	if err != nil {
		t.Fatal(err)
	}
	if p := must(l.Predict(t.Context(), frames.Public(frameOf(t, l.Schema, [][]float64{{1, 0}})))); len(p) != 1 || math.IsNaN(p[0]) {
		t.Errorf("got %v", p)
	}
	if p, err := l.Predict(t.Context(), frames.Public(frameOf(t, l.Schema, [][]float64{{1, 0}, {2, 0}}))); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "row 2") || p != nil {
		t.Errorf("got %v, %v", p, err)
	}
}

// TestOtherModelFiles: the other kinds of model are stored the same way.
func TestOtherModelFiles(t *testing.T) {
	ctx := t.Context()
	chain := must(Demo(tinyFrame(t, 200, 5), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale()
	class := must(chain.FitHinge(HingeLoss{}, ByObjective{Epsilon: 2, Delta: 1e-6}).Release(ctx)).Value
	test := frames.Public(tinyFrame(t, 200, 5))
	var back ClassModel
	if err := json.Unmarshal(must(json.Marshal(class)), &back); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(must(back.Margins(ctx, test)), must(class.Margins(ctx, test))) || back.NotPrivate == "" {
		t.Error("the stored classifier is another one")
	}

	s := must(frames.NewSchema(frames.Numeric("x", 0, 1), frames.Label("y", "a", "b", "c")))
	counts := must(frames.NewSchema(frames.Numeric("x", 0, 1), frames.NumericLabel("y", 0, 9)))
	rows := make([][]float64, 90)
	for i := range rows {
		rows[i] = []float64{float64(i) / 90, float64(i / 30)}
	}
	multi := must(must(Demo(frameOf(t, s, rows), 1, AddRemove)).Data().Scale().FitMultinomial(ByObjective{Epsilon: 2, Delta: 1e-6}).Release(ctx)).Value
	var several MultinomialModel
	if err := json.Unmarshal(must(json.Marshal(multi)), &several); err != nil {
		t.Fatal(err)
	}
	test = frames.Public(frameOf(t, s, rows))
	if !slices.Equal(must(several.Predict(ctx, test)), must(multi.Predict(ctx, test))) || several.NotPrivate == "" {
		t.Error("the stored model of classes is another one")
	}

	rate := must(must(Demo(frameOf(t, counts, rows), 1, AddRemove)).Data().Scale().FitPoisson(PoissonLoss{}, ByObjective{Epsilon: 2, Delta: 1e-6}).Release(ctx)).Value
	var stored RateModel
	if err := json.Unmarshal(must(json.Marshal(rate)), &stored); err != nil {
		t.Fatal(err)
	}
	test = frames.Public(frameOf(t, counts, rows))
	if !slices.Equal(must(stored.Predict(ctx, test)), must(rate.Predict(ctx, test))) || stored.NotPrivate == "" {
		t.Error("the stored model of rates is another one")
	}

	for name, bad := range map[string]any{
		"one class":          MultinomialModel{Label: "y", Classes: []string{"a"}, Coef: [][]float64{{}}, Intercepts: []float64{0}},
		"a class less":       MultinomialModel{Label: "y", Classes: []string{"a", "b"}, Coef: [][]float64{{}}, Intercepts: []float64{0, 0}},
		"a column less":      MultinomialModel{Label: "y", Classes: []string{"a", "b"}, Coef: [][]float64{{1}, {1}}, Intercepts: []float64{0, 0}},
		"no count":           RateModel{Label: "y"},
		"the same class":     ClassModel{Label: "y", Classes: [2]string{"a", "a"}},
		"a logistic without": LogisticModel{Label: "y"},
	} {
		raw := must(json.Marshal(bad))
		if err := json.Unmarshal(raw, reflect.New(reflect.TypeOf(bad)).Interface()); !errors.Is(err, ErrModelFile) {
			t.Errorf("%s: got %v, want ErrModelFile", name, err)
		}
	}
}

// TestModelFilesWithoutFormat: only the kinds that ledgers hold from before may lack one, and they promise nothing.
func TestModelFilesWithoutFormat(t *testing.T) {
	for name, c := range map[string]struct {
		into any
		raw  string
	}{
		"a class model":            {&ClassModel{}, `{"label":"y","classes":["a","b"]}`},
		"a rate model":             {&RateModel{}, `{"label":"y","max_count":-3}`},
		"several classes":          {&MultinomialModel{}, `{"label":"y","classes":["a"]}`},
		"a provenance":             {&LogisticModel{}, `{"label":"y","classes":["a","b"],"guarantee":{"epsilon":1,"delta":0,"neighbours":"add/remove","scope":{"kind":"unconditional"},"route":""}}`},
		"a report that is missing": {&ReportedLogistic{}, `{"format":"dpkit.ReportedLogistic","version":1,"model":{"label":"y","classes":["a","b"]}}`},
	} {
		if err := json.Unmarshal([]byte(c.raw), c.into); !errors.Is(err, ErrModelFile) {
			t.Errorf("%s: got %v, want ErrModelFile", name, err)
		}
	}
}
