package dpkit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/function"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// body is weight over height squared, on a frame.
func body(df dataframe.DataFrame) series.Series {
	w, h := df.Col("weight").Float(), df.Col("height").Float()
	out := make([]float64, len(w))
	for i := range w {
		out[i] = w[i] / (h[i] * h[i])
	}
	return series.New(out, series.Float, "bmi")
}

func TestRegisterGota(t *testing.T) {
	columns := []string{"weight", "height"}
	for _, c := range []struct {
		name, as, version string
		columns           []string
		fn                func(dataframe.DataFrame) series.Series
		want              string
	}{
		{"no name", "", "1", columns, body, "want both"},
		{"no version", "gota.bmi", "", columns, body, "want both"},
		{"no function", "gota.bmi", "1", columns, nil, "got no function"},
		{"no columns", "gota.bmi", "1", nil, body, "columns: got none"},
		{"a column twice", "gota.bmi", "1", []string{"a", "a"}, body, "each once"},
		{"new", "gota.bmi", "1", columns, body, ""},
		{"again", "gota.bmi", "1", columns, body, "registered already"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := stage.RegisterGota(c.as, c.version, c.columns, c.fn)
			if (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
	s := must(frames.NewSchema(frames.Numeric("weight", 0, 200), frames.Numeric("height", 0.5, 2.5)))
	f := must(frames.FromBlock(s, &frames.Block{Rows: 2, Cols: 2, X: []float64{80, 2, 45, 1.5}}))
	d := must(Demo(f, 1, ReplaceOne)).Data()
	o := MutateOptions{From: columns, Func: "gota.bmi", Version: "1", Lo: 0, Hi: 800}
	cost := must(d.Mutate("bmi", o).Impute(Midpoint{}).Mean(Target{Epsilon: 1, Delta: 1e-6}).Cost())
	if got := cost.Release.Amplification(); math.Abs(got-1) > 1e-9 || cost.Steps[0].Moved != 0 {
		t.Errorf("a public function of clean columns: noise × %g, want 1", got)
	}
	o.From = []string{"height", "weight"}
	if _, err := d.Mutate("bmi", o).Impute(Midpoint{}).Mean(Target{Epsilon: 1, Delta: 1e-6}).Cost(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "in their order") {
		t.Errorf("columns in another order: got %v", err)
	}
}

// TestGotaFunctionSeesOneRow: a function that would mix rows is given one at a time, so that neighbours cannot enter; what is no
// number is a missing value.
func TestGotaFunctionSeesOneRow(t *testing.T) {
	word := series.New([]string{"x"}, series.String, "y")
	for _, c := range []struct {
		name string
		fn   func(dataframe.DataFrame) series.Series
		want float64
	}{
		{"mean of all rows", func(df dataframe.DataFrame) series.Series { return series.Floats(df.Col("a").Mean()) }, 3},
		{"number of rows", func(df dataframe.DataFrame) series.Series { return series.Floats(float64(df.Nrow())) }, 1},
		{"whole numbers", func(dataframe.DataFrame) series.Series { return series.Ints(7) }, 7},
		{"no number", func(dataframe.DataFrame) series.Series { return word }, math.NaN()},
		{"two numbers", func(dataframe.DataFrame) series.Series { return series.Floats([]float64{1, 2}) }, math.NaN()},
		{"no column of that name", func(df dataframe.DataFrame) series.Series { return df.Col("b") }, math.NaN()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := stage.RegisterGota("gota.one "+c.name, "1", []string{"a"}, c.fn); err != nil {
				t.Fatal(err)
			}
			fn := must(function.Named("gota.one "+c.name, "1"))
			for range 2 { // and nothing stays from row to row
				if got := fn([]float64{3}); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
					t.Errorf("got %g, want %g", got, c.want)
				}
			}
		})
	}
}

// TestGotaFunctionInAModel: a stored model applies the function by name and version, as it does those of numbers.
func TestGotaFunctionInAModel(t *testing.T) {
	err := stage.RegisterGota("gota.double", "1", []string{"a"}, func(df dataframe.DataFrame) series.Series { return series.Floats(2 * df.Col("a").Elem(0).Float()) })
	if err != nil {
		t.Fatal(err)
	}
	s := must(frames.NewSchema(frames.Numeric("a", 0, 1), frames.NumericLabel("y", 0, 1)))
	x, y := make([]float64, 400), make([]float64, 400)
	for i := range x {
		x[i] = float64(i) / 400
		y[i] = x[i]
	}
	f := must(frames.FromBlock(s, &frames.Block{Rows: 400, Cols: 1, X: x, Y: y}))
	chain := must(OnPublic(frames.Public(f))).Data().Mutate("b", MutateOptions{From: []string{"a"}, Func: "gota.double", Version: "1", Lo: 0, Hi: 2}).Impute(Midpoint{}).Select("b").Scale()
	r, err := chain.FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := must(r.Value.PredictRow(map[string]any{"a": 0.5})); math.Abs(got-0.5) > 0.02 {
		t.Errorf("predicted %g, want about 0.5", got)
	}
	df := dataframe.New(series.New([]float64{0.25, 0.5}, series.Float, "a"))
	out := must(r.Value.PredictGota(t.Context(), df))
	if out.Nrow() != 2 || out.Col("predicted").Elem(1).Float() != must(r.Value.PredictRow(map[string]any{"a": 0.5})) || !strings.HasPrefix(out.Col("promise").Elem(0).String(), "NOT PRIVATE") {
		t.Errorf("predictions of a gota frame:\n%v", out)
	}
}

func BenchmarkGotaFunction(b *testing.B) {
	_ = stage.RegisterGota("gota.bench", "1", []string{"weight", "height"}, body)
	fn := must(function.Named("gota.bench", "1"))
	b.ReportAllocs()
	for b.Loop() {
		fn([]float64{80, 2})
	}
}
