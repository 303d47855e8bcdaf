package tables

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TestTotals: totals are not negative and add up; they are nearer to the true numbers than the noisy counts, the more so with margins; no other
// numbers of that kind fit better; and damaged or foreign tables are refused.
func TestTotals(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 20))
	rows, columns := []string{"a", "b", "c", "d"}, []string{"x", "y", "z"}
	truth := []float64{400, 0, 3, 120, 80, 0, 0, 1, 0, 250, 146, 0}
	const n, sigma = 1000, 30
	counts := func(of []float64, sd float64) (out []float64) {
		for _, v := range of {
			out = append(out, v+sd*rng.NormFloat64())
		}
		return out
	}
	of := []TableStatistic{{Of: Count}}
	cross := Table{By: []string{"r", "c"}, Of: of, Rows: n, CountSigma: sigma}
	byRow := Table{By: []string{"r"}, Of: of, Rows: n, CountSigma: 5, Groups: [][]string{{"d"}, {"a"}, {"b"}, {"c"}}}
	for _, r := range rows {
		for _, c := range columns {
			cross.Groups = append(cross.Groups, []string{r, c})
		}
	}
	sums := []float64{396, 403, 200, 1} // of d, a, b, c
	objective := func(x []float64, of ...Table) (v float64) {
		for _, m := range of {
			p := must(cross.partOf(m, nil))
			in := make([]float64, len(m.Counts))
			for g, k := range p.of {
				in[k] += x[g]
			}
			for k, c := range m.Counts {
				v += (in[k] - c) * (in[k] - c) / (m.CountSigma * m.CountSigma)
			}
		}
		return v
	}
	off := func(x []float64) (v float64) {
		for g, c := range truth {
			v += (x[g] - c) * (x[g] - c)
		}
		return v
	}
	var noisy, alone, with float64
	for _, whole := range []bool{true, false} {
		for range 60 {
			cross.Counts, cross.Whole = counts(truth, sigma), whole
			byRow.Counts = counts(sums, 5)
			one, two := must(cross.Consistent()), must(cross.Consistent(byRow))
			noisy, alone, with = noisy+off(cross.Counts), alone+off(one.Counts), with+off(two.Counts)
			for _, v := range []TableTotals{one, two} {
				total, parts := must(v.Of("", "")), 0.0
				for _, r := range rows {
					parts += must(v.Of(r, ""))
				}
				if !(math.Abs(total-parts) < 1e-6) || whole && !(math.Abs(total-n) < 1e-6) || !(total < n+1e-6) {
					t.Fatalf("total %g of parts %g", total, parts)
				}
			}
			best := objective(two.Counts, cross, byRow)
			for range 50 { // moves within the set
				x := append([]float64(nil), two.Counts...)
				i, k := rng.IntN(len(x)), rng.IntN(len(x))
				step := min(x[i], 3*rng.Float64())
				x[i] -= step
				x[k] += step
				if v := objective(x, cross, byRow); v < best-1e-6*(1+best) {
					t.Fatalf("%g fits better than %g", v, best)
				}
			}
		}
	}
	if !(alone < 0.8*noisy) || !(with < 0.9*alone) {
		t.Errorf("squared errors: noisy %.4g, totals %.4g, with margins %.4g", noisy, alone, with)
	}
	for name, bad := range map[string]Table{
		"another column":  {By: []string{"q"}, Of: of, Rows: n, Groups: [][]string{{"a"}}, Counts: []float64{1}},
		"another level":   {By: []string{"r"}, Of: of, Rows: n, Groups: [][]string{{"a"}}, Counts: []float64{1}},
		"a further level": {By: []string{"c"}, Of: of, Rows: n, Groups: [][]string{{"x"}, {"y"}, {"z"}, {"w"}}, Counts: []float64{1, 2, 3, 4}},
		"other rows":      {By: []string{"r"}, Of: of, Rows: n + 1, Groups: byRow.Groups, Counts: sums},
	} {
		if _, err := cross.Consistent(bad); !errors.Is(err, stage.ErrColumn) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := must(cross.Consistent()).Of("a"); !errors.Is(err, stage.ErrColumn) {
		t.Errorf("too few levels: got %v", err)
	}
	if _, err := must(cross.Consistent()).Of("a", "q"); !errors.Is(err, stage.ErrColumn) {
		t.Errorf("no such level: got %v", err)
	}
}

// TestTotalsOfSums: sums fit numbers of rows and each other, no other numbers of that kind fit the noisy cells better, and they are nearer to the true
// ones than noisy sums are, the more so with margins. Groups of no rows and of sums at the ends of what their rows allow are among them.
func TestTotalsOfSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 20))
	rows, columns := []string{"a", "b", "c", "d"}, []string{"x", "y", "z"}
	counts := []float64{400, 0, 3, 120, 80, 0, 0, 1, 0, 250, 146, 0}
	means := []float64{0.2, 0, -1, 1, -0.9, 0, 0, 1, 0, -0.4, 0.7, 0} // of u
	const n, sigma = 1000, 30
	noisy := func(of []float64, sd float64) (out []float64) {
		for _, v := range of {
			out = append(out, v+sd*rng.NormFloat64())
		}
		return out
	}
	sum, mean := TableStatistic{Of: Sum, Column: "gain"}, TableStatistic{Of: Mean, Column: "stay"}
	gain, stay := TableMeasure{Column: "gain", Lo: -100, Hi: 300}, TableMeasure{Column: "stay", Lo: 0, Hi: 30}
	cross := Table{By: []string{"r", "c"}, Of: []TableStatistic{mean, {Of: Count}, sum}, Rows: n, CountSigma: sigma, Measures: []TableMeasure{stay, gain}, SumSigma: []float64{sigma, sigma}}
	var sums []float64
	for i, m := range means {
		cross.Groups = append(cross.Groups, []string{rows[i/3], columns[i%3]})
		sums = append(sums, m*counts[i])
	}
	margin := func(of []float64) (out []float64) {
		for r := range rows {
			out = append(out, of[3*r]+of[3*r+1]+of[3*r+2])
		}
		return out
	}
	byRow := Table{By: []string{"r"}, Of: []TableStatistic{sum}, Rows: n, CountSigma: 5, Measures: []TableMeasure{gain}, SumSigma: []float64{5}, Groups: [][]string{{"a"}, {"b"}, {"c"}, {"d"}}}
	objective := func(x [][]float64, of ...Table) (v float64) {
		for _, m := range of {
			p := must(cross.partOf(m, []TableMeasure{gain}))
			for j := range x {
				in := make([]float64, len(p.cells[j]))
				for g, k := range p.of {
					in[k] += x[j][g]
				}
				for k, c := range p.cells[j] {
					v += (in[k] - c) * (in[k] - c) * p.weights[j]
				}
			}
		}
		return v
	}
	off := func(of [][]float64) (v float64) {
		for g := range counts {
			v += (of[0][g]-counts[g])*(of[0][g]-counts[g]) + (of[1][g]-sums[g])*(of[1][g]-sums[g])
		}
		return v
	}
	var raw, alone, with float64
	for i := range 60 {
		cross.Whole = i%2 == 0
		cross.Counts, cross.Sums = noisy(counts, sigma), [][]float64{noisy(sums, sigma), noisy(sums, sigma)}
		byRow.Counts, byRow.Sums = noisy(margin(counts), 5), [][]float64{noisy(margin(sums), 5)}
		raw += off([][]float64{cross.Counts, cross.Sums[1]})
		for k, margins := range [][]Table{nil, {byRow}} {
			v := must(cross.Consistent(margins...))
			x := [][]float64{v.Counts, nil} // of u
			for g, s := range v.Sums[0] {
				x[1] = append(x[1], (s-gain.mid()*v.Counts[g])/gain.half())
				if !(v.Counts[g] >= 0) || !(math.Abs(x[1][g]) <= v.Counts[g]+1e-9) {
					t.Fatalf("group %d: %g rows have the sum %g of numbers in [-1, 1]", g, v.Counts[g], x[1][g])
				}
			}
			total, all, parts := must(v.Of("", "")), must(v.Sum("gain", "", "")), 0.0
			for _, r := range rows {
				parts += must(v.Sum("gain", r, ""))
			}
			if !(math.Abs(all-parts) < 1e-6) || cross.Whole && !(math.Abs(total-n) < 1e-6) || !(total < n+1e-6) {
				t.Fatalf("%g rows, the sum %g of parts %g", total, all, parts)
			}
			if k == 0 {
				alone += off(x)
			} else {
				with += off(x)
			}
			tables := append([]Table{cross}, margins...)
			best := objective(x, tables...)
			for range 100 { // moves within the set
				y := copied(x)
				g, h := rng.IntN(12), rng.IntN(12)
				step := min(y[0][g], 3*rng.Float64())
				y[0][g] -= step
				y[0][h] += step
				y[1][h] += 3 * (2*rng.Float64() - 1)
				for _, g := range []int{g, h} {
					y[1][g] = min(max(y[1][g], -y[0][g]), y[0][g])
				}
				if v := objective(y, tables...); v < best-1e-6*(1+best) {
					t.Fatalf("%d margins: %.12g fits better than %.12g", len(margins), v, best)
				}
			}
		}
	}
	if !(alone < 0.8*raw) || !(with < 0.9*alone) {
		t.Errorf("squared errors: noisy %.4g, totals %.4g, with margins %.4g", raw, alone, with)
	}
	if v := must(cross.Consistent()); !strings.Contains(v.String(), "sum of gain") || v.Gota().Ncol() < 4 {
		t.Errorf("got %v", v)
	}
	if _, err := must(cross.Consistent()).Sum("stay", "", ""); !errors.Is(err, stage.ErrColumn) {
		t.Errorf("a sum that was not asked for: got %v", err)
	}
	people := Table{By: []string{"r"}, Of: []TableStatistic{{Of: People}}, Rows: n, Persons: 300, Groups: byRow.Groups, Counts: byRow.Counts}
	if _, err := cross.Consistent(people); !errors.Is(err, stage.ErrColumn) || !strings.Contains(err.Error(), "several groups") {
		t.Errorf("people in several groups: got %v", err)
	}
	if _, err := people.Consistent(); err != nil {
		t.Errorf("people alone: %v", err)
	}
}
