package tables

import (
	"errors"
	"math"
	"math/rand/v2"
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
			p := must(cross.partOf(m))
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
