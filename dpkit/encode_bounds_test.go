package dpkit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The datasets here attain a bound, or break one that is in print.

// pairsOf makes a pair of datasets: row 0 is a on one side and b on the other.
func pairsOf(a, b []float64, common ...[]float64) []attackedRow {
	rows := []attackedRow{{a: a, b: b}}
	for _, row := range common {
		rows = append(rows, attackedRow{a: row, b: row})
	}
	return rows
}

func copies(n int, row ...float64) (rows [][]float64) {
	for range n {
		rows = append(rows, row)
	}
	return rows
}

// totals returns the observed sum, ℓ2 norm and maximum of the displacements, and the state after the step.
func totals(t *testing.T, step stage.Preprocessor, s frames.Schema, rows []attackedRow) ([3]float64, pair.State) {
	t.Helper()
	u := stepUnderAttack{step: step, schema: s}
	st := u.stage(t, rows)
	return displacement(u.fitted(t, st, rows, 0), u.fitted(t, st, rows, 1)), st.After
}

func numberSchema(lo, hi float64) frames.Schema {
	return must(frames.NewSchema(frames.Numeric("u", lo, hi), frames.Label("y", "no", "yes")))
}

func townSchema(columns ...string) frames.Schema {
	var cols []frames.Column
	for _, name := range columns {
		cols = append(cols, frames.Category(name, "a", "b", "z"))
	}
	return must(frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...))
}

// TestBoundsAreAttained: the worst datasets of the proofs reach the bounds to rounding.
func TestBoundsAreAttained(t *testing.T) {
	gap := must(frames.NewSchema(frames.Numeric("u", -1, 1).MayMiss(), frames.Label("y", "no", "yes")))
	plane := must(frames.NewSchema(frames.Numeric("u", 0, 4), frames.Numeric("v", 0, 4), frames.Label("y", "no", "yes")))
	spread := make([][]float64, 0, 11)
	for i := range 11 {
		spread = append(spread, []float64{0.01 + float64(i)/12, 0})
	}
	for _, c := range []struct {
		name   string
		step   stage.Preprocessor
		schema frames.Schema
		rows   []attackedRow
		want   [3]float64 // observed/bound, at least
	}{
		{
			"target, total: two halves without the label",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 1, Value: 0}, Columns: nil},
			townSchema("town"),
			pairsOf([]float64{0, 1}, []float64{1, 1}, append(copies(20, 0, 0), copies(20, 1, 0)...)...),
			[3]float64{1, 0, 0},
		},
		{
			"target, Frobenius: two levels of 1 + κ rows",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 1, Value: 0}, Columns: nil},
			townSchema("town"),
			pairsOf([]float64{0, 1}, []float64{1, 1}, append(append(copies(2, 0, 0), copies(2, 1, 0)...), copies(30, 2, 1)...)...),
			[3]float64{0, 1, 0},
		},
		{
			"target, row: a level of one row",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 3, Value: 0}, Columns: nil},
			townSchema("town"),
			pairsOf([]float64{0, 1}, []float64{1, 1}, append(copies(1, 0, 0), copies(30, 2, 1)...)...),
			[3]float64{0, 0, 1},
		},
		{
			"frequency: two levels",
			steps.FrequencyEncode{},
			townSchema("town"),
			pairsOf([]float64{0, 0}, []float64{1, 0}, append(copies(9, 0, 0), copies(3, 1, 1)...)...),
			[3]float64{1, 1, 1},
		},
		{"rank: from the bottom to the top", steps.RankTransform{Columns: []string{"u"}}, numberSchema(0, 1), pairsOf([]float64{0, 0}, []float64{1, 0}, spread...), [3]float64{1, 1, 1}},
		{"bins: from the bottom to the top", steps.QuantileBin{Bins: 4, Columns: []string{"u"}}, numberSchema(0, 1), pairsOf([]float64{0, 0}, []float64{1, 0}, spread...), [3]float64{1, 1, 1}},
		{
			"cell means: across a cell",
			steps.CellMeans{CellMean: CellMean{Width: 2, Weight: 1e-6}, Columns: []string{"u", "v"}},
			plane,
			pairsOf([]float64{0, 0, 0}, []float64{3.999999, 3.999999, 0}, append(copies(20, 1.999999, 1.999999, 0), copies(20, 2, 2, 0)...)...),
			[3]float64{0.999, 0, 0},
		},
		{
			"median: an even split",
			steps.MedianImpute{},
			gap,
			pairsOf([]float64{-1, 0}, []float64{1, 0}, slices.Concat(copies(10, nan, 0), copies(2, -1, 0), copies(2, 1, 0))...),
			[3]float64{10. / 14, 0.8, 1},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, after := totals(t, c.step, c.schema, c.rows)
			for k, bound := range [3]float64{after.T1, after.TF, after.TInf} {
				if r := overBound(got[k], bound); !(r <= 1) || r < c.want[k]-1e-9 {
					t.Errorf("norm %d: observed %v, bound %v: ratio %v, want %v to 1", k, got[k], bound, r, c.want[k])
				}
			}
		})
	}
}

// TestTiedBins: 500 zeros and 500 ones in two bins. Where tied rows share the bin of their first
// rank, one row moves every one of the ones, against a printed bound of B − 1 = 1 row; here the rows
// move by half a bin in all.
func TestTiedBins(t *testing.T) {
	rows := pairsOf([]float64{0, 0}, []float64{1, 0}, append(copies(499, 0, 0), copies(500, 1, 0)...)...)
	first := func(values []float64, x float64) float64 {
		below, _ := steps.RanksOf(values, x)
		return float64(below * 2 / len(values))
	}
	var sides [2][]float64
	for _, row := range rows {
		sides[0], sides[1] = append(sides[0], row.a[0]), append(sides[1], row.b[0])
	}
	sides[0], sides[1] = with(sides[0]), with(sides[1])
	moved := 0
	for _, row := range rows[1:] {
		if first(sides[0], row.a[0]) != first(sides[1], row.b[0]) {
			moved++
		}
	}
	if moved < 499 {
		t.Errorf("the naive rule moves %d rows, want at least 499 against a printed bound of 1", moved)
	}
	got, after := totals(t, steps.QuantileBin{Bins: 2, Columns: []string{"u"}}, numberSchema(0, 1), rows)
	if !(got[0] <= after.T1) || got[0] < 0.99*after.T1 || !(after.T1 <= 0.5+1e-9) {
		t.Errorf("total displacement %v, bound %v, want both near (B−1)/B = 1/2", got[0], after.T1)
	}
}

// TestBinsExhaustively: every multiset of up to seven common values on four points, every pair of
// values of the free row, missing on either side included.
func TestBinsExhaustively(t *testing.T) {
	var sum, sq, largest float64 // worst observed/bound
	var common []float64
	check := func(bins int) {
		n := len(common) + 1
		p := must(pair.Start(n, 1, ReplaceOne))
		b := steps.QuantileBounds(p, bins, 1)
		var sides [5]steps.Filling
		for v := range 5 {
			if v < 4 {
				sides[v] = steps.NewFilling(with(common, float64(v)), bins)
			} else {
				sides[v] = steps.NewFilling(with(common), bins)
			}
		}
		for i := range sides {
			for j := range i {
				var s, q, l float64
				for _, x := range common {
					d := math.Abs(sides[i].Level(x) - sides[j].Level(x))
					s, q, l = s+d, q+d*d, max(l, d)
				}
				sum, sq, largest = max(sum, s/b.A1), max(sq, math.Sqrt(q)/b.AF), max(largest, l/b.AInf)
			}
		}
	}
	var grow func(from int)
	grow = func(from int) {
		if len(common) > 0 {
			for _, bins := range []int{2, 3, 5, 9} {
				check(bins)
			}
		}
		if len(common) == 7 {
			return
		}
		for v := from; v < 4; v++ {
			common = append(common, float64(v))
			grow(v)
			common = common[:len(common)-1]
		}
	}
	grow(0)
	t.Logf("worst observed/bound: total %.12f, ℓ2 %.12f, row %.12f", sum, sq, largest)
	if w := max(sum, sq, largest); !(w <= 1+1e-12) || min(sum, sq, largest) < 0.999 {
		t.Errorf("worst observed/bound: %v, %v, %v, want 1 each", sum, sq, largest)
	}
}

// TestGlobalMeanPrior: with the mean of all labels for its prior, target encoding moves every row
// of every level, several times what the bound for a public prior allows.
func TestGlobalMeanPrior(t *testing.T) {
	const n, weight = 400, 4000.0
	levels := make([]string, n)
	for i := range levels {
		levels[i] = fmt.Sprint("level ", i)
	}
	s := must(frames.NewSchema(frames.Category("town", levels...), frames.Label("y", "no", "yes")))
	rows := pairsOf([]float64{0, 1}, []float64{0, 0})
	for i := 1; i < n; i++ {
		row := []float64{float64(i), 0}
		rows = append(rows, attackedRow{a: row, b: row})
	}
	// A level of one row without the label: κ·mean/(1 + κ), and the mean is 1/n on one side.
	naive := float64(n-1) * weight / (1 + weight) / n
	got, after := totals(t, steps.TargetEncode{TargetPrior: TargetPrior{Weight: weight, Value: 0}, Columns: nil}, s, rows)
	if naive < 5*after.T1 {
		t.Errorf("a global-mean prior moves the rows by %v, want at least 5 times the bound %v", naive, after.T1)
	}
	if !(got[0] <= after.T1) {
		t.Errorf("a public prior: total displacement %v above %v", got[0], after.T1)
	}
}

// TestTotalsOfSeveralColumns: the groups that one row leaves and joins may be disjoint from column
// to column, and the rows at the edges of bins too: the total grows by c, not by √c.
func TestTotalsOfSeveralColumns(t *testing.T) {
	var groups [][]float64
	for i := range 400 {
		row := []float64{2, 2, 0}
		row[i/200] = float64(i / 100 % 2)
		groups = append(groups, row)
	}
	pairs := must(frames.NewSchema(frames.Numeric("u", 0, 1), frames.Numeric("v", 0, 1), frames.Label("y", "no", "yes")))
	for _, c := range []struct {
		name   string
		step   stage.Preprocessor
		schema frames.Schema
		rows   []attackedRow
		one    float64 // total bound of one column
	}{
		{
			"target",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 1, Value: 0}, Columns: nil},
			townSchema("town", "job"),
			pairsOf([]float64{0, 0, 1}, []float64{1, 1, 1}, groups...),
			steps.GroupMeanBounds(must(pair.Start(401, 1, ReplaceOne)), 1, 1, 1).A1,
		},
		{
			"bins",
			steps.QuantileBin{Bins: 2, Columns: []string{"u", "v"}},
			pairs,
			pairsOf([]float64{0, 0, 0}, []float64{1, 1, 0}, []float64{0.1, 0.9, 0}, []float64{0.2, 0.8, 0}, []float64{0.5, 0.5, 0}, []float64{0.6, 0.6, 0}, []float64{0.9, 0.2, 0}),
			0.5,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, after := totals(t, c.step, c.schema, c.rows)
			if got[0] < 1.3*math.Sqrt2*c.one {
				t.Errorf("total displacement %v, want above √2 times the bound %v of one column", got[0], c.one)
			}
			if !(got[0] <= after.T1) {
				t.Errorf("total displacement %v above the bound %v", got[0], after.T1)
			}
		})
	}
}

// TestMedianDoesNotDecay: S1 = {0, 0, 1, 1}, S2 = {0, 0, 0, 1}: the printed bound is 0 and the median
// moves by 1/2, at any n; the bound here is the width.
func TestMedianDoesNotDecay(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("u", 0, 1).MayMiss(), frames.Label("y", "no", "yes")))
	for _, half := range []int{1, 500} {
		common := slices.Concat(copies(half+1, 0, 0), copies(half, 1, 0), copies(1, nan, 0))
		got, after := totals(t, steps.MedianImpute{}, s, pairsOf([]float64{1, 0}, []float64{0, 0}, common...))
		if got[2] != 0.5 || !(got[2] <= after.TInf) {
			t.Errorf("%d values: the median moves by %v, bound %v, want 1/2 and 1", 2*half+2, got[2], after.TInf)
		}
	}
}

// TestRidgeOfOneRegressor is the case where the printed bound fails under its reading with the
// eigenvalues of the regressors: 999 rows at x = .1, y = .995 and one that moves from (1, 0) to (0, 0).
func TestRidgeOfOneRegressor(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Numeric("u", -1, 1).MayMiss(), frames.Label("y", "no", "yes")))
	common := append(copies(998, 0.1, 0.995, 0), []float64{1, nan, 0})
	rows := pairsOf([]float64{1, 0, 0}, []float64{0, 0, 0}, common...)
	got, after := totals(t, steps.RidgeImpute{Ridge: Ridge{Lambda: 1e-6}, Columns: nil}, s, rows)
	if !(got[2] <= after.TInf) || !(got[0] <= after.T1) || got[2] == 0 {
		t.Errorf("displacement %v, bounds %v and %v", got, after.T1, after.TInf)
	}
}

// TestEncodersInTinyAndHugeUnits: bounds follow the unit of the columns where squares would leave
// the range of float64, or the step is refused.
func TestEncodersInTinyAndHugeUnits(t *testing.T) {
	for _, unit := range []float64{frames.MinWidth, 1e-30, 1, 1e30, frames.MaxBound} {
		s := must(frames.NewSchema(frames.Numeric("x", -unit, unit), frames.Numeric("u", -unit, unit).MayMiss(), frames.NumericLabel("y", 0, unit)))
		rows := pairsOf([]float64{unit, -unit, unit}, []float64{-unit, unit, 0}, []float64{unit, -unit, 0}, []float64{unit / 2, nan, 0}, []float64{-unit, unit, 0}, []float64{unit, nan, 0})
		for _, step := range []stage.Preprocessor{
			steps.CellMeans{CellMean: CellMean{Width: unit, Weight: 1}, Columns: []string{"x", "u"}},
			steps.MedianImpute{},
			steps.RidgeImpute{Ridge: Ridge{Lambda: 0.5}, Columns: nil},
			steps.RankTransform{Columns: []string{"x"}},
			steps.QuantileBin{Bins: 2, Columns: []string{"x"}},
		} {
			u := stepUnderAttack{step: step, schema: s}
			st := stage.Stage{In: s, Before: must(pair.Start(len(rows), stage.StartRadius(s), ReplaceOne))}
			var err error
			if st.Out, err = step.Check(s); err != nil {
				continue
			}
			if _, err := step.Propagate(st); err != nil {
				continue
			}
			for k, r := range u.ratios(t, rows) {
				if !(r <= 1) {
					t.Errorf("unit %g, %v: norm %d: observed/bound %v", unit, step, k, r)
				}
			}
		}
	}
}
