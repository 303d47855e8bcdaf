package dpkit

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// joiners are rows of days of a year, some later ones without any, each with a number that rises.
func joiners(t *testing.T, n int) *frames.Frame {
	schema := must(frames.NewSchema(frames.Date("day", "2024-01-01", "2024-12-31"), frames.Numeric("pay", 0, 100), frames.Category("ward", "a", "b"), frames.Label("back", "no", "yes")))
	var rows [][]float64
	for i := range n {
		day := i * 7919 % 300
		rows = append(rows, []float64{float64(day), float64(day) / 4, float64(i % 2), float64(i % 3 / 2)})
	}
	return frameOf(t, schema, rows)
}

// TestCumulative: without noise it is the sums; with noise what is drawn is off by as much as it says, in every period.
func TestCumulative(t *testing.T) {
	const n, draws = 600, 2000
	f := joiners(t, n)
	by := func(p Pipeline) Grouping {
		return p.Calendar("day", frames.Month).By("day month").Count().Sum("pay").Mean("pay").Share("ward", "a")
	}
	exact := must(by(must(OnPublic(frames.Public(f))).Data()).Cumulative(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	if last := must(exact.At("count", "2024-12")); last.Value != n || last.Low != n || last.High != n {
		t.Errorf("got %+v rows in all, want %d", last, n)
	}
	var days, pay float64
	for i := range n {
		if d := i * 7919 % 300; d < 31 {
			days, pay = days+1, pay+float64(d)/4
		}
	}
	if got := must(exact.At("mean of pay", "2024-01")); math.Abs(got.Value-pay/days) > 1e-9 {
		t.Errorf("got %v in January, want %v", got.Value, pay/days)
	}
	for _, rel := range []struct {
		name string
		of   *Session
	}{{"replace-one", must(Demo(f, 1, ReplaceOne))}, {"add/remove", must(Demo(f, 1, AddRemove))}} {
		released := must(by(rel.of.Data()).Cumulative(Target{Epsilon: 1, Delta: 1e-6}).Replicate(t.Context(), draws))
		first := released[0]
		for _, at := range []int{0, 4, 11} {
			var mean, square, sums, squares float64
			for _, r := range released {
				d, e := (r.Counts[at]-exact.Counts[at])/first.CountSigma[at], (r.Sums[0][at]-exact.Sums[0][at])/first.SumSigma[0][at]
				mean, square, sums, squares = mean+d, square+d*d, sums+e, squares+e*e
			}
			for name, v := range map[string]float64{"mean of counts": mean / math.Sqrt(draws), "mean of sums": sums / math.Sqrt(draws)} {
				if math.Abs(v) > 6.5 { // a standard normal variate
					t.Errorf("%s, %s, period %d: off by %v", rel.name, name, at, v)
				}
			}
			for name, v := range map[string]float64{"counts": square, "sums": squares} { // χ² of 2000 degrees, by Laurent, Massart 2000
				if x := 21.5; v > draws+2*math.Sqrt(draws*x)+2*x || v < draws-2*math.Sqrt(draws*x) {
					t.Errorf("%s, %s, period %d: variance %v of what is said", rel.name, name, at, v/draws)
				}
			}
		}
		if !(first.Next > 1 && first.Next < 1.05 && first.Alone > 0.3 && first.Alone < 1) || !strings.Contains(first.String(), "one period more") {
			t.Errorf("%s: next %v, alone %v", rel.name, first.Next, first.Alone)
		}
		missed := 0
		for _, r := range released[:400] {
			cells := must(r.Column("mean of pay", 0.95))
			want := must(exact.Column("mean of pay", 0.95))
			for i, c := range cells {
				if want[i].Value < c.Low || want[i].Value > c.High {
					missed++
				}
			}
		}
		if share := float64(missed) / (400 * 12); share > 0.05+0.17 { // Hoeffding for 400 draws that are independent
			t.Errorf("%s: means of pay are missed in %v", rel.name, share)
		}
	}
}

// TestCumulativeOfPeople pays for all rows of a person, less where they are bounded by period.
func TestCumulativeOfPeople(t *testing.T) {
	f := ofPersons(t, joiners(t, 600), 4)
	s := must(Demo(f, 1, AddRemove))
	sigma := func(p Pipeline) float64 {
		r := must(p.By("day month").Count().Cumulative(Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
		return r.CountSigma[11]
	}
	data := s.Data().Calendar("day", frames.Month)
	one, spread, all := sigma(data.Bound(Contributing{Rows: 1})), sigma(data.Bound(Contributing{Groups: 4, RowsPerGroup: 1, By: []string{"day month"}})), sigma(data.Bound(Contributing{Rows: 4}))
	if !(one < spread && spread < all && all > 3.9*one && all < 4.1*one) {
		t.Errorf("noise %v of one row, %v of four in different months, %v of four", one, spread, all)
	}
}

// TestCumulativeIsRefused where it has no meaning, with the way out.
func TestCumulativeIsRefused(t *testing.T) {
	d := must(Demo(joiners(t, 50), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	months := d.Calendar("day", frames.Month)
	for name, c := range map[string]struct {
		plan Plan[Series]
		err  error
		says string
	}{
		"levels without an order": {d.By("ward").Count().Cumulative(target), ErrColumn, "Calendar"},
		"two columns":             {months.By("ward", "day month").Count().Cumulative(target), ErrParameter, "one column"},
		"days":                    {d.By("day").Count().Cumulative(target), ErrColumn, "Calendar"},
		"people":                  {months.By("day month").People().Cumulative(target), ErrParameter, "PerPerson"},
		"a median":                {months.By("day month").Quantile(0.5, "pay").Cumulative(target), ErrParameter, "no sum over rows"},
		"a margin":                {months.By("day month").Count().Within(3, 0.9).Cumulative(target), ErrParameter, "give a target"},
		"Laplace noise":           {months.By("day month").Count().Cumulative(Target{Epsilon: 1, Noise: NoiseLaplace}), ErrParameter, "NoiseGaussian"},
		"nothing":                 {months.By("day month").Cumulative(target), ErrParameter, "no statistic"},
	} {
		if _, err := c.plan.Cost(); !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %v that says %q", name, err, c.err, c.says)
		}
	}
	r := must(months.By("day month").Count().Cumulative(target).Release(t.Context())).Value
	if _, err := r.At("count", "2025-01"); !errors.Is(err, ErrColumn) {
		t.Errorf("got %v", err)
	}
	if _, err := r.Column("sum of pay", 0.9); !errors.Is(err, ErrColumn) {
		t.Errorf("got %v", err)
	}
	var csv strings.Builder
	if err := r.WriteCSV(&csv); err != nil || strings.Count(csv.String(), "\n") != 13 || !slices.Contains(r.Gota().Names(), "count high") {
		t.Errorf("got %v and %s", err, csv.String())
	}
}
