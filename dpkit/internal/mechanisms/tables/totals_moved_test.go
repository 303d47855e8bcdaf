package tables

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestOneRowMovesTotals: a row that comes, goes or changes moves the table by no more than one row is said to, where the person has others; and
// by that.
func TestOneRowMovesTotals(t *testing.T) {
	for _, of := range [][]TableStatistic{{{Of: Total, Column: "x", Lo: -1, Hi: 1}}, {people, {Of: Total, Column: "x", Lo: -1, Hi: 1}, {Of: MeanTotal, Column: "x", Lo: -2, Hi: 2}}} {
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			c := boundedCase{to: stage.Contributions{Rows: 4, Groups: 4, PerGroup: 4}, wards: 2, by: []string{"ward"}, of: of}
			st := c.stage(rel)
			cal := must(Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
			most := 0.0
			row := func(ward int, x float64) []float64 { return []float64{float64(ward), x, 0} }
			for _, ends := range [][4]float64{{-3, 5, -3, 5}, {5, -3, 5, -3}, {-3, 5, 5, -3}} {
				// Others leave the totals at one end, from where this row takes them to the other.
				others := [][]float64{row(0, ends[0]), row(1, ends[2])}
				tables := [][]int64{c.table(t, cal, st, others)}
				for _, last := range [][]float64{row(0, ends[1]), row(1, ends[3])} {
					for n := 1; n < 3; n++ {
						bag := append([][]float64{last}, others...)
						if n == 2 {
							bag = bag[:1] // alone
						}
						tables = append(tables, c.table(t, cal, st, bag))
					}
				}
				pairs := [][2]int{{0, 1}, {0, 3}} // it comes
				if rel == accountant.ReplaceOne {
					pairs = append(pairs, [2]int{1, 3}, [2]int{2, 4})
				}
				for _, p := range pairs {
					most = max(most, distance(tables[p[0]], tables[p[1]], cal.Grid.Step()))
				}
			}
			claimed := cal.Query.C
			if rel == accountant.ReplaceOne {
				claimed *= 2
			}
			if !(most <= claimed+cal.Grid.Step()*8 && most > 0.99*claimed) {
				t.Errorf("%v, %v: a row moves totals by %v, claimed are %v", of, rel, most, claimed)
			}
		}
	}
}

// TestTotalsOfADisplacedColumn: several totals of one column all move with it.
func TestTotalsOfADisplacedColumn(t *testing.T) {
	c := boundedCase{
		to: stage.Contributions{Rows: 2, Groups: 2, PerGroup: 2}, wards: 2, by: []string{"ward"},
		of: []TableStatistic{{Of: Total, Column: "x", Lo: -3, Hi: 3}, {Of: Total, Column: "x", Lo: -3, Hi: 3.5}, {Of: MeanTotal, Column: "x", Lo: -2, Hi: 2}},
	}
	st := c.stage(accountant.ReplaceOne)
	st.Taint = stage.Taint{"x": true}
	cal := must(Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
	for _, d := range []float64{1e-3, 0.5, 2} {
		a, b := c.table(t, cal, st, [][]float64{{0, -1, 0}}), c.table(t, cal, st, [][]float64{{0, -1 + d, 0}})
		moved := distance(a, b, cal.Grid.Step())
		if claimed := cal.Query.Lipschitz*d + 16*cal.Grid.Step(); !(moved <= claimed && moved > 0.99*claimed) {
			t.Errorf("displaced by %g the table moves by %g, claimed are %g", d, moved, claimed)
		}
	}
}

// TestTotalsAreRounded: totals of large numbers move by more than their rows, by what they are rounded by, which is paid for.
func TestTotalsAreRounded(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Numeric("x", -1e15, 1e15), frames.Label("back", "no", "yes")))
	c := boundedCase{to: stage.Contributions{Rows: 3, Groups: 3, PerGroup: 3}, wards: 2, by: []string{"ward"}, of: []TableStatistic{{Of: Total, Column: "x", Lo: 0, Hi: 3}}}
	st := c.stage(accountant.ReplaceOne)
	st.In, st.Out, st.Taint = schema, schema, stage.Taint{"x": true}
	cal := must(Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
	const d = 0x1p-10
	most := 0.0
	for _, x := range []float64{0.0625 - d/2, 0.1875 - d/2, 0.3125 - d/2} {
		table := func(x float64) []int64 {
			return c.table(t, cal, st, [][]float64{{0, 1e15, 0}, {0, x, 0}, {0, -1e15, 0}})
		}
		most = max(most, distance(table(x), table(x+d), cal.Grid.Step()))
	}
	plain := cal.Query.Lipschitz * d
	if !(most <= plain+2*cal.Fp+4*cal.Grid.Step()) {
		t.Errorf("moved by %g, claimed are %g and %g", most, plain, 2*cal.Fp)
	}
	if !(most > 2*plain) {
		t.Errorf("rounding of %g is not seen beside %g", most, plain)
	}
	open := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Unbounded("x"), frames.Label("back", "no", "yes")))
	st.In, st.Out, st.Taint = open, open, nil
	cal = must(Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
	if cal.Any != 0 || math.IsInf(cal.Fp, 1) {
		t.Error(fmt.Sprint("of numbers without bounds: ", cal.Any, cal.Fp))
	}
}
