package frames_test

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

func TestPublic(t *testing.T) {
	f, err := parse(people(t), "30,clerk,x1,5,low\n41.5,?,x2,NA,high\n0,smith,x3,-3,low\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p := frames.Public(f)
	want := "age   job    gain  income\n30    clerk  5     low\n41.5  NA     NA    high\n"
	if got := p.Head(2); got != want {
		t.Errorf("Head: got\n%s\nwant\n%s", got, want)
	}
	if got := strings.Count(p.Head(99), "\n"); got != 4 {
		t.Errorf("Head(99): got %d lines, want 4", got)
	}
	if got := p.Missing(); !slices.Equal(got, []int{0, 1, 1, 0}) {
		t.Errorf("Missing: got %v", got)
	}
	if got := p.Head(-1); strings.Count(got, "\n") != 1 {
		t.Errorf("Head(-1): got %s, want the names alone", got)
	}
	if !strings.HasPrefix(p.String(), "frame of 3 rows (public)\nage") || p.Rows() != 3 || p.Frame() != f || p.Schema() != f.Schema() {
		t.Errorf("got %s", p)
	}
}

func TestGotaRoundTrip(t *testing.T) {
	text, _, _ := manyPeople(50)
	s := mustSchema(t, append(people(t).Columns()[:4], frames.NumericLabel("income", -5, 5))...)
	text = strings.NewReplacer("low", "1.25", "high", "-5").Replace(text)
	for name, tc := range map[string]struct {
		s    frames.Schema
		text string
	}{
		"numeric label": {s, text},
		"classes":       {people(t), strings.NewReplacer("1.25", "low", "-5\n", "high\n").Replace(text)},
	} {
		t.Run(name, func(t *testing.T) {
			f, err := parse(tc.s, tc.text, frames.CSVOptions{})
			if err != nil {
				t.Fatal(err)
			}
			df := frames.Public(f).Gota()
			if df.Err != nil || df.Nrow() != 50 || df.Ncol() != 4 {
				t.Fatalf("got %d × %d, %v", df.Nrow(), df.Ncol(), df.Err)
			}
			back, err := frames.FromGota(df, tc.s, frames.GotaOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if back.Fingerprint(nil) != f.Fingerprint(nil) {
				t.Errorf("got\n%s\nwant\n%s", cells(back), cells(f))
			}
		})
	}
}

func TestFromGota(t *testing.T) {
	s := mustSchema(t,
		frames.Numeric("i", 0, 9), frames.Numeric("f", -1, 1).MayMiss().Clamped(), frames.Numeric("b", 0, 1),
		frames.Numeric("s", 0, 1e6), frames.Category("c", "1", "2"), frames.Category("d", "0.5", "1.5").MayMiss(),
		frames.Ignored("x"), frames.Label("y", "false", "true"),
	)
	columns := func() map[string]series.Series {
		return map[string]series.Series{
			"i": series.New([]int{1, 2}, series.Int, "i"), "f": series.New([]float64{math.NaN(), 3}, series.Float, "f"),
			"b": series.New([]bool{true, false}, series.Bool, "b"), "s": series.New([]string{"01234", " 1e-9"}, series.String, "s"),
			"c": series.New([]int{2, 1}, series.Int, "c"), "d": series.New([]float64{1.5, math.NaN()}, series.Float, "d"),
			"x": series.New([]string{"p", "q"}, series.String, "x"), "y": series.New([]bool{true, false}, series.Bool, "y"),
		}
	}
	frame := func(m map[string]series.Series) dataframe.DataFrame {
		var out []series.Series
		for _, name := range []string{"y", "i", "f", "b", "s", "c", "d", "x", "z"} {
			if c, ok := m[name]; ok {
				out = append(out, c)
			}
		}
		return dataframe.New(out...)
	}
	f, err := frames.FromGota(frame(columns()), s, frames.GotaOptions{TrimSpace: true})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := cells(f), "1|NA|1|1234|2|1.5|true\n2|1|0|1e-09|1|NA|false\n"; got != want || f.Clamped()["f"] != 1 {
		t.Errorf("got %v and\n%s\nwant\n%s", f.Clamped(), got, want)
	}
	for name, tc := range map[string]struct {
		change func(map[string]series.Series)
		is     error
		part   string
	}{
		"bounds":   {func(m map[string]series.Series) { m["i"] = series.New([]int{1, 77}, series.Int, "i") }, frames.ErrBounds, `row 2, column "i"`},
		"infinite": {func(m map[string]series.Series) { m["f"] = series.New([]float64{1, math.Inf(1)}, series.Float, "f") }, frames.ErrNumber, `row 2, column "f"`},
		"missing": {func(m map[string]series.Series) {
			m["i"] = series.New([]string{"77", "1"}, series.Int, "i")
			m["c"] = series.New([]string{"1", "NaN"}, series.String, "c")
		}, frames.ErrMissing, `row 2, column "c"`},
		"marker":  {func(m map[string]series.Series) { m["s"] = series.New([]string{"?", "1"}, series.String, "s") }, frames.ErrMissing, `row 1, column "s"`},
		"words":   {func(m map[string]series.Series) { m["s"] = series.New([]string{"x77", "1"}, series.String, "s") }, frames.ErrNumber, "the gota series is of type string"},
		"level":   {func(m map[string]series.Series) { m["c"] = series.New([]int{1, 77}, series.Int, "c") }, frames.ErrLevel, `row 2, column "c"`},
		"label":   {func(m map[string]series.Series) { m["y"] = series.New([]string{"true", "77"}, series.String, "y") }, frames.ErrLevel, `row 2, column "y"`},
		"lacking": {func(m map[string]series.Series) { delete(m, "s") }, frames.ErrHeader, `no field is named "s"`},
		"extra":   {func(m map[string]series.Series) { m["z"] = series.New([]int{77, 77}, series.Int, "z") }, frames.ErrHeader, "position 9"},
	} {
		t.Run(name, func(t *testing.T) {
			m := columns()
			tc.change(m)
			f, err := frames.FromGota(frame(m), s, frames.GotaOptions{TrimSpace: true})
			if !errors.Is(err, tc.is) || f != nil || !strings.Contains(err.Error(), tc.part) || strings.Contains(err.Error(), "77") {
				t.Errorf("got %v, want %v at %s", err, tc.is, tc.part)
			}
		})
	}
	k, l := frames.Numeric("i", 0, 2), frames.Numeric("b", 0, 1)
	l.Block = "k"
	k.Hi, k.Block = 1, "k"
	two := dataframe.New(series.New([]int{1}, series.Int, "i"), series.New([]bool{true}, series.Bool, "b"))
	if _, err := frames.FromGota(two, mustSchema(t, k, l), frames.GotaOptions{}); !errors.Is(err, frames.ErrBounds) {
		t.Errorf("two levels of one category: got %v, want ErrBounds", err)
	}
	none := dataframe.New(series.New([]int{}, series.Int, "i"))
	if _, err := frames.FromGota(none, mustSchema(t, frames.Numeric("i", 0, 2)), frames.GotaOptions{}); !errors.Is(err, frames.ErrEmpty) {
		t.Errorf("no rows: got %v, want ErrEmpty", err)
	}
	if _, err := frames.FromGota(dataframe.New(), s, frames.GotaOptions{}); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("a frame with an error: got %v", err)
	}
	if _, err := frames.FromGota(frame(columns()), frames.Schema{}, frames.GotaOptions{}); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("no schema: got %v", err)
	}
}

func TestSplit(t *testing.T) {
	text, x, _ := manyPeople(100)
	f, err := parse(people(t), text, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	a, b, err := frames.Split(f, 0.7, 9)
	if err != nil || a.Rows() != 70 || b.Rows() != 30 {
		t.Fatalf("got %d, %d rows, %v, want 70 and 30", a.Rows(), b.Rows(), err)
	}
	// Ages are the row numbers: both parts are in order, together they are all rows.
	seen := map[float64]bool{}
	for _, part := range []*frames.Frame{a, b} {
		px, _ := rows(t, part)
		last := -1.0
		for i := 0; i < len(px); i += 3 {
			if px[i] <= last || seen[px[i]] || !same(px[i:i+3], x[3*int(px[i]):][:3]) {
				t.Fatalf("row %v is out of order, twice, or changed", px[i:i+3])
			}
			last = px[i]
			seen[last] = true
		}
	}
	if len(seen) != 100 {
		t.Errorf("got %d rows, want 100", len(seen))
	}
	again, _, _ := frames.Split(f, 0.7, 9)
	other, _, _ := frames.Split(f, 0.7, 10)
	if a.Fingerprint(nil) != again.Fingerprint(nil) || a.Fingerprint(nil) == other.Fingerprint(nil) {
		t.Error("the split does not follow the seed")
	}
	// It depends on the row count alone: other values, same positions.
	flat, _ := parse(people(t), strings.ReplaceAll(text, "clerk", "smith"), frames.CSVOptions{})
	c, _, _ := frames.Split(flat, 0.7, 9)
	ax, _ := rows(t, a)
	cx, _ := rows(t, c)
	for i := 0; i < len(ax); i += 3 {
		if ax[i] != cx[i] {
			t.Fatal("the split depends on values")
		}
	}
	for frac, is := range map[float64]error{0: frames.ErrOptions, 1: frames.ErrOptions, -1: frames.ErrOptions, math.NaN(): frames.ErrOptions, 0.001: frames.ErrEmpty, 0.999: frames.ErrEmpty} {
		if _, _, err := frames.Split(f, frac, 1); !errors.Is(err, is) {
			t.Errorf("fraction %g: got %v, want %v", frac, err, is)
		}
	}
}

func TestInferPublicSchema(t *testing.T) {
	write := func(text string) string {
		path := filepath.Join(t.TempDir(), "p.csv")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	path := write("n, c, one, none, m\n3, b, 5, ?, 1\n-1.5, a, 5, ?, NA\n7, b, 5, ?, 2\n")
	o := frames.CSVOptions{Header: true, TrimSpace: true}
	s, err := frames.InferPublicSchema(path, o)
	if err != nil {
		t.Fatal(err)
	}
	want := mustSchema(t, frames.Numeric("n", -1.5, 7), frames.Category("c", "a", "b"), frames.Ignored("one"), frames.Ignored("none"), frames.Numeric("m", 1, 2).MayMiss())
	if s.Hash() != want.Hash() {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if _, err := frames.ReadCSV(path, s, o); err != nil {
		t.Errorf("the inferred schema does not read its own file: %v", err)
	}
	s, err = frames.InferPublicSchema(write("1;x\n2;y\n"), frames.CSVOptions{Comma: ';'})
	if err != nil || s.Hash() != mustSchema(t, frames.Numeric("c1", 1, 2), frames.Category("c2", "x", "y")).Hash() {
		t.Errorf("without header: got %v\n%s", err, s)
	}
	for text, is := range map[string]error{"": frames.ErrEmpty, "1,2\n3\n": frames.ErrRagged, "1,\"2\n": frames.ErrQuote, "\xff\xfe1": frames.ErrEncoding} {
		if _, err := frames.InferPublicSchema(write(text), frames.CSVOptions{}); !errors.Is(err, is) {
			t.Errorf("%q: got %v, want %v", text, err, is)
		}
	}
	if _, err := frames.InferPublicSchema(path, frames.CSVOptions{Comma: '\n'}); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("bad options: got %v", err)
	}
	if _, err := frames.InferPublicSchema(path+"x", o); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: got %v", err)
	}
}
