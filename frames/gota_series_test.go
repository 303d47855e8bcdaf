package frames_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

// TestGotaFloatPeople: identifiers of 64 bits that gota's reader made floats of are refused, with
// the way out, which then works.
func TestGotaFloatPeople(t *testing.T) {
	const text = "id,x\n18000000000000000001,10\n18000000000000000002,-10\n11000000000000000000,5\n"
	s := mustSchema(t, frames.Person("id"), frames.Numeric("x", -10, 10))
	_, err := frames.FromGota(dataframe.ReadCSV(strings.NewReader(text)), s, frames.GotaOptions{})
	if !errors.Is(err, frames.ErrOptions) {
		t.Fatalf("got %v, want ErrOptions", err)
	}
	for _, part := range []string{`column "id"`, "float", "DetectTypes(false)", "DefaultType(series.String)"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the error says nothing of %s: %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "18000") || strings.Contains(err.Error(), "1.8e") {
		t.Errorf("the error repeats a cell: %v", err)
	}
	f, err := frames.FromGota(dataframe.ReadCSV(strings.NewReader(text), dataframe.DetectTypes(false), dataframe.DefaultType(series.String)), s, frames.GotaOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n := must(frames.People(t.Context(), f)); n != 3 {
		t.Errorf("read as strings: got %d people, want 3", n)
	}
	whole := must(frames.FromGota(dataframe.ReadCSV(strings.NewReader(text), dataframe.WithTypes(map[string]series.Type{"id": series.String})), s, frames.GotaOptions{}))
	if n := must(frames.People(t.Context(), whole)); n != 3 {
		t.Errorf("the identifiers alone as strings: got %d people, want 3", n)
	}
}

// TestGotaLostColumns: slices and fields of structs that gota makes missing cells of are refused
// for every kind of column, also where cells may miss, and an empty column is loaded where the
// options name it.
func TestGotaLostColumns(t *testing.T) {
	type narrow struct {
		ID int64
		X  float32
		N  int32
		C  int16
	}
	type strs struct {
		ID int64 `dataframe:"ID,string"`
	}
	number, zeros := 7, []float64{0, 0}
	loaded := func(name string, df dataframe.DataFrame) series.Series { return df.Col(name) }
	structs := dataframe.LoadStructs([]narrow{{1, 1, 1, 1}, {2, 2, 2, 2}})
	for name, of := range map[string]series.Series{
		"field of int64":   loaded("ID", structs),
		"field of float32": loaded("X", structs),
		"field of int32":   loaded("N", structs),
		"field of int16":   loaded("C", structs),
		"field as string":  loaded("ID", dataframe.LoadStructs([]strs{{1}, {2}})),
		"read as strings":  loaded("ID", dataframe.LoadStructs([]narrow{{1, 1, 1, 1}, {2, 2, 2, 2}}, dataframe.DetectTypes(false), dataframe.DefaultType(series.String))),
		"[]int64":          series.New([]int64{1, 2}, series.Int, ""),
		"[]int32":          series.New([]int32{1, 2}, series.Int, ""),
		"[]uint64":         series.New([]uint64{1, 2}, series.Float, ""),
		"[]float32":        series.New([]float32{1, 2}, series.Float, ""),
		"[]*int":           series.New([]*int{&number, &number}, series.Int, ""),
		"texts as numbers": series.New([]string{"x1", "x2"}, series.Float, ""),
		"texts as bool":    series.New([]string{"x1", "x2"}, series.Bool, ""),
		"int64 as text":    series.New([]int64{1, 2}, series.String, ""),
	} {
		of.Name = "v"
		df := dataframe.New(of, series.New(zeros, series.Float, "x"))
		for _, c := range []frames.Column{
			frames.Numeric("v", 0, 9).MayMiss(), frames.Numeric("v", 0, 9), frames.Category("v", "1", "2").MayMiss(), frames.Text("v").MayMiss(), frames.Person("v"),
			frames.Unbounded("v").MayMiss(), frames.Label("v", "1", "2"), frames.Date("v", "2024-01-01", "2024-12-31").MayMiss(), frames.Category("v", "1", "2").Other("3").MayMiss(),
		} {
			s := mustSchema(t, c, frames.Numeric("x", 0, 1))
			_, err := frames.FromGota(df, s, frames.GotaOptions{})
			if !errors.Is(err, frames.ErrMissing) || !strings.Contains(err.Error(), `column "v"`) || !strings.Contains(err.Error(), "[]") && !strings.Contains(err.Error(), "float64 or string") {
				t.Errorf("%s as %s: got %v", name, c.Kind, err)
			}
			if says := strings.Contains(err.Error(), "GotaOptions.Empty"); says != c.Missing {
				t.Errorf("%s as %s: the error names an option that the column has not, or not the one that it has: %v", name, c.Kind, err)
			}
			f, err := frames.FromGota(df, s, frames.GotaOptions{Empty: []string{"v"}})
			switch {
			case c.Missing && err != nil:
				t.Errorf("%s as %s, named in Empty: %v", name, c.Kind, err)
			case !c.Missing && !errors.Is(err, frames.ErrOptions):
				t.Errorf("%s as %s, which may not miss, named in Empty: got %v, want ErrOptions", name, c.Kind, err)
			case c.Missing && !math.IsNaN(cellsOf(t, f)[0]):
				t.Errorf("%s as %s: got a cell", name, c.Kind)
			}
		}
	}
	s := mustSchema(t, frames.Numeric("x", 0, 1).MayMiss())
	if _, err := frames.FromGota(dataframe.New(series.New(zeros, series.Float, "x")), s, frames.GotaOptions{Empty: []string{"y"}}); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("another name in Empty: got %v", err)
	}
	if _, err := frames.FromGota(dataframe.New(series.New(zeros, series.Float, "x")), s, frames.GotaOptions{Empty: []string{"x"}}); err != nil {
		t.Errorf("a column that could be empty and is not: %v", err)
	}
	if _, err := frames.FromGota(dataframe.New(series.New([]any{nil, 1.}, series.Float, "x")), s, frames.GotaOptions{}); err != nil {
		t.Errorf("a column with one cell: %v", err)
	}
}

// TestGotaLevels: a level that a series cannot hold is not taken for another one, nor for a missing
// cell.
func TestGotaLevels(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name   string
		of     series.Series
		levels []string
		part   string // of the error; "": none
	}{
		{"zeros before an integer", series.New([]string{"007", "7"}, series.Int, "v"), []string{"007", "7"}, `"007"`},
		{"a code with a decimal zero", series.New([]string{"250.40", "250.4"}, series.Float, "v"), []string{"250.40", "250.4"}, `"250.40"`},
		{"powers of ten", series.New([]string{"1e3", "1000"}, series.Float, "v"), []string{"1e3", "1000"}, `"1e3"`},
		{"integers beyond 2^53", series.New([]string{"9007199254740993", "9007199254740992"}, series.Float, "v"), []string{"9007199254740993", "9007199254740992"}, `"9007199254740993"`},
		{"only one of them is a level", series.New([]string{"9007199254740993", "1"}, series.Float, "v"), []string{"9007199254740992", "1"}, `"9007199254740992"`},
		{"capitals of a boolean", series.New([]string{"TRUE", "false"}, series.Bool, "v"), []string{"TRUE", "true", "false"}, `"TRUE"`},
		{"numbers beside booleans", dataframe.ReadCSV(strings.NewReader("v\n1\ntrue\n7\n")).Col("v"), []string{"1", "true", "7"}, `"1"`},
		{"a word in a series of integers", series.New([]string{"A", "1"}, series.Int, "v"), []string{"A", "1"}, `"A"`},
		{"a level that gota takes for missing", dataframe.ReadCSV(strings.NewReader("v\nNA\nDE\n")).Col("v"), []string{"NA", "DE"}, "NaNValues"},
		{"the way out of it", dataframe.ReadCSV(strings.NewReader("v\nNA\nDE\n"), dataframe.NaNValues([]string{})).Col("v"), []string{"NA", "DE"}, ""},
		{"a level that no series can have", series.New([]string{"NaN", "DE"}, series.String, "v"), []string{"NaN", "DE"}, "ReadCSV of package frames"},
		{"one that is missing beside it", series.New([]string{"NA", "NaN", "DE"}, series.String, "v"), []string{"NA", "DE"}, ""},
		{"integers", series.New([]any{1, nil, 2}, series.Int, "v"), []string{"1", "2"}, ""},
		{"floats", series.New([]float64{0.5, nan, 1e6}, series.Float, "v"), []string{"0.5", "1000000"}, ""},
		{"words that do not occur", series.New([]int{1, 2}, series.Int, "v"), []string{"1", "2", "unknown"}, ""},
	} {
		df := dataframe.New(c.of)
		for _, column := range []frames.Column{frames.Category("v", c.levels...).MayMiss(), frames.Category("v", c.levels...).Other("something else").MayMiss()} {
			_, err := frames.FromGota(df, mustSchema(t, column), frames.GotaOptions{})
			switch {
			case c.part == "" && err != nil:
				t.Errorf("%s: %v", c.name, err)
			case c.part != "" && (!errors.Is(err, frames.ErrOptions) || !strings.Contains(err.Error(), c.part)):
				t.Errorf("%s: got %v, want ErrOptions and %s", c.name, err, c.part)
			}
		}
	}
}

// TestGotaDatesOfFloats: a float is a day where it is an integer, and no other.
func TestGotaDatesOfFloats(t *testing.T) {
	s := mustSchema(t, frames.Date("day", "2024-01-01", "2024-12-31").Written("20060102150405").MayMiss())
	for v, want := range map[float64]error{20240131000000: nil, 20240131120000.5: frames.ErrDate, 1e300: frames.ErrDate, -20240131000000: frames.ErrDate} {
		if _, err := frames.FromGota(dataframe.New(series.New([]float64{v}, series.Float, "day")), s, frames.GotaOptions{}); !errors.Is(err, want) || want == nil && err != nil {
			t.Errorf("%g: got %v, want %v", v, err, want)
		}
	}
}
