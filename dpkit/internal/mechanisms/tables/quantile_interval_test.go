package tables

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/frames"
)

// TestQuantileIntervals lets every quantile be drawn as far off as its margin allows, of rows that are spread, tied on candidates, tied between them, and
// in blocks far apart: the interval that is made of the draws holds the exact quantile, its ends are no further out than they need be, and
// where a margin is believed to be smaller it does not hold.
func TestQuantileIntervals(t *testing.T) {
	const lo, hi, cells, level = 0, 30, 60, 0.9
	candidates := sums.Cells(frames.Numeric("x", lo, hi), cells)
	rng := rand.New(rand.NewPCG(7, 20))
	blocks := func(parts ...[3]float64) (out []float64) { // how many, from, to
		for _, p := range parts {
			for i := range int(p[0]) {
				out = append(out, p[1]+(p[2]-p[1])*float64(i)/max(p[0]-1, 1))
			}
		}
		return out
	}
	bags := map[string][]float64{
		"one value off the candidates": blocks([3]float64{400, 1.3, 1.3}),
		"one value on a candidate":     blocks([3]float64{400, 2, 2}),
		"spread":                       blocks([3]float64{400, 0, 30}),
		"spread, fewer rows":           blocks([3]float64{200, 0, 30}),
		"both ends":                    blocks([3]float64{200, 0, 0}, [3]float64{200, 30, 30}),
		"both ends, one more":          blocks([3]float64{201, 0, 0}, [3]float64{199, 30, 30}),
		"a heavy tie":                  blocks([3]float64{150, 0, 1.2}, [3]float64{120, 1.3, 1.3}, [3]float64{130, 25, 30}),
		"few rows":                     blocks([3]float64{5, 3, 20}),
	}
	for range 12 {
		bags[fmt.Sprint("random ", len(bags))] = blocks(
			[3]float64{float64(rng.IntN(300)), 0, 30 * rng.Float64()}, [3]float64{float64(1 + rng.IntN(300)), 7.7, 7.7}, [3]float64{float64(rng.IntN(300)), 20 * rng.Float64(), 30})
	}
	qs := []float64{0.25, 0.5, 0.6, 0.75}
	const margin = 40
	rate := (math.Log(cells+1) - math.Log((1-level)/3)) / margin
	closed, broken := 0, 0
	for name, bag := range bags {
		t.Run(name, func(t *testing.T) {
			slices.Sort(bag)
			n := float64(len(bag))
			tab := Table{Groups: [][]string{{"a"}, {"b"}}, By: []string{"g"}, Rows: 2 * len(bag), Counts: []float64{n, 0}}
			var drawn [][]float64 // of each quantile, all candidates within the margin
			for _, q := range qs {
				tab.Of = append(tab.Of, TableStatistic{Of: Quantile, Column: "x", Q: q})
				tab.Quantiles = append(tab.Quantiles, TableQuantile{Column: "x", Q: q, Values: []float64{0, 0}, Rate: rate, Candidates: cells + 1, Lo: lo, Hi: hi})
				ranks := sums.RankErrors{Candidates: candidates, Q: int64(math.Round(q * sums.RankUnit))}
				at := make([]int64, ranks.Size())
				for _, x := range bag {
					ranks.Count(at, x)
				}
				var within []float64
				for i, e := range ranks.Errors(at) {
					if float64(e)/sums.RankUnit <= margin {
						within = append(within, candidates[i])
					}
				}
				drawn = append(drawn, within)
			}
			for i, q := range qs {
				rank := q * n
				least, most := bag[max(0, int(math.Ceil(rank))-1)], bag[min(len(bag)-1, int(math.Floor(rank)))]
				for side, end := range []func([]float64) float64{slices.Min[[]float64], slices.Max[[]float64]} {
					for k := range qs { // all as far to one side as they may be
						tab.Quantiles[k].Values[0] = end(drawn[k])
					}
					for _, own := range []float64{drawn[i][0], drawn[i][len(drawn[i])-1]} {
						tab.Quantiles[i].Values[0] = own
						c := tab.intervals(tab.Of[i], level)
						if !(c[0].Low <= least+1e-9 && most-1e-9 <= c[0].High) || !(c[0].Low <= own && own <= c[0].High) {
							t.Errorf("%v, side %d: %+v does not hold %g to %g", tab.Of[i], side, c[0], least, most)
						}
						if !tab.Quantiles[i].open(c[0]) {
							closed++
						}
						if c[1].Low != lo || c[1].High != hi {
							t.Errorf("%v: without rows got %+v", tab.Of[i], c[1])
						}
						wrong := tab
						wrong.Quantiles = slices.Clone(tab.Quantiles)
						for k := range wrong.Quantiles {
							wrong.Quantiles[k].Rate = 4 * rate
						}
						if w := wrong.intervals(tab.Of[i], level); !(w[0].Low <= least+1e-9 && most-1e-9 <= w[0].High) {
							broken++
						}
					}
				}
			}
		})
	}
	if closed < 100 || broken < 4 {
		t.Errorf("%d intervals tell something, %d with a margin of a quarter do not hold", closed, broken)
	}
}

// TestQuantileIntervalsAreOpen where nothing tells how many rows a group has, where the other quantile is of another column, and in values
// stored without bounds.
func TestQuantileIntervalsAreOpen(t *testing.T) {
	of := func(change func(*Table)) TableCell {
		tab := Table{By: []string{"g"}, Groups: [][]string{{"a"}, {"b"}}, Rows: 9000, Counts: []float64{4000, 5000}, CountSigma: 10}
		for _, q := range []float64{0.25, 0.5, 0.75} {
			tab.Of = append(tab.Of, TableStatistic{Of: Quantile, Column: "x", Q: q})
			tab.Quantiles = append(tab.Quantiles, TableQuantile{Column: "x", Q: q, Values: []float64{10 * q, 20 * q}, Rate: 0.1, Candidates: 1001, Hi: 30})
		}
		change(&tab)
		return must(tab.Column("median of x", 0.95))[0]
	}
	for name, c := range map[string]struct {
		change    func(*Table)
		low, high float64
	}{
		"as drawn":             {func(*Table) {}, 2.485, 7.515},
		"few rows":             {func(tab *Table) { tab.Counts[0] = 300 }, 0, 30},
		"no counts":            {func(tab *Table) { tab.Counts = nil }, 0, 30},
		"all rows, no counts":  {func(tab *Table) { tab.Counts, tab.Groups, tab.By, tab.Whole = nil, [][]string{{}}, nil, true }, 2.485, 7.515},
		"one group of several": {func(tab *Table) { tab.Counts, tab.Groups, tab.By, tab.Whole = nil, [][]string{{}}, nil, false }, 0, 30},
		"the other side":       {func(tab *Table) { tab.Quantiles[0].Column = "y" }, 0, 7.515},
		"a value outside":      {func(tab *Table) { tab.Quantiles[1].Values[0] = 1 }, 1, 7.515},
	} {
		if got := of(c.change); !(math.Abs(got.Low-c.low) < 1e-9) || !(math.Abs(got.High-c.high) < 1e-9) {
			t.Errorf("%s: got %+v, want [%g, %g]", name, got, c.low, c.high)
		}
	}
	if c := of(func(tab *Table) { tab.Quantiles[1].Hi = 0 }); !math.IsNaN(c.Low) || !math.IsNaN(c.High) {
		t.Errorf("stored without bounds: got %+v", c)
	}
	if c := of(func(tab *Table) { tab.Quantiles[1].Rate = 0 }); !(math.Abs(c.Low-c.Value+0.015) < 1e-9) || !(math.Abs(c.High-c.Value-0.015) < 1e-9) {
		t.Errorf("public rows: got %+v, want half a cell on both sides", c)
	}
}
