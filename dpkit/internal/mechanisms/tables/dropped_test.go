package tables

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// droppedStage is a stage behind a bound that tells what it dropped.
func droppedStage(to stage.Contributions, wards int, rel accountant.Neighbours) stage.Stage {
	levels := []string{"a", "b", "c", "d"}[:wards]
	schema := must(frames.NewSchema(frames.Category("ward", levels...), frames.Numeric("x", -3, 5), frames.Numeric(stage.RowsDropped, 0, float64(to.Dropped)), frames.Label("back", "no", "yes")))
	before := must(must(pair.Start(7*to.Rows, stage.StartRadius(schema), rel)).Group(to.Rows - 1))
	return stage.Stage{In: schema, Out: schema, Before: before, After: before, Empty: true, Contributions: to}
}

// TestDroppedSensitivity: somebody moves the table and both numbers of dropped rows by what is charged at most, and no less: all of what rows
// do, 1 and M, at once.
func TestDroppedSensitivity(t *testing.T) {
	told := TableStatistic{Of: Dropped, Column: stage.RowsDropped}
	for _, to := range []stage.Contributions{{Rows: 1, Groups: 1, PerGroup: 1, Dropped: 5}, {Rows: 3, Groups: 3, PerGroup: 3, Dropped: 1}, {Rows: 2, Groups: 2, PerGroup: 1, By: []string{"ward"}, Dropped: 40}} {
		for _, of := range [][]TableStatistic{{{Of: Count}}, {{Of: People}}, {{Of: Count}, {Of: Mean, Column: "x"}}, {{Of: People}, {Of: Count}}, {{Of: People}, {Of: Total, Column: "x", Lo: 0, Hi: 4}}, {{Of: Count}, {Of: Quantile, Column: "x", Q: 0.5}}} {
			for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
				t.Run(fmt.Sprint(to, of, rel), func(t *testing.T) {
					st, target := droppedStage(to, 4, rel), query.Target{Epsilon: 1, Delta: 1e-6}
					plain := must(Release{By: []string{"ward"}, Of: of, Target: target}.Calibrate(st))
					cal := must(Release{By: []string{"ward"}, Of: append(slices.Clone(of), told), Target: target}.Calibrate(st))
					if err := plain.State(st.Before); err != nil { // without rounding
						t.Fatal(err)
					}
					step := cal.Grid.Step()
					if err := cal.State(st.Before); err != nil {
						t.Fatal(err)
					}
					two := cal.droppedSteps(1, int64(to.Dropped))
					moved := math.Sqrt(plain.S*plain.S + math.Pow(float64(two[0])*step, 2) + math.Pow(float64(two[1])*step, 2))
					if !(moved <= cal.S+2*step) || !(moved >= 0.999*cal.S) {
						t.Errorf("a person moves the table by %.9g, charged are %.9g", moved, cal.S)
					}
					if grown := cal.S / plain.S; !(grown <= math.Sqrt(1+2./16)*(1+1e-6)) {
						t.Errorf("the table's noise grows %g times", grown)
					}
				})
			}
		}
	}
}

// TestDroppedIsOfOnePerson: whatever the cells of a person hold, they add 1 to the number of people and M to that of rows at most.
func TestDroppedIsOfOnePerson(t *testing.T) {
	const k, m = 3, 4
	st := droppedStage(stage.Contributions{Rows: k, Groups: k, PerGroup: k, Dropped: m}, 2, accountant.ReplaceOne)
	cal := must(Release{By: []string{"ward"}, Of: []TableStatistic{{Of: Count}, {Of: Dropped, Column: stage.RowsDropped}}, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
	for _, c := range []struct {
		cells         []float64
		people, total int64
	}{
		{[]float64{0, 0, 0}, 0, 0},
		{[]float64{3, 0, 0}, 1, 3},
		{[]float64{4, 4, 4}, 1, m},
		{[]float64{1e300, 0, 0}, 1, m},
		{[]float64{-5, 0, 0}, 0, 0},
		{[]float64{math.NaN(), 4, 0}, 0, 0},
		{[]float64{math.Inf(1), 0, 0}, 1, m},
		{[]float64{0, 0, 2}, 1, 2},
	} {
		x := make([]float64, 0, 7*k*3)
		for i := range 7 * k {
			told := 0.
			if i < k {
				told = c.cells[i]
			} else if i == 2*k {
				told = 2 // of somebody else
			}
			x = append(x, float64(i%2), 1, told)
		}
		people, dropped, err := cal.readDropped(t.Context(), rows.InProcess{In: &rows.Matrix{Domain: st.In, Cols: 3, X: x, Y: make([]float64, 7*k)}}, st)
		if err != nil || people != c.people+1 || dropped != c.total+2 {
			t.Errorf("%v: got %d people and %d rows, %v, want %d and %d", c.cells, people, dropped, err, c.people+1, c.total+2)
		}
	}
}
