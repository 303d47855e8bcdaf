package dpkit

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// coverTable is a table on which intervals are tried.
type coverTable struct {
	name      string
	f         *frames.Frame
	a, b      string // numeric columns
	lo, mid   float64
	by, level string // a category, and one of its levels
	clip      [2]float64
	people    bool // rows are of people, whom a column names
	visits    []inventedVisit
}

// coverTables are real files where there are some, and the invented visits: of all patients nightly, of fewer in CI.
func coverTables(t testing.TB) []coverTable {
	patients := 600
	if nightly() {
		patients = 6000
	}
	load := func(of func() (*frames.Frame, string, error)) *frames.Frame {
		f, _, err := of()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	visits, all := inventedVisits(t, patients)
	out := []coverTable{{"visits", visits, "age", "cost", 0, 50, "ward", "surgery", [2]float64{0, 8000}, true, all}}
	if !realRows() {
		return append(out, coverTable{"synthetic Adult", must(datasets.SyntheticAdult(3000, 1)), "age", "hours-per-week", 17, 40, "sex", "Female", [2]float64{20, 60}, false, nil})
	}
	return append(out,
		coverTable{"Adult", load(datasets.Adult), "age", "hours-per-week", 17, 40, "sex", "Female", [2]float64{20, 60}, false, nil},
		coverTable{"credit", load(datasets.Credit), "AGE", "LIMIT_BAL", 18, 40, "EDUCATION", "2", [2]float64{0, 300000}, false, nil},
		coverTable{"bike", load(datasets.BikeHour), "temp", "hum", 0, 0.5, "season", "3", [2]float64{0.3, 0.9}, false, nil},
	)
}

// coverStep is what a chain has before its release.
type coverStep struct {
	name   string
	words  string // what the numbers of a release are of
	people *bool  // which tables it is for; nil: any
	do     func(d Pipeline, t coverTable) Pipeline
	bound  bool     // each person has several rows after it
	only   []string // kinds that it is for; nil: all
}

// coverSteps are those that change what is counted.
func coverSteps() []coverStep {
	yes, no := true, false
	one := func(d Pipeline, t coverTable) Pipeline {
		return d.PerPerson(MeanOf{Column: t.a, As: t.a}, MeanOf{Column: t.b, As: t.b}, MostFrequent{Column: t.by, As: t.by}, MostFrequent{Column: "diagnosis", As: "diagnosis"}, PersonLabel{Of: Latest{Column: "back", By: "stay"}})
	}
	return []coverStep{
		{"", "all rows", &no, func(d Pipeline, _ coverTable) Pipeline { return d }, false, nil},
		{"Where", "rows that meet the condition", &no, func(d Pipeline, t coverTable) Pipeline { return d.Where(Between(t.a, t.lo, t.mid)) }, false, nil},
		{"ClipColumns", "all rows, clipped", &no, func(d Pipeline, t coverTable) Pipeline { return d.ClipColumns(t.clip[0], t.clip[1], t.b) }, false, nil},
		{"Winsorize", "all rows, clamped", &no, func(d Pipeline, t coverTable) Pipeline {
			return d.Winsorize(PublicQuantiles{Lo: t.clip[:1], Hi: t.clip[1:]}, t.b)
		}, false, nil},
		{"Join", "all rows", &no, func(d Pipeline, t coverTable) Pipeline {
			c, _ := d.s.schema.Column(t.by)
			var rows [][]float64
			for i := range c.Levels {
				rows = append(rows, []float64{float64(i), float64(i % 3)})
			}
			b := &frames.Block{Rows: len(rows), Cols: 2, X: slices.Concat(rows...)}
			return d.Join(frames.Public(must(frames.FromBlock(must(frames.NewSchema(frames.Category(t.by, c.Levels...), frames.Numeric("extra", 0, 2))), b))), t.by)
		}, false, nil},
		{"Holdout", "rows of one side", &no, func(d Pipeline, _ coverTable) Pipeline { train, _ := d.Holdout(0.3); return train }, false, nil},
		{name: "Winsorize, fitted", words: "all rows, clamped", people: &no, only: []string{"Mean", "Sum", "Quantile", "Correlation"}, do: func(d Pipeline, t coverTable) Pipeline {
			return d.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, t.b)
		}},
		{"PerPerson", "people", &yes, one, false, nil},
		{"Where, PerPerson", "people with such rows", &yes, func(d Pipeline, t coverTable) Pipeline { return one(d.Where(Is(t.by, t.level)), t) }, false, nil},
		{"ClipColumns, PerPerson", "people", &yes, func(d Pipeline, t coverTable) Pipeline { return one(d.ClipColumns(t.clip[0], t.clip[1], t.b), t) }, false, nil},
		{"PerPerson, Holdout", "people of one side", &yes, func(d Pipeline, t coverTable) Pipeline { _, test := one(d, t).Holdout(0.3); return test }, false, nil},
		{name: "PerPerson, JoinPeople", words: "people, of both tables", people: &yes, do: func(_ Pipeline, t coverTable) Pipeline {
			s := must(Demo(t.f, 17, ReplaceOne))
			second := must(s.AddTable("costs", t.f))
			return s.Data().PerPerson(MeanOf{Column: t.a, As: t.a}, MostFrequent{Column: t.by, As: t.by}, PersonLabel{Of: Latest{Column: "back", By: "stay"}}).
				JoinPeople(second.PerPerson(MeanOf{Column: t.b, As: t.b}))
		}},
		{"Bound", "rows that the bound kept", &yes, func(d Pipeline, _ coverTable) Pipeline { return d.Bound(Contributing{Rows: 3}) }, true, nil},
		{"Bound by groups", "rows that the bound kept", &yes, func(d Pipeline, t coverTable) Pipeline {
			return d.Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: []string{t.by}})
		}, true, nil},
		{"Where, Bound", "rows that the condition and the bound kept", &yes, func(d Pipeline, t coverTable) Pipeline {
			return d.Where(Between("stay", 1, 20)).Bound(Contributing{Rows: 5})
		}, true, nil},
	}
}

// numbersOnly are the two columns, filled, and nothing else.
func numbersOnly(d Pipeline, t coverTable) Pipeline {
	return filledAt(d.Select(t.a, t.b), t.a, t.b)
}

// filledAt fills the columns that may miss.
func filledAt(d Pipeline, columns ...string) Pipeline {
	s := must(d.Schema())
	columns = slices.DeleteFunc(columns, func(name string) bool { c, _ := s.Column(name); return !c.Missing })
	if len(columns) == 0 {
		return d
	}
	return d.Impute(Midpoint{}, columns...)
}

// coverKind is a kind of release whose intervals are tried.
type coverKind struct {
	kinds []string // as they stand in mechanismEntries
	name  string
	words string // what is printed
	wide  string // why the width may be above that of the noise; "" where it may not
	rows  bool   // it is for chains after Bound too
	own   bool   // it has a chain of its own, on the table as it is read
	run   func(t *testing.T, d Pipeline, of coverTable, releases int) []shown
}

var coverTarget = Target{Epsilon: 1, Delta: 1e-6}

// tried draws a plan and reads what it shows.
func tried[V any](t *testing.T, plan Plan[V], releases int, read func(rows coverRows, v V) []shown) (out []shown) {
	t.Helper()
	rows := coverRowsOf(t, plan.plan())
	for _, v := range must(plan.Replicate(t.Context(), releases)) {
		out = append(out, read(rows, v)...)
	}
	return out
}

// estimates reads the intervals of numbers with what each is without noise.
func estimates(of func(rows coverRows, name string) float64) func(coverRows, Estimates) []shown {
	exact := map[string]float64{}
	return func(rows coverRows, e Estimates) (out []shown) {
		low, high, err := e.Interval(0.95)
		must(0, err)
		for i, name := range e.Names {
			v, ok := exact[name]
			if !ok {
				v = of(rows, name)
				exact[name] = v
			}
			out = append(out, shown{name, e.Values[i], low[i], high[i], v})
		}
		return out
	}
}

// tableShown reads the cells of a table, with what a statistic is of the rows of a group.
func tableShown(rows coverRows, v Table, exact map[string]float64) (out []shown) {
	for _, s := range v.Of {
		cells := must(v.Column(s.String(), 0.95))
		for g, levels := range v.Groups {
			key := fmt.Sprint(s, levels)
			true, ok := exact[key]
			if !ok {
				true = statisticOf(rows.of(v.By, levels), s)
				exact[key] = true
			}
			if math.IsNaN(true) {
				continue // a group without rows has no mean
			}
			out = append(out, shown{key, cells[g].Value, cells[g].Low, cells[g].High, true})
		}
	}
	return out
}

func statisticOf(rows coverRows, s TableStatistic) float64 {
	switch s.Of {
	case "count", "people":
		return rows.n()
	case "share":
		return rows.of([]string{s.Column}, []string{s.Level}).n() / rows.n()
	}
	all := rows.values(s.Column)
	switch mean := averageOf(all); s.Of {
	case "sum":
		return totalOf(all)
	case "mean":
		return mean
	case "variance", "standard deviation":
		squares := 0.0
		for _, x := range all {
			squares += (x - mean) * (x - mean)
		}
		if squares /= float64(len(all)); s.Of == "standard deviation" {
			return math.Sqrt(squares)
		}
		return squares
	}
	panic("no such statistic: " + s.Of)
}

// topShown is by how many people more a group that comes later, or not at all, has than one before it.
func topShown(t *testing.T, d Pipeline, of coverTable, n int) []shown {
	in := map[string]float64{}
	_, levels := coverRows{t: t, schema: must(d.Schema())}.at(of.by)
	return tried(t, d.TopK(min(3, len(levels)-1), Target{Epsilon: 0.5}, of.by), n, func(r coverRows, v Ranking) []shown {
		if len(in) == 0 {
			for _, row := range r.rows {
				in[r.level(row, of.by)]++
			}
		}
		worst, first := 0.0, map[string]bool{}
		for _, g := range v.Groups {
			for level, people := range in {
				if !first[level] && level != g[0] {
					worst = max(worst, people-in[g[0]])
				}
			}
			first[g[0]] = true
		}
		return []shown{{"people more", 0, 0, must(v.Margin(0.95)), worst}}
	})
}

// coverKinds are all kinds of release that print an interval or a margin.
func coverKinds() []coverKind {
	const candidates = "a bound over all candidates"
	const ratios = "clamping to the bounds, and small groups"
	return []coverKind{
		{[]string{"means"}, "Mean", "means of the rows", "", true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, numbersOnly(d, of).Mean(coverTarget), n, estimates(func(r coverRows, name string) float64 { return averageOf(r.values(name)) }))
		}},
		{[]string{"means"}, "Mean, Laplace", "means of the rows", "", false, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, numbersOnly(d, of).Mean(Target{Epsilon: 1, Noise: NoiseLaplace}), n, estimates(func(r coverRows, name string) float64 { return averageOf(r.values(name)) }))
		}},
		{[]string{"sum"}, "Sum", "sums of the rows", "", true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, numbersOnly(d, of).Sum(coverTarget), n, estimates(func(r coverRows, name string) float64 { return totalOf(r.values(name)) }))
		}},
		{[]string{"count"}, "Count", "rows that meet the conditions", "", true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, d.Count(coverTarget, Is(of.by, of.level), Between(of.a, of.lo, of.mid)), n, estimates(func(r coverRows, name string) float64 {
				at, _ := r.at(of.a)
				return r.of([]string{of.by}, []string{of.level}).where(func(row []float64) bool { return row[at] >= of.lo && row[at] <= of.mid }).n()
			}))
		}},
		{[]string{"count"}, "Count, Laplace", "rows that meet the condition", "whole numbers", false, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, d.Count(Target{Epsilon: 1, Noise: NoiseLaplace}, Is(of.by, of.level)), n, estimates(func(r coverRows, name string) float64 {
				return r.of([]string{of.by}, []string{of.level}).n()
			}))
		}},
		{[]string{"histogram"}, "Histogram", "rows of each level", "clamping to 0", true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			return tried(t, d.Histogram(of.by, coverTarget), n, estimates(func(r coverRows, name string) float64 {
				return r.of([]string{of.by}, []string{name}).n()
			}))
		}},
		{[]string{"table"}, "Table", "counts, sums, means, variances and shares of each group", ratios, true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			exact := map[string]float64{}
			label, level := labelOf(d)
			plan := filledAt(d, of.a, of.b).By(of.by).Count().Sum(of.b).Mean(of.a).Variance(of.a).StdDev(of.b).Share(label, level)
			if level == "" {
				plan = filledAt(d, of.a, of.b).By(of.by).Count().Sum(of.b).Mean(of.a).Variance(of.a).StdDev(of.b)
			}
			return tried(t, plan.Table(coverTarget), n, func(r coverRows, v Table) []shown { return tableShown(r, v, exact) })
		}},
		{[]string{"table"}, "Table of quantiles", "a quantile of each group", "bought with further quantiles", false, false, func(t *testing.T, d Pipeline, of coverTable, n int) (out []shown) {
			plan := filledAt(d, of.a).By(of.by).Count().Quantile(0.25, of.a).Quantile(0.5, of.a).Quantile(0.75, of.a).Table(coverTarget)
			sorted := map[string][]float64{}
			return tried(t, plan, n, func(r coverRows, v Table) (out []shown) {
				for _, q := range v.Quantiles {
					cells := must(v.Column(TableStatistic{Of: "quantile", Column: q.Column, Q: q.Q}.String(), 0.95))
					for g, levels := range v.Groups {
						key := fmt.Sprint(levels)
						all, ok := sorted[key]
						if !ok {
							all = slices.Sorted(slices.Values(r.of(v.By, levels).values(q.Column)))
							sorted[key] = all
						}
						if len(all) == 0 {
							continue
						}
						m := must(q.RankMargin(0.95))
						out = append(out, rankShown("rank of "+fmt.Sprint(q.Q, levels), all, q.Q, m, q.Values[g]-q.Apart(), q.Values[g]+q.Apart()))
						exact := all[max(0, int(math.Ceil(q.Q*float64(len(all))))-1)]
						out = append(out, shown{fmt.Sprint("quantile ", q.Q, levels), cells[g].Value, cells[g].Low, cells[g].High, exact})
					}
				}
				return out
			})
		}},
		{[]string{"quantile"}, "Quantile", "at most q·n + m rows below Lo, at least q·n − m at or below Hi", candidates, true, false, func(t *testing.T, d Pipeline, of coverTable, n int) (out []shown) {
			for _, q := range []float64{0.25, 0.5, 0.9} {
				var all []float64
				out = append(out, tried(t, d.Quantile(Target{Epsilon: 1}, q, of.a), n, func(r coverRows, v QuantileEstimate) []shown {
					if all == nil {
						all = slices.Sorted(slices.Values(r.values(of.a)))
					}
					return []shown{rankShown(fmt.Sprint("rank of ", q), all, q, must(v.RankMargin(0.95)), v.Lo, v.Hi)}
				})...)
			}
			return out
		}},
		{[]string{"cumulative"}, "Cumulative", "counts, sums and means up to each bin", ratios, true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			c, _ := d.s.schema.Column(of.a)
			edges := []float64{c.Lo + (c.Hi-c.Lo)/4, c.Lo + (c.Hi-c.Lo)/2, c.Lo + (c.Hi-c.Lo)*3/4}
			exact := map[string]float64{}
			plan := filledAt(d, of.a, of.b).Bin(edges, of.a).By(of.a).Count().Sum(of.b).Mean(of.b).Cumulative(coverTarget)
			return tried(t, plan, n, func(r coverRows, v Series) (out []shown) {
				for _, s := range v.Of {
					cells := must(v.Column(s.String(), 0.95))
					for p, period := range v.Periods {
						key := fmt.Sprint(s, " up to ", period)
						true, ok := exact[key]
						if !ok {
							true = statisticOf(r.where(func(row []float64) bool { return slices.Contains(v.Periods[:p+1], r.level(row, of.a)) }), s)
							exact[key] = true
						}
						if !math.IsNaN(true) {
							out = append(out, shown{key, cells[p].Value, cells[p].Low, cells[p].High, true})
						}
					}
				}
				return out
			})
		}},
		{[]string{"correlation"}, "Correlation", "correlation, covariance and means of the rows", "spread that is small against the noise", true, false, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			exact := map[string]float64{}
			return tried(t, numbersOnly(d, of).Correlation(coverTarget), n, func(r coverRows, v CorrelationMatrix) []shown {
				if len(exact) == 0 {
					va, vb, cov := r.momentsOf(of.a, of.b)
					exact["correlation"], exact["covariance"], exact["variance"], exact["mean"] = cov/math.Sqrt(va*vb), cov, vb, averageOf(r.values(of.a))
				}
				one := func(name string, c TableCell) shown { return shown{name, c.Value, c.Low, c.High, exact[name]} }
				return []shown{
					one("correlation", must(v.Correlation(of.a, of.b, 0.95))), one("covariance", must(v.Covariance(of.a, of.b, 0.95))),
					one("variance", must(v.Covariance(of.b, of.b, 0.95))), one("mean", must(v.Mean(of.a, 0.95))),
				}
			})
		}},
		{[]string{"table/top"}, "TopK", "people more in a later group", candidates, false, false, topShown},
	}
}

// ownKinds have chains of their own.
func ownKinds() []coverKind {
	const near = "groups near the threshold"
	return []coverKind{
		{[]string{"found"}, "Found", "people, sums and means of the groups that are shown", near, false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if !of.people {
				return nil
			}
			exact := map[string]float64{}
			d = filledAt(d, of.a, of.b).Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{"diagnosis"}})
			return tried(t, d.By("diagnosis").People().Sum(of.a).Mean(of.b).Found(coverTarget), n, func(r coverRows, v Table) []shown { return tableShown(r, v, exact) })
		}},
		{[]string{"found"}, "Found, rows", "rows and means of the groups that are shown", near, false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if !of.people {
				return nil
			}
			exact := map[string]float64{}
			d = filledAt(d, of.a, of.b).Bound(Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"diagnosis"}})
			return tried(t, d.By("diagnosis").Count().Mean(of.b).StdDev(of.a).Found(coverTarget), n, func(r coverRows, v Table) []shown { return tableShown(r, v, exact) })
		}},
		{[]string{"table/top"}, "TopK of people", "people more in a later group", "a bound over all groups", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if !of.people {
				return nil
			}
			return topShown(t, d.Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{of.by}}), of, n) // a row a person in each group
		}},
		{[]string{"table"}, "Table of people", "people, totals and mean totals of each group", "clamping to the bounds, and small groups", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if !of.people {
				return nil
			}
			exact := map[string]float64{} // nothing is dropped: nobody has more groups, or more rows, than the bound
			people := map[string]map[string]float64{}
			for _, v := range of.visits {
				if people[v.ward] == nil {
					people[v.ward] = map[string]float64{}
				}
				people[v.ward][v.who] += v.stay
			}
			for ward, of := range people {
				total := 0.0
				for _, stay := range of {
					total += min(stay, 40)
				}
				exact["people ["+ward+"]"] = float64(len(of))
				exact["total of stay in [0, 40] ["+ward+"]"] = total
				exact["mean total of stay in [0, 40] ["+ward+"]"] = total / float64(len(of))
			}
			plan := d.Bound(Contributing{Groups: 8, RowsPerGroup: 51, By: []string{of.by}}).By(of.by).People().Total("stay", 0, 40).MeanTotal("stay", 0, 40).Table(coverTarget)
			return tried(t, plan, n, func(_ coverRows, v Table) (out []shown) {
				for _, s := range v.Of {
					for g, c := range must(v.Column(s.String(), 0.95)) {
						if key := fmt.Sprint(s, v.Groups[g]); v.Groups[g][0] != missingLevelName {
							true, ok := exact[key]
							if !ok {
								t.Fatalf("no %q", key)
							}
							out = append(out, shown{key, c.Value, c.Low, c.High, true})
						}
					}
				}
				return out
			})
		}},
		{[]string{"table"}, "Table, PrivateBounds", "means and sums of rows clamped to the bounds that came out", "clamping to the bounds, and bounds that come out", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) (out []shown) {
			if of.people {
				d = filledAt(d, of.b).PerPerson(MaxOf{Column: of.b, As: of.b}, MostFrequent{Column: of.by, As: of.by})
			}
			rows := coverRowsOf(t, d.By(of.by).Count().Table(coverTarget).plan())
			for _, v := range must(d.Winsorize(PrivateBounds{Share: 0.2}, of.b).By(of.by).Mean(of.b).Sum(of.b).Table(coverTarget).Replicate(t.Context(), max(200, n/10))) {
				clamped := rows
				clamped.rows = nil
				at, _ := rows.at(of.b)
				for _, row := range rows.rows {
					row = slices.Clone(row)
					row[at] = min(max(row[at], v.Measures[0].Lo), v.Measures[0].Hi)
					clamped.rows = append(clamped.rows, row)
				}
				out = append(out, tableShown(clamped, v, map[string]float64{})...)
			}
			return out
		}},
		{[]string{"gram"}, "Gram", "squares and products of scaled rows", "", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if of.people {
				d = d.PerPerson(MeanOf{Column: of.a, As: of.a}, MeanOf{Column: of.b, As: of.b})
			}
			var exact []float64
			return tried(t, numbersOnly(d, of).Scale().Gram(coverTarget), n, func(r coverRows, v GramMatrix) (out []shown) {
				k := len(v.Columns)
				if exact == nil {
					exact = make([]float64, k*k)
					for _, row := range r.rows {
						for i := range k {
							for j := range k {
								exact[i*k+j] += row[i] * row[j]
							}
						}
					}
				}
				for i := range k {
					for j := range i + 1 {
						half := 1.959964 * v.Sigma
						if i != j {
							half /= math.Sqrt2
						}
						out = append(out, shown{fmt.Sprint("product ", i, " ", j), v.Second[i*k+j], v.Second[i*k+j] - half, v.Second[i*k+j] + half, exact[i*k+j]})
					}
				}
				return out
			})
		}},
		{[]string{"score"}, "Score", "accuracy, log loss and AUC of the rows, or errors of a number", "clamping, and the AUC's bound", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) (out []shown) {
			if of.people {
				return nil
			}
			_, test := d.Holdout(0.5)
			for name, d := range map[string]Pipeline{"all rows: ": d, "Where: ": d.Where(Between(of.a, of.lo, of.mid)), "Holdout: ": test} {
				out = append(out, scoreShown(t, name, d, of, n)...)
			}
			return out
		}},
		{[]string{"choice"}, "Choose", "wrong rows of the chosen model beyond the best", "a bound over all models", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if _, level := labelOf(d); of.people || level == "" {
				return nil
			}
			among := tiltedModels(d)
			errors := errorsOfModels(t, of.f, among...)
			return tried(t, d.Choose(Target{Epsilon: 2}, among...), n, func(_ coverRows, v Choice) []shown {
				return []shown{{"wrong rows beyond the best", 0, 0, must(v.Margin(0.95)), errors[v.Index] - slices.Min(errors)}}
			})
		}},
		{[]string{"mean/unbounded"}, "UnboundedMean", "means of the rows, where declared scales are as large as the rows are apart", "", false, true, func(t *testing.T, d Pipeline, of coverTable, n int) []shown {
			if of.people {
				d = d.PerPerson(MeanOf{Column: of.a, As: of.a}, MeanOf{Column: of.b, As: of.b})
			}
			rows := coverRowsOf(t, numbersOnly(d, of).Sum(coverTarget).plan())
			var numbers [][]float64
			a, _ := rows.at(of.a)
			b, _ := rows.at(of.b)
			for _, row := range rows.rows {
				numbers = append(numbers, []float64{row[a], row[b]})
			}
			exact := []float64{averageOf(rows.values(of.a)), averageOf(rows.values(of.b))}
			columns := []frames.Column{frames.Unbounded(of.a), frames.Unbounded(of.b)}
			for j, name := range []string{of.a, of.b} {
				all := rows.values(name) // a scale that no row is beyond; a smaller one clips, as is printed
				columns[j].Scale = slices.Max(all) - slices.Min(all)
			}
			s := must(Demo(must(frames.Collect(t.Context(), rowSource{must(frames.NewSchema(columns...)), numbers, nil})), 17, ReplaceOne))
			return tried(t, s.Data().UnboundedMean(UnboundedMeans{Epsilon: 3, Delta: 1e-6}), max(100, n/10), func(_ coverRows, v MeanEstimate) (out []shown) {
				for j, sd := range v.Sigma {
					out = append(out, shown{[]string{of.a, of.b}[j], v.Values[j], v.Values[j] - 1.959964*sd, v.Values[j] + 1.959964*sd, exact[j]})
				}
				return out
			})
		}},
	}
}

// scoreShown are the measures of a model by the first column, or of a constant where the label is a number.
func scoreShown(t *testing.T, name string, d Pipeline, of coverTable, n int) []shown {
	label, _ := must(d.Schema()).Label()
	var plan Plan[Score]
	coef, intercept := 0.05, -0.05*(of.lo+of.mid)/2-0.7123
	if len(label.Levels) == 0 {
		plan = d.Score(coverTarget, constantModel(d, (label.Lo+label.Hi)/3))
	} else {
		plan = d.Score(coverTarget, tiltedModel(d, 0, coef, intercept))
	}
	var exact map[string]float64
	return tried(t, plan, n, func(r coverRows, v Score) (out []shown) {
		if exact == nil {
			exact = measuresOf(r, v, label, func(row []float64) float64 { return 1 / (1 + math.Exp(-(coef*row[0] + intercept))) })
		}
		for _, of := range v.Names() {
			m := must(v.Measure(of, 0.95))
			out = append(out, shown{name + of, m.Value, m.Low, m.High, exact[of]})
		}
		return out
	})
}

func measuresOf(r coverRows, v Score, label frames.Column, chance func(row []float64) float64) map[string]float64 {
	n, out := r.n(), map[string]float64{}
	if len(label.Levels) == 0 {
		guess, squares, absolute := (label.Lo+label.Hi)/3, 0.0, 0.0
		for _, row := range r.rows {
			e := guess - row[len(row)-1]
			squares, absolute = squares+e*e, absolute+math.Abs(e)
		}
		out[ScoreRMSE], out[ScoreAbsolute] = math.Sqrt(squares/n), absolute/n
		return out
	}
	bins := make([][2]float64, len(v.Bins[0]))
	for _, row := range r.rows {
		p, y := chance(row), row[len(row)-1]
		if (p >= 0.5) == (y == 1) {
			out[ScoreAccuracy] += 1 / n
		}
		of := p
		if y == 0 {
			of = 1 - p
		}
		out[ScoreLogLoss] -= math.Log(min(max(of, 0.01), 0.99)) / n
		bins[min(int(p*float64(len(bins))), len(bins)-1)][int(y)]++
	}
	wins, pairs := 0.0, 0.0
	for b, second := range bins {
		for c, first := range bins {
			w := second[1] * first[0]
			if pairs += w; b > c {
				wins += w
			} else if b == c {
				wins += w / 2
			}
		}
	}
	out[ScoreAUC] = wins / pairs
	return out
}

// rankShown is by how many rows a rank is off, as an interval from 0.
func rankShown(name string, sorted []float64, q, margin, lo, hi float64) shown {
	below, upTo := ranksBetween(sorted, lo, hi)
	n := q * float64(len(sorted))
	return shown{name, 0, 0, margin, max(below-n, n-upTo, 0)}
}

// labelOf is a class label with its last level; "" without one.
func labelOf(d Pipeline) (name, level string) {
	c, ok := must(d.Schema()).Label()
	if !ok || len(c.Levels) == 0 {
		return "", ""
	}
	return c.Name, c.Levels[len(c.Levels)-1]
}
