package frames_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

type ward string

// where is embedded in visit.
type where struct {
	Ward ward `dpnb:"ward"`
}

type visit struct {
	where
	Patient int64     `dpnb:"patient"`
	Age     *uint8    `dpnb:"age"`
	Income  float32   `dpnb:"income,missing=-9"`
	Day     time.Time `dpnb:"day"`
	Smokes  *bool     `dpnb:"smokes"`
	Text    string    `dpnb:"weight,missing="`
	Old     string    `dpnb:"old"`
	Score   int       `dpnb:"score"`
	note    string
	Other   chan int
}

func visitColumns() []frames.Column {
	return []frames.Column{
		frames.Person("patient"), frames.Numeric("age", 0, 120).MayMiss(), frames.Numeric("income", 0, 1000).MayMiss().Clamped(),
		frames.Date("day", "2024-01-01", "2024-12-31").MayMiss(), frames.Category("smokes", "false", "true").MayMiss(),
		frames.Category("ward", "a", "b").Other("else"), frames.Numeric("weight", 0, 300).MayMiss(), frames.Ignored("old"), frames.NumericLabel("score", 0, 10),
	}
}

func at[T any](v T) *T { return &v }

// someVisits are rows and the CSV text of the same.
func someVisits() ([]visit, string) {
	zone := time.FixedZone("east", 9*3600)
	return []visit{
			{where{"a"}, 7, at(uint8(41)), 12.5, time.Date(2024, 2, 29, 1, 0, 0, 0, zone), at(true), "80.5", "x", 3, "n", nil},
			{where{"zz"}, 7, nil, -9, time.Time{}, nil, "", "", 0, "", nil},
			{where{"b"}, -12, at(uint8(0)), 5000, time.Date(2024, 12, 31, 23, 59, 59, 0, time.UTC), at(false), "1e2", "", 10, "", nil},
			{where{"else"}, 3, at(uint8(1)), float32(math.NaN()), time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC), at(false), "0", "", 10, "", nil},
		}, "patient,age,income,day,smokes,ward,weight,score\n" +
			"7,41,12.5,2024-02-29,true,a,80.5,3\n7,,,,,zz,,0\n-12,0,5000,2024-12-31,false,b,100,10\n3,1,,2024-01-01,false,else,0,10\n"
}

// TestFromRows: structs, and pointers to them, are the rows that a file of the same values holds.
func TestFromRows(t *testing.T) {
	s := mustSchema(t, visitColumns()...)
	all, text := someVisits()
	want, err := parse(s, text, frames.CSVOptions{Header: true})
	if err != nil {
		t.Fatal(err)
	}
	names := []string{"patient", "age", "income", "day", "smokes", "ward", "weight", "score"}
	byValue, err := frames.FromRows(s, slices.Values(all))
	if err != nil {
		t.Fatal(err)
	}
	byPointer, err := frames.FromRows(s, iter.Seq[*visit](func(yield func(*visit) bool) {
		for i := range all {
			if !yield(&all[i]) {
				return
			}
		}
	}))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*frames.Frame{byValue, byPointer} {
		if got := cells(f); got != cells(want) || f.Clamped()["income"] != 1 {
			t.Errorf("got\n%s, clamped %v, want\n%s", got, f.Clamped(), cells(want))
		}
		if fingerprintOf(t, f, names...) != fingerprintOf(t, want, names...) {
			t.Error("another fingerprint than the same rows in a file")
		}
	}
}

// TestFromRowsRefuses names row, column and field, and repeats no value.
func TestFromRowsRefuses(t *testing.T) {
	s := mustSchema(t, visitColumns()...)
	with := func(change func(v *visit)) error {
		all, _ := someVisits()
		change(&all[2])
		_, err := frames.FromRows(s, slices.Values(all))
		return err
	}
	type odd struct {
		A float64 `dpnb:"a"`
	}
	a := mustSchema(t, frames.Numeric("a", 0, 1))
	class := mustSchema(t, frames.Category("a", "0", "1"))
	for _, c := range []struct {
		name string
		err  error
		is   error
		says string
	}{
		{"bounds", with(func(v *visit) { v.Age = at(uint8(173)) }), frames.ErrBounds, `row 3, column "age": outside the declared bounds [0, 120]`},
		{"which field", with(func(v *visit) { v.Age = at(uint8(173)) }), frames.ErrBounds, "the field is Age of type uint8"},
		{"infinite", with(func(v *visit) { v.Income = float32(math.Inf(1)) }), frames.ErrNumber, `column "income"`},
		{"no number", with(func(v *visit) { v.Text = "173x" }), frames.ErrNumber, `column "weight"`},
		{"space", with(func(v *visit) { v.Text = " 173" }), frames.ErrNumber, "space"},
		{"day", with(func(v *visit) { v.Day = v.Day.AddDate(0, 0, 1) }), frames.ErrBounds, `column "day"`},
		{"nobody", func() error {
			type row struct {
				Who string `dpnb:"a"`
			}
			_, err := frames.FromRows(mustSchema(t, frames.Person("a"), frames.Ignored("b")), slices.Values([]row{{"x"}, {""}}))
			return err
		}(), frames.ErrMissing, `row 2, column "a"`},
		{"missing", errOf(frames.FromRows(a, slices.Values([]odd{{math.NaN()}}))), frames.ErrMissing, "row 1"},
		{"nil row", errOf(frames.FromRows(a, slices.Values([]*odd{{1}, nil}))), frames.ErrMissing, "row 2"},
		{"no rows", errOf(frames.FromRows(a, slices.Values([]odd{}))), frames.ErrEmpty, "0 rows"},
		{"no schema", errOf(frames.FromRows(frames.Schema{}, slices.Values([]odd{}))), frames.ErrHeader, `column "a"`},
		{"no field", errOf(frames.FromRows(a, slices.Values([]struct{ A float64 }{{1}}))), frames.ErrHeader, `no field has the tag of "a"`},
		{"no column", errOf(frames.FromRows(mustSchema(t, frames.Numeric("b", 0, 1)), slices.Values([]odd{{1}}))), frames.ErrHeader, `field A is column "a"`},
		{"twice", errOf(frames.FromRows(a, slices.Values([]struct {
			A float64 `dpnb:"a"`
			B float64 `dpnb:"a"`
		}{}))), frames.ErrHeader, "fields A and B"},
		{"a float of levels", errOf(frames.FromRows(class, slices.Values([]odd{{1}}))), frames.ErrOptions, "spellings"},
		{"no struct", errOf(frames.FromRows(a, slices.Values([]float64{1}))), frames.ErrOptions, "want a struct"},
		{"an odd type", errOf(frames.FromRows(a, slices.Values([]struct {
			A []byte `dpnb:"a"`
		}{}))), frames.ErrOptions, "field A of type []uint8"},
		{"an odd tag", errOf(frames.FromRows(a, slices.Values([]struct {
			A float64 `dpnb:"a,omitempty"`
		}{}))), frames.ErrOptions, "missing="},
		{"an odd marker", errOf(frames.FromRows(a, slices.Values([]struct {
			A float64 `dpnb:"a,missing=none"`
		}{}))), frames.ErrOptions, "want a number"},
		{"not exported", errOf(frames.FromRows(a, slices.Values([]struct {
			a float64 `dpnb:"a"`
		}{}))), frames.ErrOptions, "not exported"},
		{"behind a pointer", errOf(frames.FromRows(a, slices.Values([]struct{ *Odd }{}))), frames.ErrOptions, "embedded by pointer"},
	} {
		if !errors.Is(c.err, c.is) || !strings.Contains(fmt.Sprint(c.err), c.says) {
			t.Errorf("%s: got %v, want %v and %q", c.name, c.err, c.is, c.says)
		}
		if strings.Contains(fmt.Sprint(c.err), "173") {
			t.Errorf("%s: the error repeats the value: %v", c.name, c.err)
		}
	}
}

type Odd struct {
	A float64 `dpnb:"a"`
}

func errOf(_ *frames.Frame, err error) error { return err }

// TestFromRowsStops reading where too much is wrong.
func TestFromRowsStops(t *testing.T) {
	n := 0
	_, err := frames.FromRows(mustSchema(t, frames.Numeric("a", 0, 1)), func(yield func(Odd) bool) {
		for ; yield(Odd{2}); n++ {
		}
	})
	if !errors.Is(err, frames.ErrBounds) || n > 10_000 {
		t.Errorf("got %v after %d rows", err, n)
	}
}

func BenchmarkFromRows(b *testing.B) {
	type row struct {
		A float64 `dpnb:"a"`
		B int     `dpnb:"b"`
		C string  `dpnb:"c"`
	}
	s := mustSchema(b, frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 10), frames.Category("c", "x", "y"))
	all := slices.Repeat([]row{{0.5, 3, "y"}}, benchRows)
	for b.Loop() {
		if _, err := frames.FromRows(s, slices.Values(all)); err != nil {
			b.Fatal(err)
		}
	}
	perSecond(b)
}
