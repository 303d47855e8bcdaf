package tables

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestTableSensitivity goes through all rows of corners (each level, values at their bounds and in the middle): what one row that is
// replaced, or there on one side only, does to the table is at most what is charged, and some pair attains it.
func TestTableSensitivity(t *testing.T) {
	schema := must(frames.NewSchema(
		frames.Category("ward", "a", "b"), frames.Numeric("x", -3, 5), frames.Numeric("y", 0, 1e-9), frames.Label("back", "no", "yes"),
	))
	count, sum, mean := TableStatistic{Of: Count}, TableStatistic{Of: Sum, Column: "x"}, TableStatistic{Of: Mean, Column: "y"}
	variance := TableStatistic{Of: Variance, Column: "x"}
	share := TableStatistic{Of: Share, Column: "back", Level: "yes"}
	for _, c := range []struct {
		by []string
		of []TableStatistic
	}{
		{[]string{"ward"}, []TableStatistic{count}},
		{[]string{"ward", "back"}, []TableStatistic{count}},
		{[]string{"ward"}, []TableStatistic{sum}},
		{[]string{"ward"}, []TableStatistic{count, sum, mean}},
		{[]string{"back", "ward"}, []TableStatistic{mean, share}},
		{[]string{"ward"}, []TableStatistic{variance}},
		{[]string{"ward"}, []TableStatistic{count, sum, variance, share}},
		{nil, []TableStatistic{sum}},
		{nil, []TableStatistic{mean, sum, share}},
	} {
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			t.Run(fmt.Sprint(c.by, c.of, rel), func(t *testing.T) {
				st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(3, stage.StartRadius(schema), rel)), Empty: true}
				r := Release{By: c.by, Of: c.of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}
				cal := must(r.Calibrate(st))
				var corners [][]float64 // ward, x, y, back
				for _, ward := range []float64{0, 1} {
					for _, back := range []float64{0, 1} {
						for _, x := range []float64{-3, 1, 5} {
							for _, y := range []float64{0, 5e-10, 1e-9} {
								corners = append(corners, []float64{ward, x, y, back})
							}
						}
					}
				}
				table := func(row []float64, there bool) []int64 {
					m := &rows.Matrix{Domain: schema, Cols: 3, X: []float64{1, 5, 0, row[0], row[1], row[2]}, Y: []float64{1, row[3]}}
					if !there {
						m.Remove(1)
					}
					return must(cal.read(st)(t.Context(), rows.InProcess{In: m}))
				}
				most, none := 0.0, table(corners[0], false)
				for _, a := range corners {
					one := table(a, true)
					most = max(most, distance(one, none, cal.Grid.Step()))
					if rel == accountant.ReplaceOne {
						for _, b := range corners {
							most = max(most, distance(one, table(b, true), cal.Grid.Step()))
						}
					}
				}
				if !(most <= cal.S) || !(most >= 0.999*cal.S) {
					t.Errorf("one row moves the table by %.17g, charged are %.17g", most, cal.S)
				}
			})
		}
	}
}

func distance(a, b []int64, unit float64) float64 {
	s := 0.0
	for i, v := range a {
		d := float64(v-b[i]) * unit
		s += d * d
	}
	return math.Sqrt(s)
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
