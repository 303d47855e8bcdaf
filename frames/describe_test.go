package frames_test

import (
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func TestDescribe(t *testing.T) {
	f, err := parse(people(t), "73.0625,nurse,x,41.875,high\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := f.Describe()
	if d.Rows != 1 || d.Columns != 5 || d.Numeric != 2 || d.Categories != 1 || d.OneHot != 5 || d.Ignored != 1 || d.MayMiss != 2 || d.Clamped != 1 || d.Label != "income" || d.Classes != 2 || !math.IsInf(d.NormBound, 1) {
		t.Errorf("got %+v", d)
	}
	const want = `1 row (public under ReplaceOne), 5 columns: 2 numeric, 1 category, 1 ignored; 2 may miss, 1 clamped; label income with 2 classes
norm of a row: none before one-hot encoding, then 5 columns
columns  kind      domain                 notes
age      numeric   [0, 120]
job      category  clerk | nurse | smith  may miss
id       ignored   -
gain     numeric   [-10, 100]             may miss, clamped
income   label     low | high
warning: each row is protected by itself, and the ignored column "id" is named like a person: if somebody may have several rows, declare it as frames.Person("id")
`
	if got := d.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Two frames of one schema and size have one description, whatever they hold.
func TestDescribeShowsPublicFactsOnly(t *testing.T) {
	a, err := parse(people(t), "73.0625,nurse,x,41.875,high\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := parse(people(t), "0,?,,?,low\n", frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if a.Describe().String() != b.Describe().String() {
		t.Error("the descriptions differ")
	}
}

func TestDescribeFoldsRuns(t *testing.T) {
	s, err := frames.LibSVMSchema(frames.LibSVMDomain{Features: 100, Lo: -1, Hi: 1, LabelHi: 5})
	if err != nil {
		t.Fatal(err)
	}
	got := frames.Describe(s)
	if got.Rows != -1 || got.NormBound != 10 {
		t.Errorf("got %+v", got)
	}
	const want = `101 columns: 100 numeric, 0 category, 0 ignored; 0 may miss, 0 clamped; label label, a number
norm of a row: at most 10
columns          kind     domain   notes
f1 … f100 (100)  numeric  [-1, 1]
label            label    [0, 5]
`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if text := frames.Describe(frames.Schema{}).String(); !strings.HasPrefix(text, "0 columns") {
		t.Errorf("zero schema: got %s", text)
	}
}
