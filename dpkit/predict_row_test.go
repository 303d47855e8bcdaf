package dpkit

import (
	"database/sql"
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

// house is a row of priceFrame as a program has it.
type house struct {
	Rooms float64
	Place string          `json:"area,omitempty"`
	Years sql.NullFloat64 `dpkit:"age" json:"years"`
	price float64         //nolint:unused // fields that are not exported are not read
}

func priceModel(t testing.TB) *LinearModel {
	r := must(must(Demo(priceFrame(t, 400), 1, AddRemove)).Data().OneHot().Impute(Midpoint{}).Scale().
		FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).Release(t.Context()))
	return &r.Value
}

// TestPredictRow: one row in all the shapes that people have is predicted as in a frame of the training rows' schema, to the bit.
func TestPredictRow(t *testing.T) {
	m := priceModel(t)
	batch := func(rooms, area, age float64) float64 {
		return must(m.Predict(t.Context(), frames.Public(frameOf(t, m.Schema, [][]float64{{rooms, area, age, 7}}))))[0]
	}
	full, gap, clamped := batch(5, 1, 30), batch(5, 1, nan), batch(9, 1, 30)
	var decoded map[string]any
	if err := json.Unmarshal([]byte(`{"rooms":5,"area":"south","age":30,"price":null,"other":[1]}`), &decoded); err != nil {
		t.Fatal(err)
	}
	rooms, text, years := 5.0, "south", new(30.0)
	var none *float64
	south := dataframe.LoadMaps([]map[string]any{{"rooms": 5.0, "area": "south", "age": 30}})
	type level string
	type key string
	for _, c := range []struct {
		name string
		row  any
		want float64
	}{
		{"JSON, with a label of null", decoded, full},
		{"without a label", map[string]any{"rooms": 5, "area": "south", "age": 30}, full},
		{"with another label", map[string]any{"rooms": 5, "area": "south", "age": 30, "price": "a lot"}, full},
		{"texts", map[string]string{"rooms": " 5.0", "area": "south", "age": "3e1"}, full},
		{"texts that are missing", map[string]string{"rooms": "5", "area": "south", "age": "NA"}, gap},
		{"an empty text", map[string]string{"rooms": "5", "area": "south", "age": ""}, gap},
		{"json.Number", map[string]any{"rooms": json.Number("5"), "area": "south", "age": json.Number("30")}, full},
		{"integers of all sizes", map[string]any{"rooms": uint8(5), "area": []byte("south"), "age": int64(30)}, full},
		{"float32", map[string]any{"rooms": float32(5), "area": level("south"), "age": float32(30)}, full},
		{"own types of keys", map[key]any{"rooms": 5, "area": "south", "age": 30}, full},
		{"pointers", map[string]any{"rooms": &rooms, "area": &text, "age": &years}, full},
		{"nil", map[string]any{"rooms": 5, "area": "south", "age": nil}, gap},
		{"a nil pointer", map[string]any{"rooms": 5, "area": "south", "age": none}, gap},
		{"NaN", map[string]any{"rooms": 5, "area": "south", "age": math.NaN()}, gap},
		{"left out", map[string]any{"rooms": 5, "area": "south"}, gap},
		{"null of database/sql", map[string]any{"rooms": sql.NullInt64{Int64: 5, Valid: true}, "area": sql.NullString{String: "south", Valid: true}, "age": sql.Null[float64]{}}, gap},
		{"clamped", map[string]any{"rooms": 1e9, "area": "south", "age": 30}, clamped},
		{"a struct", house{Rooms: 5, Place: "south", Years: sql.NullFloat64{Float64: 30, Valid: true}}, full},
		{"a struct with a null", &house{Rooms: 5, Place: "south"}, gap},
		{"an embedded struct", struct {
			*house
			Note string
		}{&house{Rooms: 5, Place: "south"}, "x"}, gap},
		{"a gota DataFrame", south, full},
		{"a gota row of more", dataframe.New(
			series.New([]string{"5", "6"}, series.Int, "rooms"), series.New([]string{"south", "north"}, series.String, "area"),
			series.New([]string{"NaN", "2"}, series.Float, "age"),
		).Subset(0), gap},
		{"a frame", frames.Public(frameOf(t, m.Schema, [][]float64{{5, 1, 30, 7}})), full},
		{"a frame without a label", frames.Public(unlabelled(t, m.Inputs(), [][]float64{{5, 1, 30}})), full},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := m.PredictRow(c.row)
			if err != nil || math.Float64bits(got) != math.Float64bits(c.want) {
				t.Errorf("got %v, %v, want %v", got, err, c.want)
			}
		})
	}
}

func TestPredictRowRefuses(t *testing.T) {
	m := priceModel(t)
	row := func(name string, x any) map[string]any {
		r := map[string]any{"rooms": 5, "area": "south", "age": 30}
		r[name] = x
		return r
	}
	var nobody *house
	for _, c := range []struct {
		name string
		row  any
		is   error
		says string
	}{
		{"a level that is none", row("area", "west"), frames.ErrLevel, `got "west", want one of "north", "south"`},
		{"a hostile level", row("area", "\x1b[2J<script>"+strings.Repeat("a", 1<<16)), frames.ErrLevel, `got "\x1b[2J<script>aaa`},
		{"a number for a level", row("area", 1), frames.ErrLevel, `got "1"`},
		{"a number outside", row("age", 121), frames.ErrBounds, "got 121, want a number in [0, 120]"},
		{"an infinite number", row("age", math.Inf(1)), frames.ErrNumber, "got +Inf"},
		{"a text", row("age", "old"), frames.ErrNumber, `got "old"`},
		{"a decimal comma", row("age", "1,5"), frames.ErrNumber, "write it as 1234.5"},
		{"a boolean", row("age", true), frames.ErrNumber, `got "true"`},
		{"a list", row("age", []int{1}), ErrParameter, "got a []int"},
		{"a missing cell that no step fills", row("rooms", nil), frames.ErrMissing, `column "rooms": got no value`},
		{"a missing level that no step fills", row("area", nil), frames.ErrMissing, `column "area"`},
		{"a column less", map[string]any{"area": "south"}, ErrColumn, `column "rooms"`},
		{"another case", map[string]any{"Rooms ": 5, "area": "south"}, ErrColumn, `but with "Rooms "`},
		{"a misspelt column that may miss", map[string]any{"rooms": 5, "area": "south", "Age": 3}, ErrColumn, `but with "Age"`},
		{"no column", map[string]any{}, ErrColumn, `"rooms"`},
		{"a struct without", struct{ Rooms, Area int }{5, 1}, frames.ErrLevel, `"area"`},
		{"a struct without a column that may miss", struct {
			Rooms int
			Area  string
		}{5, "south"}, ErrColumn, "`dpkit:\"age\"`"},
		{"nil", nil, ErrParameter, "got <nil>"},
		{"a nil pointer", nobody, ErrParameter, "want a map"},
		{"a nil frame", (*frames.PublicFrame)(nil), ErrParameter, "frames.Public"},
		{"values alone", []float64{5, 1, 30}, ErrParameter, "PredictRows"},
		{"private rows", priceFrame(t, 1), frames.ErrPrivate, "frames.Public"},
		{"two rows", frames.Public(priceFrame(t, 2)), ErrParameter, "got 2 rows"},
		{"a broken DataFrame", dataframe.DataFrame{Err: errors.New("secret")}, ErrParameter, "look at its Err"},
		{"a DataFrame without", dataframe.New(series.New([]int{5}, series.Int, "ROOMS")), ErrColumn, `but with "ROOMS"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := m.PredictRow(c.row)
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) {
				t.Fatalf("got %v, want %v and %s", err, c.is, c.says)
			}
			if text := err.Error(); len(text) > 600 || strings.ContainsRune(text, '\x1b') || strings.Contains(text, "secret") {
				t.Errorf("got %.900s", text)
			}
		})
	}
	blind := must(must(Demo(priceFrame(t, 300), 1, ReplaceOne)).Data().OneHot().Impute(Mean{}).Scale().FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).WithoutPrediction().Release(t.Context())).Value
	if _, err := blind.PredictRow(row("age", 1)); !errors.Is(err, ErrOrder) || blind.Inputs().Len() != 0 {
		t.Errorf("got %v and inputs %v, want ErrOrder and none", err, blind.Inputs())
	}
}

// TestPredictRows: batches of every kind of model are predicted as frames are, to the bit, from the model and from its file.
func TestPredictRows(t *testing.T) {
	ctx := t.Context()
	f := frames.Public(tinyFrame(t, 300, 5))
	maps := rowMaps(f)
	chain := must(OnPublic(f)).Data().OneHot().Impute(Midpoint{}).Scale()
	others := 0
	check := func(name string, m any) {
		t.Run(name, func(t *testing.T) {
			back := reflect.New(reflect.TypeOf(m).Elem())
			if err := json.Unmarshal(must(json.Marshal(m)), back.Interface()); err != nil {
				t.Fatal(err)
			}
			call := func(m reflect.Value, method string, args ...any) any {
				var in []reflect.Value
				for _, a := range args {
					in = append(in, reflect.ValueOf(a))
				}
				out := m.MethodByName(method).Call(in)
				if err, _ := out[1].Interface().(error); err != nil {
					t.Fatal(err)
				}
				return out[0].Interface()
			}
			live := reflect.ValueOf(m)
			want := call(live, "Predict", ctx, f)
			for _, m := range []reflect.Value{live, back} {
				for _, rows := range []any{maps, f.Gota(), f} {
					if got := call(m, "PredictRows", ctx, rows); !reflect.DeepEqual(got, want) {
						t.Errorf("%T: got %v, want %v", rows, got, want)
					}
				}
				for _, name := range []string{"Probabilities", "Margins", "Scores"} {
					if !m.MethodByName(name).IsValid() {
						continue
					}
					others++
					want := call(m, name, ctx, f)
					for _, rows := range []any{maps, f.Gota()} {
						if got := call(m, name, ctx, rows); !reflect.DeepEqual(got, want) {
							t.Errorf("%s of %T: got %v, want %v", name, rows, got, want)
						}
					}
				}
				predicted := call(m, "PredictGota", ctx, f.Gota()).(dataframe.DataFrame)
				if promise := predicted.Col("promise").Records(); predicted.Nrow() != f.Rows() || promise[0] == "" {
					t.Errorf("PredictGota: %d rows, which promise %q", predicted.Nrow(), promise[:1])
				}
				switch want := want.(type) {
				case []float64:
					if got := predicted.Col("predicted").Float(); !slices.Equal(got, want) {
						t.Errorf("PredictGota: got %v, want %v", got, want)
					}
				case []int:
					for i, class := range predicted.Col("predicted").Records() {
						if classes := reflect.Indirect(m).FieldByName("Classes"); class != classes.Index(want[i]).String() {
							t.Fatalf("PredictGota: row %d: got %q, want class %d of %v", i, class, want[i], classes)
						}
					}
				}
				for i := range 20 {
					if got, want := call(m, "PredictRow", maps[i]), reflect.ValueOf(want).Index(i).Interface(); got != want {
						t.Errorf("row %d: got %v, want %v", i, got, want)
					}
				}
				inputs := m.MethodByName("Inputs").Call(nil)[0].Interface().(frames.Schema)
				if _, has := inputs.Label(); has || !slices.EqualFunc(inputs.Columns(), f.Schema().Features(), func(a, b frames.Column) bool { return reflect.DeepEqual(a, b) }) {
					t.Errorf("inputs:\n%s", inputs)
				}
			}
		})
	}
	how := ByObjective{Epsilon: 2, Delta: 1e-6}
	check("logistic", value(chain.FitLogistic(how).Release(ctx)))
	check("class", value(chain.FitHinge(HingeLoss{}, how).Release(ctx)))
	check("gradient", value(chain.FitConvex(SoftmaxLoss{}, ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 5}).Release(ctx)))
	check("multinomial", value(chain.FitMultinomial(how).Release(ctx)))

	f = frames.Public(priceFrame(t, 300))
	maps = rowMaps(f)
	chain = must(OnPublic(f)).Data().OneHot().Impute(Midpoint{}).Scale()
	check("linear", value(chain.FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).Release(ctx)))
	check("rate", value(chain.FitPoisson(PoissonLoss{}, how).Release(ctx)))
	if others != 6 {
		t.Errorf("%d kinds of scores, want those of three models and their files", others)
	}

	m := priceModel(t)
	for _, c := range []struct {
		name string
		rows any
		is   error
		says string
	}{
		{"the second row", []map[string]any{{"rooms": 1, "area": "north"}, {"rooms": 1, "area": "east"}}, frames.ErrLevel, "row 2: column \"area\""},
		{"a cell that nothing fills", []any{house{1, "north", sql.NullFloat64{}, 0}, map[string]any{"rooms": math.NaN(), "area": "north"}}, frames.ErrMissing, "row 2: column \"rooms\""},
		{"one row", map[string]any{"rooms": 1}, ErrParameter, "PredictRow"},
		{"nil", nil, ErrParameter, "want a slice"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, err := m.PredictRows(ctx, c.rows); !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.says) || got != nil {
				t.Errorf("got %v, %v, want %v and %s", got, err, c.is, c.says)
			}
		})
	}
	if got, err := m.PredictRows(ctx, []house{}); err != nil || len(got) != 0 {
		t.Errorf("no rows: got %v, %v", got, err)
	}
}

// value is a pointer to what a release gave.
func value[V any](r Result[V], err error) *V {
	if err != nil {
		panic(err)
	}
	return &r.Value
}

// TestStoredModelsPredictRows: every kind of model predicts rows of its inputs, as it predicts frames.
func TestStoredModelsPredictRows(t *testing.T) {
	for name, kind := range modelTypes(t) {
		if _, ok := reflect.PointerTo(kind).MethodByName("Inputs"); !ok {
			continue // a sketch, which is no model of one label
		}
		t.Run(name, func(t *testing.T) {
			m := reflect.New(kind)
			if err := json.Unmarshal(must(os.ReadFile(filepath.Join("testdata", "models", name+".json"))), m.Interface()); err != nil {
				t.Fatal(err)
			}
			inputs := m.MethodByName("Inputs").Call(nil)[0].Interface().(frames.Schema)
			if len(inputs.Unbounded()) > 0 {
				inputs = must(frames.NewSchema(frames.Numeric("u", 0, 3), frames.Numeric("v", 0, 3)))
			}
			f := anyRow(t, inputs)
			rows := rowMaps(f)
			for _, c := range []struct {
				method string
				rows   any
			}{{"Predict", f}, {"PredictRows", rows}, {"PredictGota", f.Gota()}, {"PredictRow", rows[0]}} {
				method := c.method
				args := []reflect.Value{reflect.ValueOf(t.Context()), reflect.ValueOf(c.rows)}
				if method == "PredictRow" {
					args = args[1:]
				}
				out := m.MethodByName(method).Call(args)
				if err, _ := out[1].Interface().(error); err != nil {
					t.Fatalf("%s: %v", method, err)
				}
				if v := out[0]; v.Kind() == reflect.Slice && v.Len() != 1 {
					t.Errorf("%s: got %v", method, v)
				}
				if df, ok := out[0].Interface().(dataframe.DataFrame); ok && (df.Nrow() != 1 || !slices.Contains(df.Names(), "predicted")) {
					t.Errorf("%s: got %d rows of %q", method, df.Nrow(), df.Names())
				}
			}
		})
	}
}

// unlabelled is a frame of features alone.
func unlabelled(t testing.TB, s frames.Schema, rows [][]float64) *frames.Frame {
	b := &frames.Block{Rows: len(rows), Cols: len(s.Features())}
	for _, r := range rows {
		b.X = append(b.X, r...)
	}
	return must(frames.FromBlock(s, b))
}

// rowMaps are the rows of a frame without their label, as a JSON service meets them.
func rowMaps(f *frames.PublicFrame) []map[string]any {
	rows := f.Gota().Maps()
	if label, ok := f.Schema().Label(); ok {
		for _, r := range rows {
			delete(r, label.Name)
		}
	}
	return rows
}

// TestInputsOfDroppedColumns: columns that the chain drops are not asked for, and rows may have their columns in any order.
func TestInputsOfDroppedColumns(t *testing.T) {
	f := priceFrame(t, 300)
	r := must(must(OnPublic(frames.Public(f))).Data().OneHot().Impute(Midpoint{}).Mutate("wave", MutateOptions{From: []string{"rooms"}, Func: "test.wave", Version: "1", Lo: -1, Hi: 1}).
		Impute(Midpoint{}).Select("wave", "age").Scale().FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).Release(t.Context()))
	m := &r.Value
	var names []string
	for _, c := range m.Inputs().Columns() {
		names = append(names, c.Name)
	}
	if want := []string{"rooms", "age"}; !slices.Equal(names, want) {
		t.Fatalf("got %q, want %q", names, want)
	}
	want := must(m.Predict(t.Context(), frames.Public(f)))
	turned := must(frames.NewSchema(m.Inputs().Columns()[1], frames.Unbounded("x"), m.Inputs().Columns()[0]))
	maps := rowMaps(frames.Public(f))
	rows := make([][]float64, len(maps))
	for i, r := range maps {
		age, ok := r["age"].(float64)
		if !ok {
			age = nan
		}
		rows[i] = []float64{age, 1e9, r["rooms"].(float64)}
		delete(r, "area")
	}
	if got := must(m.Predict(t.Context(), frames.Public(unlabelled(t, turned, rows)))); !slices.Equal(got, want) {
		t.Error("rows in another order are predicted otherwise")
	}
	if got := must(m.PredictRows(t.Context(), maps)); !slices.Equal(got, want) {
		t.Error("rows without the column that is dropped are predicted otherwise")
	}
	_, err := m.Predict(t.Context(), frames.Public(unlabelled(t, must(frames.NewSchema(frames.Numeric("age", 0, 1))), [][]float64{{0}})))
	if !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(), `without "rooms"`) {
		t.Errorf("got %v", err)
	}
}

// TestPredictHostileNames: names and levels are texts like others.
func TestPredictHostileNames(t *testing.T) {
	names := []string{`a"b`, "<script>", "x.y[0]", "列", "%!s(MISSING)"}
	var columns []frames.Column
	for _, n := range names {
		columns = append(columns, frames.Category(n, "01", "1", "true", "NA", "1000000"))
	}
	s := must(frames.NewSchema(append(columns, frames.NumericLabel("y", 0, 1))...))
	rows := make([][]float64, 50)
	for i := range rows {
		rows[i] = []float64{float64(i % 5), 1, 2, 3, 4, 0.5}
	}
	r := must(must(OnPublic(frames.Public(frameOf(t, s, rows)))).Data().OneHot().Scale().FitLinear(AdaSSP{Epsilon: 2, Delta: 1e-6}).Release(t.Context()))
	m := &r.Value
	want := must(m.Predict(t.Context(), frames.Public(frameOf(t, s, rows[:1]))))[0]
	got, err := m.PredictRow(map[string]any{names[0]: "01", names[1]: 1.0, names[2]: true, names[3]: "NA", names[4]: 1e6})
	if err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, n := range names {
		if _, err := m.PredictRow(map[string]any{n: "02"}); err == nil || strings.Contains(err.Error(), "MISSING=") {
			t.Errorf("%s: got %v", n, err)
		}
	}
}

func BenchmarkPredictRow(b *testing.B) {
	m := priceModel(b)
	row := map[string]any{"rooms": 5.0, "area": "south", "age": 30.0}
	for b.Loop() {
		if _, err := m.PredictRow(row); err != nil {
			b.Fatal(err)
		}
	}
}
