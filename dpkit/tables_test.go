package dpkit

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// wardsFrame has groups of very different size: none, one row, few, many.
func wardsFrame(t testing.TB) *frames.Frame {
	t.Helper()
	f, _ := wardsRows(t)
	return f
}

// wardsRows is wardsFrame with its rows.
func wardsRows(t testing.TB) (*frames.Frame, [][]float64) {
	t.Helper()
	schema := must(frames.NewSchema(
		frames.Category("ward", "none", "one", "few", "many").MayMiss(), frames.Category("year", "2024", "2025"),
		frames.Numeric("stay", 0, 30), frames.Numeric("gain", -1000, 200), frames.Label("back", "no", "yes"),
	))
	rng := rand.New(rand.NewPCG(1, 18))
	var all [][]float64
	add := func(n int, ward float64) {
		for range n {
			all = append(all, []float64{ward, float64(rng.IntN(2)), 30 * rng.Float64(), 1200*rng.Float64() - 1000, float64(rng.IntN(2))})
		}
	}
	add(1, 1)
	add(40, 2)
	add(2000, 3)
	add(70, math.NaN())
	return frameOf(t, schema, all), all
}

func wardsTable(p Pipeline, target Target) Plan[Table] {
	return p.By("ward", "year").Count().Sum("gain").Mean("stay").Share("back", "yes").Variance("stay").StdDev("stay").Table(target)
}

// TestTableCovers: intervals of demonstrations hold the exact statistics as often as they say, in every group, those without rows too.
func TestTableCovers(t *testing.T) {
	const releases = 400
	f := wardsFrame(t)
	exact := must(wardsTable(must(OnPublic(frames.Public(f))).Data(), Target{}).Release(t.Context())).Value
	for _, rel := range []struct {
		name string
		s    *Session
	}{{"replace-one", must(Demo(f, 11, ReplaceOne))}, {"add/remove", must(Demo(f, 12, AddRemove))}} {
		all := must(wardsTable(rel.s.Data(), Target{Epsilon: 1, Delta: 1e-6}).Replicate(t.Context(), releases))
		for _, s := range exact.Of {
			truth := must(exact.Column(s.String(), 0.95))
			held, width := 0, 0.0
			for _, v := range all {
				for g, c := range must(v.Column(s.String(), 0.9)) {
					empty := exact.Counts[g] == 0 // has no mean
					if c.Low <= truth[g].Value && truth[g].Value <= c.High || empty && (s.Of == "mean" || s.Of == "share" || s.Of == "variance" || s.Of == "standard deviation") {
						held++
					}
					if !(c.Low <= c.Value && c.Value <= c.High) {
						t.Fatalf("%s, %v: %v is not in its own interval", rel.name, s, c)
					}
					width += c.High - c.Low
				}
			}
			n := releases * len(exact.Groups)
			// 6.5 deviations of a share of n draws are passed once in 1e10; clamped and unbounded sets cover more.
			if share, off := float64(held)/float64(n), 6.5*math.Sqrt(0.9*0.1/float64(n)); !(share >= 0.9-off) {
				t.Errorf("%s, %v: intervals at 0.9 hold the exact value in %.4f of %d", rel.name, s, share, n)
			}
			if !(width > 0) {
				t.Errorf("%s, %v: intervals have no width", rel.name, s)
			}
		}
	}
}

// TestTableQuantiles: the rank of a group's quantile is as near as its margin says, of groups that have rows and of those that have none; a
// table of public rows has the quantiles themselves.
func TestTableQuantiles(t *testing.T) {
	t.Parallel()
	const releases, level = 60, 0.9
	f, all := wardsRows(t)
	plan := func(p Pipeline) Plan[Table] {
		return p.By("ward").Count().Quantile(0.5, "stay").Quantile(0.9, "gain").Table(Target{Epsilon: 1, Delta: 1e-6})
	}
	exact := must(plan(must(OnPublic(frames.Public(f))).Data()).Release(t.Context())).Value
	rows := map[string][][2]float64{} // stay and gain by ward
	for _, r := range all {
		ward := "(missing)"
		if !math.IsNaN(r[0]) {
			ward = []string{"none", "one", "few", "many"}[int(r[0])]
		}
		rows[ward] = append(rows[ward], [2]float64{r[2], r[3]})
	}
	off := func(of [][2]float64, column int, q, lo, hi float64) float64 {
		below, upTo := 0.0, 0.0
		for _, r := range of {
			if r[column] < lo {
				below++
			}
			if r[column] <= hi {
				upTo++
			}
		}
		n := q * float64(len(of))
		return max(below-n, n-upTo, 0)
	}
	held, total := 0, 0
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, v := range must(plan(must(Demo(f, 4, rel)).Data()).Replicate(t.Context(), releases)) {
			for i, q := range v.Quantiles {
				margin := must(q.RankMargin(level))
				for g, of := range v.Groups {
					if off(rows[of[0]], i, q.Q, q.Values[g]-q.Apart(), q.Values[g]+q.Apart()) <= margin {
						held++
					}
					total++
				}
			}
			if c := must(v.At("median of stay", "many")); c.Low != 0 || c.High != 30 || !(math.Abs(c.Value-15) < 4) {
				t.Errorf("%v: the median of two thousand rows is %+v", rel, c)
			}
		}
	}
	if share := float64(held) / float64(total); !(share >= level) { // the margin is a bound that is hardly ever reached
		t.Errorf("margins at %g held in %.4f of %d", level, share, total)
	}
	if c := must(exact.At("median of stay", "few")); !(c.Low < c.Value && c.Value < c.High && c.High-c.Low < 0.01) || !(off(rows["few"], 0, 0.5, c.Low, c.High) <= 0.5) {
		t.Errorf("the median of few rows is %+v", c)
	}
}

// TestTableOfFewRows: a group that may have no rows has a mean anywhere within its bounds.
func TestTableOfFewRows(t *testing.T) {
	s := must(Demo(wardsFrame(t), 3, ReplaceOne))
	for _, v := range must(wardsTable(s.Data(), Target{Epsilon: 1, Delta: 1e-6}).Replicate(t.Context(), 50)) {
		c := must(v.At("mean of stay", "none", "2024"))
		if n := must(v.At("count", "none", "2024")); n.Low == 0 && (c.Low != 0 || c.High != 30) && v.Counts[0] < 1.9*v.CountSigma {
			t.Errorf("a mean of %v for a count of %v", c, n)
		}
		many := must(v.At("mean of stay", "many", "2025"))
		if !(many.High-many.Low < 5) {
			t.Errorf("a mean of a thousand rows is known to within %v", many)
		}
	}
}

// TestTableOfPublicRows: without noise a table has the statistics themselves.
func TestTableOfPublicRows(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Numeric("x", -1, 3), frames.Label("back", "no", "yes")))
	f := frameOf(t, schema, [][]float64{{0, 1, 0}, {0, 3, 1}, {1, -1, 1}})
	v := must(must(OnPublic(frames.Public(f))).Data().By("ward").Count().Sum("x").Mean("x").Share("back", "yes").Variance("x").Table(Target{}).Release(t.Context())).Value
	for _, c := range []struct {
		of, ward string
		want     float64
	}{{"count", "a", 2}, {"sum of x", "a", 4}, {"mean of x", "a", 2}, {"share of back=yes", "a", 0.5}, {"count", "b", 1}, {"sum of x", "b", -1}, {"mean of x", "b", -1}, {"share of back=yes", "b", 1}, {"variance of x", "a", 1}, {"variance of x", "b", 0}} {
		if got := must(v.At(c.of, c.ward)); got.Value != c.want || got.Low != c.want || got.High != c.want {
			t.Errorf("%s of %s: got %v, want %g", c.of, c.ward, got, c.want)
		}
	}
	if _, err := v.At("count", "c"); !errors.Is(err, ErrColumn) {
		t.Errorf("a group that is none: got %v", err)
	}
	if _, err := v.Column("median", 0.9); !errors.Is(err, ErrColumn) || !strings.Contains(err.Error(), `"mean of x"`) {
		t.Errorf("a statistic that is none: got %v", err)
	}
	if _, err := v.Column("count", 1); !errors.Is(err, ErrParameter) {
		t.Errorf("level 1: got %v", err)
	}
}

// TestTableForms: a table keeps its promise as text, JSON, gota and CSV, and JSON reads back.
func TestTableForms(t *testing.T) {
	s := must(Demo(wardsFrame(t), 3, ReplaceOne))
	v := must(wardsTable(s.Data(), Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())).Value
	var back Table
	data := must(json.Marshal(v))
	if err := json.Unmarshal(data, &back); err != nil || back.Check() != nil || back.String() != v.String() {
		t.Errorf("JSON does not read back: %v", err)
	}
	var file bytes.Buffer
	if err := v.WriteCSV(&file); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	if len(lines) != 1+len(v.Groups) || !strings.HasPrefix(lines[0], "ward,year,count,count low,count high,sum of gain") || !strings.Contains(lines[3], "NOT PRIVATE") {
		t.Errorf("CSV:\n%s", file.String())
	}
	df := v.Gota()
	if df.Err != nil || df.Nrow() != 10 || !strings.Contains(strings.Join(df.Names(), " "), "mean of stay high") || !strings.Contains(strings.Join(df.Names(), " "), "promise") {
		t.Errorf("gota: %v %v", df.Err, df.Names())
	}
	if by := must(v.SortedBy("count")); by.Check() != nil || by.Groups[0][0] != "many" || must(by.At("mean of stay", "few", "2025")) != must(v.At("mean of stay", "few", "2025")) || by.Groups[9][0] == "many" {
		t.Errorf("by count: %v", by)
	}
	if _, err := v.SortedBy("median"); !errors.Is(err, ErrColumn) {
		t.Errorf("by no statistic: got %v", err)
	}
	if text := v.String(); !strings.Contains(text, "(missing)") || !strings.Contains(text, "NOT PRIVATE") {
		t.Errorf("text:\n%s", text)
	}
	for name, damage := range map[string]func(*Table){
		"counts": func(t *Table) { t.Counts = t.Counts[1:] }, "sums": func(t *Table) { t.Sums = t.Sums[1:] },
		"a group": func(t *Table) { t.Groups = append([][]string{{"a"}}, t.Groups[1:]...) }, "a measure": func(t *Table) { t.Of = append(t.Of, TableStatistic{Of: "mean", Column: "z"}) },
		"quantiles": func(t *Table) { t.Of = append(t.Of, TableStatistic{Of: "quantile", Column: "stay", Q: 0.5}) },
		"cells":     func(t *Table) { t.Sums = append([][]float64{{1}}, t.Sums[1:]...) },
	} {
		bad := v
		if damage(&bad); bad.Check() == nil {
			t.Errorf("%s damaged: no error", name)
		}
	}
}

// TestTableRefused: what makes no table is said before anything is charged, with its step.
func TestTableRefused(t *testing.T) {
	d := must(Demo(wardsFrame(t), 3, ReplaceOne)).Data()
	good := Target{Epsilon: 1, Delta: 1e-6}
	var many []string
	cols := []frames.Column{}
	for i := range 12 {
		name := fmt.Sprintf("c%d", i)
		cols = append(cols, frames.Category(name, "a", "b", "c", "d"))
		many = append(many, name)
	}
	cols = append(cols, frames.Numeric("x", 0, 1))
	wide := must(Demo(frameOf(t, must(frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)), [][]float64{make([]float64, 14), make([]float64, 14)}), 1, ReplaceOne)).Data()
	for _, c := range []struct {
		name string
		plan Plan[Table]
		says string
		want error
	}{
		{"no statistic", d.By("ward").Table(good), "want for instance Count()", ErrParameter},
		{"a public count", d.By().Count().Table(good), "the number of rows is public", ErrParameter},
		{"no column", d.By("wrd").Count().Table(good), "no such column", ErrColumn},
		{"a number", d.By("stay").Count().Table(good), "Bin(edges", ErrColumn},
		{"twice", d.By("ward", "ward").Count().Table(good), "twice", ErrParameter},
		{"a statistic twice", d.By("ward").Count().Count().Table(good), "twice", ErrParameter},
		{"mean of levels", d.By("ward").Mean("year").Table(good), "take the share of a level", ErrColumn},
		{"variance of levels", d.By("ward").Variance("year").Table(good), "take the share of a level", ErrColumn},
		{"quantile of levels", d.By("ward").Quantile(0.5, "year").Table(good), "take the share of a level", ErrColumn},
		{"quantile 0", d.By("ward").Quantile(0, "stay").Table(good), "strictly between 0 and 1", ErrParameter},
		{"quantile 1", d.By("ward").Quantile(1, "stay").Table(good), "strictly between 0 and 1", ErrParameter},
		{"quantile NaN", d.By("ward").Quantile(math.NaN(), "stay").Table(good), "strictly between 0 and 1", ErrParameter},
		{"quantile without a column", d.By("ward").Quantile(0.5, "sty").Table(good), "no such column", ErrColumn},
		{"q of a mean", d.Table([]string{"ward"}, []TableStatistic{{Of: "mean", Column: "stay", Q: 0.5}}, good), "want none", ErrParameter},
		{"quantiles of too many groups", wide.By(many[:7]...).Quantile(0.5, "x").Table(good), "no room for 256 candidates", ErrParameter},
		{"quantile behind a fit", d.Select("stay").Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.1}).By("back").Quantile(0.5, "stay").Table(good), "have no share beside them", ErrOrder},
		{"a pure mean", d.By("ward").Mean("stay").Quantile(0.5, "stay").Table(Target{Epsilon: 1}), "delta", accountant.ErrDelta},
		{"share of numbers", d.By("ward").Share("stay", "1").Table(good), "has numbers", ErrColumn},
		{"share of no level", d.By("ward").Share("back", "maybe").Table(good), "no such level", ErrParameter},
		{"what may miss", d.By("year").Share("ward", "one").Table(good), `By("ward").Count()`, ErrColumn},
		{"Laplace", d.By("ward").Count().Table(Target{Epsilon: 1, Noise: NoiseLaplace}), "want NoiseGaussian", ErrParameter},
		{"another statistic", d.Table([]string{"ward"}, []TableStatistic{{Of: "mode", Column: "stay"}}, good), `got "mode"`, ErrParameter},
		{"too many groups", wide.By(many...).Count().Table(good), "more than 4194304 groups", ErrParameter},
	} {
		if _, err := c.plan.Cost(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "Table([") {
			t.Errorf("%s: got %v, want %v that says %q", c.name, err, c.want, c.says)
		}
	}
	if _, err := d.By("ward").Mean("stay").Table(good).Error(0.95); err != nil {
		t.Errorf("no prediction: %v", err)
	}
}

// TestTableWithin: the least ε of three digits at which every statistic keeps what is asked of it, in groups of as many rows as an even
// spread gives; a variance is asked for wherever the mean lies, and is closer here.
func TestTableWithin(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "a", "b", "c"), frames.Numeric("stay", 0, 30), frames.Label("back", "no", "yes")))
	var all [][]float64
	for i := range 3000 {
		all = append(all, []float64{float64(i % 3), float64(i % 31), float64(i % 2)})
	}
	f := frameOf(t, schema, all)
	free := Target{Delta: 1e-6}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		s := must(Demo(f, 5, rel))
		d := s.Data()
		asked := d.By("ward").Count().Within(60, 0.95).Sum("stay").Within(2000, 0.9).Share("back", "yes").Within(0.04, 0.95).Variance("stay").Within(20, 0.9)
		plan := asked.Table(free)
		text := plan.String()
		if again := must(Parse[Table](s, text)).String(); again != text || !strings.Contains(text, "Confidence: 0.95") {
			t.Errorf("%v: %s reads back as %s", rel, text, again)
		}
		epsilon := must(plan.Cost()).Guarantee.Epsilon
		if less := asked.Table(Target{Epsilon: epsilon * 0.98, Delta: 1e-6}).plan(); !(must(less.quote()).made.Predicted.Asked > 1) || !(must(plan.plan().quote()).made.Predicted.Asked <= 1+1e-9) {
			t.Errorf("%v: ε = %g is not the least", rel, epsilon)
		}
		margins := map[string]struct{ margin, level float64 }{"count": {60, 0.95}, "sum of stay": {2000, 0.9}, "share of back=yes": {0.04, 0.95}, "variance of stay": {20, 0.9}}
		worst := 0.0
		for _, v := range must(plan.Replicate(t.Context(), 20)) {
			for name, want := range margins {
				for g, c := range must(v.Column(name, want.level)) {
					half := (c.High - c.Low) / 2
					if !(half <= 1.06*want.margin) { // intervals of ratios are a little wider than what is propagated
						t.Errorf("%v: %s of %v: ± %g, want %g", rel, name, v.Groups[g], half, want.margin)
					}
					worst = max(worst, half/want.margin)
				}
			}
		}
		if !(worst > 0.9) {
			t.Errorf("%v: the closest margin is kept by %g: more noise would do", rel, worst)
		}
		ranks := d.By("ward").Quantile(0.5, "stay").Within(60, 0.95).Table(Target{})
		r := must(ranks.Release(t.Context()))
		if m := must(r.Value.Quantiles[0].RankMargin(0.95)); !(m <= 60) || !(m > 59) || r.Cost.Guarantee.Delta != 0 {
			t.Errorf("%v: ranks within %g", rel, m)
		}
		if _, err := Together(Target{Epsilon: 1, Delta: 1e-6}, plan, d.Select("stay").Mean(Target{Epsilon: 1, Delta: 1e-6})).Cost(); err != nil {
			t.Errorf("%v: together: %v", rel, err)
		}
	}
	d := must(Demo(f, 5, ReplaceOne)).Data()
	for _, c := range []struct {
		name string
		plan Plan[Table]
		says string
	}{
		{"one of two", d.By("ward").Count().Within(3, 0.9).Mean("stay").Table(free), "nothing is asked of mean of stay"},
		{"before a statistic", d.By("ward").Within(3, 0.9).Table(free), "before any statistic"},
		{"NaN", d.By("ward").Count().Within(math.NaN(), 0.9).Table(free), "positive finite number"},
		{"level 1", d.By("ward").Count().Within(3, 1).Table(free), "in (0, 1)"},
		{"two margins", d.By("ward").Count().Within(3, 0.9).Table(free.Within(3, 0.9)), "one or the other"},
		{"two margins behind", d.By("ward").Count().Within(3, 0.9).Table(free).Within(3, 0.9), "one or the other"},
		{"out of reach", d.By("ward").Mean("stay").Within(1e-9, 0.9).Table(free), "want a larger one"},
	} {
		if _, err := c.plan.Cost(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.says)
		}
	}
}
