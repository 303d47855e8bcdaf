package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Several statistics by ward in one draw, each with an interval.
func ExamplePipeline_By() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.AddRemove)
	check(err)
	patients := session.Data().PerPerson(dpkit.CountRows{Max: 10, As: "visits"}, dpkit.MostFrequent{Column: "ward"}, dpkit.Latest{Column: "back", By: "day"})
	var wards dpkit.Grouping = patients.By("ward")
	r, err := wards.Count().Mean("visits").Share("back", "yes").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	for _, ward := range []string{"heart", "lung"} {
		n, err := r.Value.At("count", ward)
		check(err)
		visits, err := r.Value.At("mean of visits", ward)
		check(err)
		fmt.Printf("%s: about %.0f patients with %.1f visits each\n", ward, n.Value/100, visits.Value)
	}
	// Output:
	// heart: about 10 patients with 3.0 visits each
	// lung: about 10 patients with 2.9 visits each
}

// Medians by ward beside their numbers, in one charge: one quantile costs the same for two wards as for two hundred.
func ExampleTableQuantile() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.AddRemove)
	check(err)
	patients := session.Data().PerPerson(dpkit.CountRows{Max: 10, As: "visits"}, dpkit.MostFrequent{Column: "ward"})
	wards := patients.By("ward").Count().Variance("visits").Quantile(0.5, "visits")
	r, err := wards.Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	median, err := r.Value.At("median of visits", "heart")
	check(err)
	var medians dpkit.TableQuantile = r.Value.Quantiles[0]
	margin, err := medians.RankMargin(0.95)
	check(err)
	spread, err := r.Value.At("variance of visits", "heart")
	check(err)
	largest, err := r.Value.SortedBy("count")
	check(err)
	fmt.Println(len(largest.Groups), "wards, the largest first")
	fmt.Printf("%.1f visits, within %.0f patients of the median\n", median.Value, margin)
	fmt.Println(spread.Low <= spread.Value, spread.High < 25)
	// Output:
	// 3 wards, the largest first
	// 3.0 visits, within 39 patients of the median
	// true true
}

// Numbers by ward that are not negative and add up to all patients: made of a released table, for no charge.
func ExampleTableTotals() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	patients := session.Data().PerPerson(dpkit.MostFrequent{Column: "ward"}, dpkit.Latest{Column: "back", By: "day"})
	r, err := patients.By("ward", "back").Count().Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	var totals dpkit.TableTotals
	totals, err = r.Value.Consistent()
	check(err)
	heart, err := totals.Of("heart", "")
	check(err)
	all, err := totals.Of("", "")
	check(err)
	fmt.Printf("about %.0f00 of %.0f\n", heart/100, all)
	// Output:
	// about 1000 of 3000
}

// The least ε for what a report needs: numbers of patients to ± 60, means to ± 0.2 visits in wards of a usual size.
func ExampleGrouping() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.AddRemove)
	check(err)
	patients := session.Data().PerPerson(dpkit.CountRows{Max: 10, As: "visits"}, dpkit.MostFrequent{Column: "ward"})
	plan := patients.By("ward").Count().Within(60, 0.95).Mean("visits").Within(0.2, 0.95).Table(dpkit.Target{Delta: 1e-6})
	cost, err := plan.Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	// Output:
	// (0.389, 1e-06)-DP per person, add/remove, unconditional
}

// A table as a file, whose every row says what it promises; a plan that is written as data.
func ExampleTable() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.AddRemove)
	check(err)
	patients := session.Data().PerPerson(dpkit.MostFrequent{Column: "ward"})
	plan := patients.Table([]string{"ward"}, []dpkit.TableStatistic{{Of: "count"}}, dpkit.Target{Epsilon: 1, Delta: 1e-6})
	fmt.Println(plan)
	r, err := plan.Release(context.Background())
	check(err)
	var cells []dpkit.TableCell
	cells, err = r.Value.Column("count", 0.99)
	check(err)
	fmt.Println(len(cells), cells[0].Low < 1000 && 1000 < cells[0].High)
	var file strings.Builder
	check(r.Value.WriteCSV(&file))
	var measures []dpkit.TableMeasure = r.Value.Measures
	fmt.Println(len(measures), strings.SplitN(file.String(), "\n", 2)[0])
	// Output:
	// PerPerson(MostFrequent{Column: "ward"}).Table(["ward"], [TableStatistic{Of: "count"}], ε = 1, δ = 1e-06)
	// 3 true
	// 0 ward,count,count low,count high,counted,promise
}

// Diagnoses as they were typed, which no codebook lists: those that enough patients have are found, and are a public list from then on.
func ExamplePipeline_Levels() {
	session, err := dpkit.Demo(typedDiagnoses(), 1, dpkit.AddRemove)
	check(err)
	bounded := session.Data().Bound(dpkit.Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"diagnosis"}})
	r, err := bounded.Levels("diagnosis", dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	levels, err := r.Value.Levels("diagnosis")
	check(err)
	fmt.Println(levels)
	coded := session.Data().Codebook("diagnosis", "other", levels...).PerPerson(dpkit.MostFrequent{Column: "diagnosis"})
	most, err := coded.By("diagnosis").Count().Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	fmt.Println(most.Value.Groups)
	// Output:
	// [asthma diabetes]
	// [[asthma] [diabetes] [other]]
}

// typedDiagnoses are of 400 people, 300 of whom have diabetes and 200 asthma; some have what nobody else has.
func typedDiagnoses() *frames.Frame {
	var b strings.Builder
	b.WriteString("id,diagnosis\n")
	for i := range 400 {
		if i < 300 {
			fmt.Fprintf(&b, "p%d,diabetes\n", i)
		}
		if i >= 200 {
			fmt.Fprintf(&b, "p%d,asthma\n", i)
		}
		if i%50 == 7 {
			fmt.Fprintf(&b, "p%d,case %d\n", i, i)
		}
	}
	schema, err := frames.NewSchema(frames.Person("id"), frames.Text("diagnosis"))
	check(err)
	f, err := frames.ParseCSV(strings.NewReader(b.String()), "diagnoses", schema, frames.CSVOptions{Header: true})
	check(err)
	return f
}

// The two most frequent diagnoses, with how many patients have them.
func ExampleTable_top() {
	session, err := dpkit.Demo(typedDiagnoses(), 1, dpkit.AddRemove)
	check(err)
	bounded := session.Data().Bound(dpkit.Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"diagnosis"}})
	r, err := bounded.By("diagnosis").People().Found(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	top, err := r.Value.Top(1, "people")
	check(err)
	n, err := top.At("people", "diabetes")
	check(err)
	fmt.Printf("%v: about %.0f hundred\n", top.Groups[0], n.Value/100)
	// Output:
	// [diabetes]: about 3 hundred
}

// Bounds of a column that nobody can bound: counts by sizes are released, and bounds are read off them.
func ExamplePipeline_Bounds() {
	schema, err := frames.NewSchema(frames.Unbounded("income"))
	check(err)
	block := &frames.Block{Rows: 1000, Cols: 1}
	for i := range 1000 {
		block.X = append(block.X, 1500+float64(i))
	}
	block.X[7] = 1e9
	table, err := frames.FromBlock(schema, block)
	check(err)
	session, err := dpkit.Demo(table, 1, dpkit.ReplaceOne)
	check(err)
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	sizes, err := session.Data().Bounds("income", target).Release(context.Background())
	check(err)
	lo, hi, clamped, err := sizes.Value.Bounds("income")
	check(err)
	_, err = session.Data().ClipColumns(lo, hi, "income").Mean(target).Cost()
	check(err)
	fmt.Println(lo, hi, clamped.Low <= 0.001 && 0.001 <= clamped.High)
	// Output:
	// 1024 4096 true
}

// Which drugs most people have, of a public list: the order, at a price that does not hang on how many a person has.
func ExamplePipeline_TopK() {
	schema, err := frames.NewSchema(frames.Person("patient"), frames.Category("drug", "aspirin", "insulin", "statin", "zinc"))
	check(err)
	var text strings.Builder
	text.WriteString("patient,drug\n")
	for i := range 900 {
		for k, drug := range []string{"statin", "aspirin", "zinc"} {
			if i%(k+1) == 0 {
				fmt.Fprintf(&text, "%d,%s\n", i, drug)
			}
		}
	}
	drugs, err := frames.ParseCSV(strings.NewReader(text.String()), "drugs", schema, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(drugs, 1, dpkit.ReplaceOne)
	check(err)
	wide := session.Data().Bound(dpkit.Contributing{Groups: 4, RowsPerGroup: 1, By: []string{"drug"}})
	r, err := wide.TopK(3, dpkit.Target{Epsilon: 1}, "drug").Release(context.Background())
	check(err)
	fmt.Println(r.Value.Groups)
	// Output: [[statin] [aspirin] [zinc]]
}

// How far a ranking may be off: no drug that is not listed has so many people more than one that is.
func ExampleRanking() {
	r := dpkit.Ranking{By: []string{"drug"}, Groups: [][]string{{"statin"}, {"aspirin"}}, Among: 4, Rate: 0.5}
	people, err := r.Margin(0.95)
	check(err)
	fmt.Printf("%.0f people\n", people)
	// Output: 10 people
}
