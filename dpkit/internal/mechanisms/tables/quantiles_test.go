package tables

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/single"
)

// TestQuantilesOfGroupsSensitivity goes through all rows of corners: by how much the errors of each group's candidates move is what the events
// are priced for, and some pair attains it. A row in one group moves that group alone, two rows at most two.
func TestQuantilesOfGroupsSensitivity(t *testing.T) {
	for _, levels := range [][]string{{"a"}, {"a", "b"}} {
		schema := must(frames.NewSchema(frames.Category("ward", append(levels, "z")[:max(2, len(levels))]...), frames.Numeric("x", -3, 5), frames.Label("back", "no", "yes")))
		by := []string{"ward"}
		if len(levels) == 1 {
			by = nil
		}
		for _, q := range []float64{0.1, 0.5, 0.75} {
			for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
				for _, delta := range []float64{0, 1e-6} {
					t.Run(fmt.Sprint(by, q, rel, delta), func(t *testing.T) {
						st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(9, stage.StartRadius(schema), rel)), Empty: true}
						r := Release{By: by, Of: []TableStatistic{{Of: Quantile, Column: "x", Q: q}}, Target: query.Target{Epsilon: 1, Delta: delta}}
						cal := must(r.Calibrate(st))
						single.Goroutine(t)
						errors := func(row []float64) (out [][]uint64) {
							x := []float64{0, -3, 0, 5, 1, -3, 1, 5, 0, 1} // rows that all have
							y := make([]float64, 5)
							if row != nil {
								x, y = append(x, row...), append(y, 0)
							}
							sums := must(cal.read(st)(t.Context(), rows.InProcess{In: &rows.Matrix{Domain: schema, Cols: 2, X: x, Y: y}}))
							for g := range cal.n {
								out = append(out, cal.quantiles[0].Errors(cal.sumsOf(sums, 0, g)))
							}
							return out
						}
						var corners [][]float64
						for _, ward := range []float64{0, 1} {
							for _, x := range []float64{-3, -1.23, 1, 5} {
								corners = append(corners, []float64{ward, x})
							}
						}
						var all [][][]uint64
						for _, row := range corners {
							all = append(all, errors(row))
						}
						none := [][][]uint64{errors(nil)}
						most, largest := 0.0, 0.0
						check := func(a, b [][]uint64) {
							total := 0.0
							for g := range a {
								d := 0.0
								for k := range a[g] {
									d = max(d, math.Abs(float64(a[g][k])-float64(b[g][k]))/sums.RankUnit)
								}
								total, largest = total+d, max(largest, d)
							}
							most = max(most, total)
							if rel == accountant.ReplaceOne && total > 1+1e-9 && !(largest <= 1) {
								t.Fatalf("a group moves by %g", largest)
							}
						}
						if rel == accountant.AddRemove {
							for _, a := range all {
								check(a, none[0])
							}
						} else {
							for _, a := range all {
								for _, b := range all {
									check(a, b)
								}
							}
						}
						claimed := must(cal.moves(cal.quantiles[0], st.Before, false))
						if !(most <= claimed) || !(most >= 0.99*claimed) {
							t.Errorf("one row moves ranks by %g, charged are %g", most, claimed)
						}
						eta := cal.quantiles[0].eta
						reach := 0.0
						for _, e := range must(cal.events(cal.quantiles[0], st.Before, false)) {
							reach += e.(accountant.Exponential).Epsilon
						}
						if !(2*eta*most <= reach) {
							t.Errorf("the losses span %g, charged are %g", 2*eta*most, reach)
						}
					})
				}
			}
		}
	}
}

// TestQuantilesMeetTheTarget: Gaussian cells and quantiles together cost what was asked for, and hardly less; several groups cost as one.
func TestQuantilesMeetTheTarget(t *testing.T) {
	var levels []string
	for i := range 40 {
		levels = append(levels, fmt.Sprint(i))
	}
	schema := must(frames.NewSchema(frames.Category("ward", levels...), frames.Category("few", "a", "b"), frames.Numeric("x", -3, 5), frames.Numeric("y", 0, 1), frames.Label("back", "no", "yes")))
	count, mean := TableStatistic{Of: Count}, TableStatistic{Of: Mean, Column: "y"}
	median, tail := TableStatistic{Of: Quantile, Column: "x", Q: 0.5}, TableStatistic{Of: Quantile, Column: "x", Q: 0.9}
	for _, of := range [][]TableStatistic{{median}, {tail, median}, {mean, count, tail}} {
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			for _, target := range []query.Target{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 0.05, Delta: 1e-9}, {Epsilon: 2}} {
				if target.Delta == 0 && slices.ContainsFunc(of, func(s TableStatistic) bool { return s.Of != Quantile }) {
					continue
				}
				if target.Epsilon < 1 && (len(of) != 3 || rel == accountant.AddRemove) {
					continue
				}
				t.Run(fmt.Sprint(of, rel, target.Epsilon), func(t *testing.T) {
					st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(3000, stage.StartRadius(schema), rel)), Empty: true}
					of := func(by string) *calibrated {
						return must(Release{By: []string{by}, Of: of, Target: target}.Calibrate(st))
					}
					many := of("ward")
					if got := many.guarantee.Epsilon; !(got <= target.Epsilon) || !(got >= 0.995*target.Epsilon) {
						t.Errorf("ε = %g for the target %g", got, target.Epsilon)
					}
					if target.Epsilon < 1 {
						return
					}
					few := of("few")
					if a, b := many.quantiles[0].eta, few.quantiles[0].eta; !(math.Abs(a-b) <= 1e-2*b) {
						t.Errorf("η = %g for 40 groups, %g for 2", a, b)
					}
				})
			}
		}
	}
}
