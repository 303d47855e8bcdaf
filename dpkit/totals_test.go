package dpkit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestTotalsBesideRows: a table of totals costs what one row of a person in each group does, whatever the number of rows; a comparison of a
// table of rows lists it with its noise, and rows and totals are the same numbers where nothing is clamped.
func TestTotalsBesideRows(t *testing.T) {
	schema := mustSchema(frames.Category("ward", "a", "b", "c"), frames.Numeric("stay", 0, 60), frames.Label("back", "no", "yes"))
	var rows [][]float64
	for i := range 900 {
		rows = append(rows, []float64{float64(i / 3 % 3), float64(i % 7), float64(i % 2)}) // three rows of a person, in one ward
	}
	data := must(Demo(ofPersons(t, frameOf(t, schema, rows), 3), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 20, Delta: 1e-6}
	for _, r := range []int{3, 30} {
		by := data.Bound(Contributing{Groups: 2, RowsPerGroup: r, By: []string{"ward"}}).By("ward")
		totals := by.People().Total("stay", 0, 100).MeanTotal("stay", 0, 100).Table(target)
		if s := must(totals.Cost()).Release.Sensitivity; math.Abs(s-2*math.Sqrt2) > 1e-6 {
			t.Errorf("%d rows in a ward: Δ = %v, want 2√2", r, s)
		}
		all := by.Count().Sum("stay").Mean("stay").Table(target)
		got, want := must(totals.Release(t.Context())).Value, must(all.Release(t.Context())).Value
		for _, ward := range []string{"a", "b", "c"} {
			total, sum := must(got.At("total of stay in [0, 100]", ward)), must(want.At("sum of stay", ward))
			if total.Value < sum.Low-5*(total.High-total.Low) || total.Value > sum.High+5*(total.High-total.Low) {
				t.Errorf("ward %s: %+v in all by people, %+v by rows", ward, total, sum)
			}
			if mean := must(got.At("mean total of stay in [0, 100]", ward)).Value; math.Abs(mean-9) > 2 {
				t.Errorf("ward %s: mean of totals %v, want about 9", ward, mean)
			}
		}
		c := must(all.Compare())
		last := c.Steps[len(c.Steps)-1]
		text := fmt.Sprint(last)
		if !strings.Contains(text, fmt.Sprintf("0.25 of what %d rows could be", r)) || !strings.Contains(text, "noise of ±") {
			t.Errorf("%d rows in a ward: totals are not listed in\n%s", r, text)
		}
		for _, v := range last.Variants {
			if strings.Contains(v.Plan, "total") && (!v.Listed || v.Refused != "") {
				t.Errorf("listed %v, refused %q", v.Listed, v.Refused)
			}
		}
		if _, err := Parse[Table](data.s, totals.String()); err != nil {
			t.Error(err)
		}
	}
}
