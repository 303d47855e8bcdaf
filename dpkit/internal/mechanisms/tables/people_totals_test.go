package tables

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestTotalsOfPeople: rows of a person in a group are added up before they are clamped, in the noisy table and in the exact one, and people
// are what is counted.
func TestTotalsOfPeople(t *testing.T) {
	c := boundedCase{to: stage.Contributions{Rows: 4, Groups: 4, PerGroup: 4}, wards: 3, by: []string{"ward"}}
	st := c.stage(accountant.ReplaceOne) // the two others have a row of 0 each in the first ward
	bag := [][]float64{{1, 4, 0}, {1, 5, 1}, {2, -3, 1}, {2, -2, 1}}
	total := TableStatistic{Of: Total, Column: "x", Lo: -4, Hi: 7}
	mean := TableStatistic{Of: MeanTotal, Column: "x", Lo: -4, Hi: 7}
	r := Release{By: c.by, Of: []TableStatistic{people, total, mean}, Target: query.Target{Epsilon: 1e4, Delta: 1e-6}}
	cal := must(r.Calibrate(st))
	v := r.table(cal, st, c.table(t, cal, st, bag))
	want := map[string][]float64{"people": {2, 1, 1}, total.String(): {0, 7, -4}, mean.String(): {0, 7, -4}}
	for name, of := range want {
		for g, cell := range must(v.Column(name, 0.95)) {
			if math.Abs(cell.Value-of[g]) > 1e-3 || !(cell.Low <= cell.Value && cell.Value <= cell.High) {
				t.Errorf("%s, ward %d: %+v, want %g", name, g, cell, of[g])
			}
		}
	}
	if err := v.Check(); err != nil {
		t.Error(err)
	}
	if got := v.Counts[0]; got > 2.1 {
		t.Errorf("%g people in the first ward", got)
	}
	// The noise is for one person in each group, whatever the number of rows: that on a sum of rows is for all of them.
	byRows := must((Release{By: c.by, Of: []TableStatistic{count, {Of: Sum, Column: "x"}}, Target: query.Target{Epsilon: 1, Delta: 1e-6}}).Calibrate(st))
	byPeople := must((Release{By: c.by, Of: []TableStatistic{people, total}, Target: query.Target{Epsilon: 1, Delta: 1e-6}}).Calibrate(st))
	if got := byPeople.Sigma / byRows.Sigma; !(got < 0.6) {
		t.Errorf("noise on cells of people is %g of that on cells of rows", got)
	}
	m := &rows.Matrix{Domain: st.In, Cols: 2, X: []float64{0, 1, 1, 4, 1, 5, 2, -3, 2, -2, 0, 0, 0, 5, 1, 1}, Y: make([]float64, 8)}
	exact := must(r.Exact(t.Context(), rows.InProcess{In: m}, st))
	for g, sum := range []float64{1 + 5, 7 + 1, -4} { // four places each: {1; 4 + 5; −3}, {−2; 0 + 5; 1}
		want := sum
		if g == 2 {
			want = -3 - 2
		}
		if got := must(exact.Column(total.String(), 0.95))[g]; math.Abs(got.Value-want) > 1e-9 {
			t.Errorf("exact, ward %d: %+v, want %g", g, got, want)
		}
	}
}

// TestTotalsWithoutBounds: a column that nobody bounds has totals, since these are clamped; where rows are people a total is the clamped row.
func TestTotalsWithoutBounds(t *testing.T) {
	s := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Unbounded("x")))
	st := stage.Stage{In: s, Out: s, Before: must(pair.Start(4, stage.StartRadius(s), accountant.AddRemove))}
	r := Release{By: []string{"ward"}, Of: []TableStatistic{{Of: Total, Column: "x", Lo: 0, Hi: 10}, people}, Target: query.Target{Epsilon: 1e4, Delta: 1e-6}}
	cal := must(r.Calibrate(st))
	m := &rows.Matrix{Domain: s, Cols: 2, X: []float64{0, 1e9, 0, 3, 1, -1e300, 1, 4}}
	v := r.table(cal, st, must(cal.read(st)(t.Context(), rows.InProcess{In: m})))
	for g, want := range []float64{13, 4} {
		if got := must(v.Column(r.Of[0].String(), 0.95))[g].Value; math.Abs(got-want) > 1e-2 {
			t.Errorf("ward %d: %g, want %g", g, got, want)
		}
	}
	if want := math.Sqrt2; math.Abs(cal.S-want) > 1e-6 { // (1, u) of one row
		t.Errorf("Δ = %g, want %g", cal.S, want)
	}
}

func TestTotalsErrors(t *testing.T) {
	c := boundedCase{to: stage.Contributions{Rows: 4, Groups: 4, PerGroup: 4}, wards: 3, by: []string{"ward"}}
	st := c.stage(accountant.ReplaceOne)
	target := query.Target{Epsilon: 1, Delta: 1e-6}
	for name, bad := range map[string]struct {
		of   []TableStatistic
		says string
		is   error
	}{
		"no bounds":      {[]TableStatistic{{Of: Total, Column: "x"}}, "want finite bounds of what one person has", kind.ErrParameter},
		"not a number":   {[]TableStatistic{{Of: Total, Column: "x", Lo: math.NaN(), Hi: 1}}, "want finite bounds", kind.ErrParameter},
		"upside down":    {[]TableStatistic{{Of: MeanTotal, Column: "x", Lo: 3, Hi: 1}}, "want finite bounds", kind.ErrParameter},
		"infinite":       {[]TableStatistic{{Of: MeanTotal, Column: "x", Hi: math.Inf(1)}}, "want finite bounds", kind.ErrParameter},
		"a category":     {[]TableStatistic{{Of: Total, Column: "back", Hi: 1}}, "has levels or texts", stage.ErrColumn},
		"rows beside":    {[]TableStatistic{totalOfX, count}, "count beside totals of people", kind.ErrParameter},
		"a sum beside":   {[]TableStatistic{{Of: Sum, Column: "x"}, totalOfX}, "sum of x beside totals of people", kind.ErrParameter},
		"bounds of sums": {[]TableStatistic{{Of: Sum, Column: "x", Hi: 3}}, "want no bounds", kind.ErrParameter},
		"a median":       {[]TableStatistic{totalOfX, medianOfX}, "median of x beside totals", kind.ErrParameter},
	} {
		if _, err := (Release{By: c.by, Of: bad.of, Target: target}).Calibrate(st); err == nil || !strings.Contains(err.Error(), bad.says) || !errors.Is(err, bad.is) {
			t.Errorf("%s: got %v, want %q", name, err, bad.says)
		}
	}
	st.Unordered = true
	if _, err := (Release{By: c.by, Of: []TableStatistic{totalOfX}, Target: target}).Calibrate(st); err == nil {
		t.Error("totals by places that no longer are theirs")
	}
	if _, err := (Found{By: c.by, Of: []TableStatistic{people, totalOfX}, Target: target}).calibrate(c.stage(accountant.ReplaceOne)); err == nil || !strings.Contains(err.Error(), "Codebook") {
		t.Errorf("totals of found groups: %v", err)
	}
}
