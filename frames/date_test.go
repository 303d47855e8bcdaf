package frames_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

// dated is a schema of a date and a birth date, written otherwise.
func dated(t testing.TB) frames.Schema {
	t.Helper()
	return must(frames.NewSchema(
		frames.Date("day", "2023-12-30", "2024-03-01").MayMiss(), frames.Date("birth", "1904-01-01", "2024-03-01").Written("02.01.2006").Clamped(),
		frames.Numeric("stay", 0, 100),
	))
}

const datedText = "day,birth,stay\n2024-02-29,29.02.1904,1\nNA,01.01.1900,2\n2023-12-30,01.03.2024,3\n"

// cellsOf are those of all rows of a source.
func cellsOf(t testing.TB, src frames.Source) (all []float64) {
	t.Helper()
	if err := src.Scan(t.Context(), func(b *frames.Block) error { all = append(all, b.X...); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestDates: every way to read a table reads the same days, as days since the first one.
func TestDates(t *testing.T) {
	s := dated(t)
	read := must(frames.ParseCSV(strings.NewReader(datedText), "v", s, frames.CSVOptions{Header: true}))
	opened := must(frames.OpenCSV(writeFile(t, "v.csv", datedText), s, frames.CSVOptions{Header: true}))
	arff := must(frames.ReadARFF(writeFile(t, "v.arff", "@relation v\n@attribute day date yyyy-MM-dd\n@attribute birth string\n@attribute stay numeric\n@data\n"+
		"'2024-02-29',29.02.1904,1\n?,'01.01.1900',2\n\"2023-12-30\",01.03.2024,3\n"), s, frames.ARFFOptions{}))
	gota := must(frames.FromGota(dataframe.New(
		series.New([]string{"2024-02-29", "NaN", "2023-12-30"}, series.String, "day"),
		series.New([]string{"29.02.1904", "01.01.1900", "01.03.2024"}, series.String, "birth"),
		series.New([]float64{1, 2, 3}, series.Float, "stay"),
	), s, frames.GotaOptions{}))
	nan := math.NaN()
	want := []float64{61, 59, 1, nan, 0, 2, 0, 43890, 3} // 29 February 1904 is day 59 of that year, from 0; 1900 is clamped
	if fmt.Sprint(cellsOf(t, read)) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", cellsOf(t, read), want)
	}
	key := []byte("a key of a ledger, 32 bytes long")
	for name, src := range map[string]frames.Source{"opened": opened, "ARFF": arff, "gota": gota, "collected": must(frames.Collect(t.Context(), read))} {
		if must(frames.Fingerprint(t.Context(), src, key)) != read.Fingerprint(key) {
			t.Errorf("%s: other cells %v", name, cellsOf(t, src))
		}
	}
	if got := read.Clamped()["birth"]; got != 1 {
		t.Errorf("clamped %d days, want 1", got)
	}
	public := frames.Public(read)
	if got := strings.Join(public.Row(1), " "); got != "NA 01.01.1904 2" {
		t.Errorf("a public row reads %q", got)
	}
	again := must(frames.FromGota(public.Gota(), s, frames.GotaOptions{}))
	if again.Fingerprint(key) != read.Fingerprint(key) {
		t.Errorf("through gota: %v", public.Gota())
	}
	whole := must(frames.NewSchema(frames.Date("day", "2024-01-01", "2024-12-31").Written("20060102")))
	for kind, df := range map[series.Type]dataframe.DataFrame{
		series.Int:   dataframe.New(series.New([]int{20240229, 20241231}, series.Int, "day")),
		series.Float: dataframe.New(series.New([]float64{20240229, 20241231}, series.Float, "day")),
	} {
		if got := cellsOf(t, must(frames.FromGota(df, whole, frames.GotaOptions{}))); !slices.Equal(got, []float64{59, 365}) {
			t.Errorf("%v: got %v", kind, got)
		}
	}
}

func TestDatesRefused(t *testing.T) {
	s := dated(t)
	for _, c := range []struct {
		name, line string
		want       error
		says       string
	}{
		{"before the first day", "2023-12-29,01.01.2000,1", frames.ErrBounds, "a day before 2023-12-30 or after 2024-03-01"},
		{"after the last day", "2024-03-02,01.01.2000,1", frames.ErrBounds, `column "day"`},
		{"no such day", "2023-02-29,01.01.2000,1", frames.ErrDate, "want a day from 2023-12-30 to 2024-03-01, written as 2006-01-02"},
		{"another layout", "29.02.2024,01.01.2000,1", frames.ErrDate, "Written"},
		{"a layout of its own", "2024-01-01,2000-01-01,1", frames.ErrDate, "written as 02.01.2006"},
		{"no such day of its own", "2024-01-01,31.04.2000,1", frames.ErrDate, `column "birth"`},
		{"a time", "2024-02-01T10:00:00,01.01.2000,1", frames.ErrDate, `column "day"`},
		{"text", "tomorrow,01.01.2000,1", frames.ErrDate, `column "day"`},
		{"a number", "57,01.01.2000,1", frames.ErrDate, `column "day"`},
		{"space", " 2024-02-01,01.01.2000,1", frames.ErrDate, "TrimSpace"},
		{"missing", "2024-02-01,,1", frames.ErrMissing, "MayMiss"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := frames.ParseCSV(strings.NewReader("day,birth,stay\n"+c.line+"\n"), "v", s, frames.CSVOptions{Header: true})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "line 2") {
				t.Fatalf("got %v, want %v with %q", err, c.want, c.says)
			}
			for _, cell := range strings.Split(c.line, ",")[:2] {
				if cell != "" && strings.Contains(err.Error(), cell) {
					t.Errorf("repeats the cell: %v", err)
				}
			}
		})
	}
	day, late := frames.Date("d", "2024-01-01", "2024-12-31"), frames.Date("d", "2024-01-01", "2024-12-31")
	late.Hi = 1e7
	as := func(kind frames.Kind, change func(*frames.Column)) frames.Column {
		c := day
		c.Kind = kind
		change(&c)
		return c
	}
	for name, col := range map[string]frames.Column{
		"no first day":     frames.Date("d", "", "2024-01-01"),
		"no such day":      frames.Date("d", "2023-02-29", "2024-01-01"),
		"no last day":      frames.Date("d", "2023-02-28", "tomorrow"),
		"year 0":           frames.Date("d", "0000-02-28", "2024-01-01"),
		"one day":          frames.Date("d", "2024-01-01", "2024-01-01"),
		"backwards":        frames.Date("d", "2024-01-02", "2024-01-01"),
		"no day written":   frames.Date("d", "2023-02-28", "2024-01-01").Written("2006-01"),
		"no month":         frames.Date("d", "2023-01-01", "2024-01-31").Written("02 2006"),
		"no year":          frames.Date("d", "2023-02-28", "2024-01-01").Written("02.01."),
		"a short century":  frames.Date("d", "1923-02-28", "2024-01-01").Written("02.01.06"),
		"a control":        frames.Date("d", "2023-02-28", "2024-01-01").Written("02.01.2006\n"),
		"written numbers":  frames.Numeric("d", 0, 1).Written("2006-01-02"),
		"beyond all years": late,
		"guessed":          day.Guess(3),
		"in a block":       as(frames.KindNumeric, func(c *frames.Column) { c.Block = "b" }),
		"levels":           as(frames.KindCategory, func(c *frames.Column) { c.Hi, c.Levels = 0, []string{"a", "b"} }),
		"a label":          as(frames.KindLabel, func(*frames.Column) {}),
		"a person":         as(frames.KindPerson, func(c *frames.Column) { c.Hi = 0 }),
		"ignored":          as(frames.KindIgnored, func(c *frames.Column) { c.Hi = 0 }),
		"without bounds":   as(frames.KindNumeric, func(c *frames.Column) { c.Lo, c.Hi, c.NoBounds = math.Inf(-1), math.Inf(1), true }),
	} {
		if _, err := frames.NewSchema(col); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := frames.ReadLibSVM(writeFile(t, "v.svm", "1 1:2\n"), must(frames.NewSchema(day)), frames.LibSVMOptions{}); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("libsvm: got %v", err)
	}
}

func TestDatesInSchemas(t *testing.T) {
	first := frames.Date("d", "2024-01-01", "2024-12-31")
	seen := map[[32]byte]bool{}
	for _, c := range []frames.Column{
		first, first.MayMiss(), first.Clamped(), first.Written("02.01.2006"), frames.Date("d", "2023-01-01", "2023-12-31"), frames.Date("d", "2024-01-01", "2024-12-30"),
		frames.Numeric("d", 0, 365),
	} {
		s := must(frames.NewSchema(c))
		seen[s.Hash()] = true
		var back frames.Schema
		if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || back.Hash() != s.Hash() {
			t.Errorf("%v: read back %v, %v", s, back, err)
		}
	}
	if len(seen) != 7 {
		t.Errorf("7 columns have %d hashes", len(seen))
	}
	if a, b := must(frames.NewSchema(first)), must(frames.NewSchema(first.Written("2006-01-02"))); a.Hash() != b.Hash() {
		t.Error("the layout that none means is another")
	}
	if a, b := must(frames.NewSchema(first.Undated())), must(frames.NewSchema(frames.Numeric("d", 0, 365))); a.Hash() != b.Hash() {
		t.Error("days as numbers are other numbers")
	}
	s := dated(t)
	const want = `column  kind     domain                    notes
day     date     2023-12-30 to 2024-03-01  may miss
birth   date     1904-01-01 to 2024-03-01  clamped, written 02.01.2006
stay    numeric  [0, 100]
`
	if got := s.String(); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if d := frames.Describe(s); d.Numeric != 3 || !strings.Contains(d.String(), "2023-12-30 to 2024-03-01") {
		t.Errorf("described as\n%v", d)
	}
	day, _ := s.Column("birth")
	if x := must(day.DayNumber("1904-02-29")); x != 59 || day.DayText(x+0.5) != "29.02.1904" || must(day.ReadDay("29.02.1904")) != x {
		t.Errorf("got %v, %q", x, day.DayText(x))
	}
	if _, err := day.DayNumber("29.02.1904"); !errors.Is(err, frames.ErrDate) {
		t.Errorf("got %v", err)
	}
	if _, err := day.ReadDay("1904-02-29"); !errors.Is(err, frames.ErrDate) || strings.Contains(err.Error(), "1904-02-29") {
		t.Errorf("got %v", err)
	}
	if _, err := frames.Numeric("a", 0, 1).ReadDay("1904-02-29"); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("got %v", err)
	}
}
