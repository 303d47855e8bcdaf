package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestBothWaysOfBounding: a comparison lists the other way to bound what people contribute with the price that it has where it is written by hand,
// recommends neither for the other, and says of what it has no answer.
func TestBothWaysOfBounding(t *testing.T) {
	t.Parallel()
	data := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(9, 20)), 60)), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	rows := data.Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"ward"}})
	stay, ward := MeanOf{Column: "stay", As: "stay"}, MostFrequent{Column: "ward"}
	visits := CountRows{Max: 4, As: "rows"}
	for _, c := range []struct {
		name          string
		written, hand Plan[Table]
		notes         []string
	}{
		{
			"counts", rows.By("ward").Count().People().Table(target), data.PerPerson(ward, visits).By("ward").Sum("rows").Count().Table(target),
			[]string{"in the group of most of their rows", "count is the rows of people in the group, at most 4 of each", "people is the people"},
		},
		{"of all", rows.By().Count().Table(target), data.PerPerson(visits).By().Sum("rows").Table(target), nil},
		{
			"a sum", rows.Impute(Midpoint{}, "stay").By("ward").Sum("stay").Table(target),
			data.Impute(Midpoint{}, "stay").PerPerson(ward, SumOf{Column: "stay", Lo: 0, Hi: 120}).By("ward").Sum("sum of stay").Table(target), nil,
		},
		{
			"a mean, a share and what has no answer", rows.Impute(Midpoint{}, "stay").By("ward").Mean("stay").Share("back", "yes").Variance("stay").Quantile(0.5, "stay").Table(target),
			data.Impute(Midpoint{}, "stay").PerPerson(ward, stay, ShareOf{Column: "back", Level: "yes"}).By("ward").Mean("stay").Mean("share of back=yes").Table(target),
			[]string{"each of whom counts once", "without variance of stay, quantile of stay: one row a person can tell nothing that corresponds"},
		},
		{
			"a column that is made behind", rows.Bin([]float64{100, 200}, "day").By("day").Count().Table(target),
			data.Bin([]float64{100, 200}, "day").PerPerson(MostFrequent{Column: "day"}, visits).By("day").Sum("rows").Table(target), nil,
		},
		{
			"one row a person", data.PerPerson(CountRows{Max: 7}, stay, ward, MostFrequent{Column: "back"}).Impute(Midpoint{}, "stay").By("ward").Count().Sum("rows").Mean("stay").Share("back", "yes").Mean("rows").Table(target),
			data.Bound(Contributing{Rows: 7}).Impute(Midpoint{}, "stay").By("ward").People().Count().Mean("stay").Share("back", "yes").Table(target),
			[]string{"the most that CountRows counts", "sum of rows is the rows in the group", "without mean of rows: rows can tell nothing"},
		},
		{"one row a person, of no number", data.PerPerson(ward).By("ward").Count().Table(target), data.Bound(Contributing{Rows: 10}).By("ward").People().Table(target), []string{"an example: choose it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := must(c.written.Compare())
			if got.Recommended.Plan != got.Written.Plan {
				t.Errorf("recommended: %s", got.Recommended.Plan)
			}
			for _, v := range got.Steps[0].Variants {
				if v.Plan != c.hand.String() {
					continue
				}
				want := must(c.hand.Compare()).Written
				if v.Refused != "" || !v.Listed || v.Error != want.Error || v.Cost.Release.Sigma != must(c.hand.Cost()).Release.Sigma || !v.Predicted {
					t.Errorf("got %+v, want error %g", v, want.Error)
				}
				for _, note := range c.notes {
					if !strings.Contains(v.Note, note) {
						t.Errorf("the note lacks %q: %s", note, v.Note)
					}
				}
				if back := must(Parse[Table](data.s, v.Plan)).String(); back != v.Plan {
					t.Errorf("read back: %s", back)
				}
				return
			}
			t.Errorf("no way %s:\n%v", c.hand, got)
		})
	}
	none := must(rows.Impute(Midpoint{}, "stay").By("ward").Variance("stay").Table(target).Compare()).String()
	if !strings.Contains(none, "nothing that this table asks has an answer there") {
		t.Errorf("what has no answer is not told of:\n%s", none)
	}
	for _, p := range []Plan[Estimates]{rows.Histogram("back", target), data.PerPerson(ward, MostFrequent{Column: "back"}).Histogram("back", target)} {
		if text := must(p.Compare()).String(); !strings.Contains(text, "PerPerson(") || !strings.Contains(text, "Bound(") || !strings.Contains(text, "each of") {
			t.Errorf("not both ways:\n%s", text)
		}
	}
}

// TestBothWaysAgree: where nobody has more rows than are kept, and all of them in one group, what a comparison says stands for a count, a sum and
// people is the same number.
func TestBothWaysAgree(t *testing.T) {
	var lines strings.Builder
	lines.WriteString("patient,ward,stay\n")
	rng := rand.New(rand.NewPCG(12, 20))
	for i := range 200 {
		for range 1 + rng.IntN(4) {
			fmt.Fprintf(&lines, "p%d,%s,%g\n", i, wardNames[i%3], 30*rng.Float64())
		}
	}
	s := must(frames.NewSchema(frames.Person("patient"), frames.Category("ward", wardNames...), frames.Numeric("stay", 0, 30)))
	f := must(frames.ParseCSV(strings.NewReader(lines.String()), "v", s, frames.CSVOptions{Header: true}))
	ask := func(p Pipeline) Plan[Table] {
		return p.Bound(Contributing{Rows: 4}).By("ward").Count().People().Sum("stay").Table(Target{Epsilon: 1, Delta: 1e-6})
	}
	other := ""
	for _, v := range must(ask(must(Demo(f, 1, ReplaceOne)).Data()).Compare()).Steps[0].Variants {
		if strings.HasPrefix(v.Name, "PerPerson") {
			other = v.Plan
		}
	}
	public := must(OnPublic(frames.Public(f)))
	a, b := must(ask(public.Data()).Release(t.Context())).Value, must(must(Parse[Table](public, other)).Release(t.Context())).Value
	for i := range a.Of {
		x, y := must(a.Column(a.Of[i].String(), 0.95)), must(b.Column(b.Of[i].String(), 0.95))
		for g := range x {
			if !(math.Abs(x[g].Value-y[g].Value) <= 1e-6*(1+math.Abs(x[g].Value))) {
				t.Errorf("%v of %v is %g, and %v of people %g", a.Of[i], a.Groups[g], x[g].Value, b.Of[i], y[g].Value)
			}
		}
	}
}

// TestCompareUnitsOfASide: people are set aside behind either way to bound, so that each has a price.
func TestCompareUnitsOfASide(t *testing.T) {
	s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(1, 4)), 40)), 1, ReplaceOne))
	target := Target{Epsilon: 1, Delta: 1e-6}
	for name, p := range map[string]Pipeline{
		"rows":   s.Data().Bound(Contributing{Rows: 3}),
		"people": s.Data().PerPerson(MostFrequent{Column: "ward"}, CountRows{Max: 3}),
	} {
		side, _ := p.Holdout(0.25)
		other := 0
		for _, v := range must(side.By("ward").Count().Table(target).Compare()).Steps[0].Variants {
			if strings.HasPrefix(v.Name, map[string]string{"rows": "PerPerson(", "people": "Bound("}[name]) {
				if other++; v.Refused != "" {
					t.Errorf("%s: %s is refused: %s", name, v.Name, v.Refused)
				}
			}
		}
		if other != 1 {
			t.Errorf("%s: %d other ways", name, other)
		}
	}
}
