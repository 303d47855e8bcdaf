package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// visitsOfPatients are rows as a hospital has them: a patient may have any number of visits.
func visitsOfPatients() *frames.Frame {
	schema, err := frames.NewSchema(
		frames.Person("patient"), frames.Numeric("day", 0, 365), frames.Numeric("stay", 0, 30).Clamped(),
		frames.Category("ward", "heart", "lung").Other("other"), frames.Label("back", "no", "yes"),
	)
	check(err)
	var rows strings.Builder
	rows.WriteString("patient,day,stay,ward,back\n")
	for i := range 3000 {
		for visit := range 1 + i*i%7 {
			fmt.Fprintf(&rows, "p%d,%d,%d,%s,%s\n", i, (37*i+40*visit)%366, 1+(i+visit)%12, []string{"heart", "lung", "eyes"}[i%3], []string{"no", "yes"}[(i+visit)%4/3])
		}
	}
	f, err := frames.ParseCSV(strings.NewReader(rows.String()), "visits", schema, frames.CSVOptions{Header: true})
	check(err)
	return f
}

// One row for each person, of all of their rows: what is released then protects people.
func ExamplePipeline_PerPerson() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	patients := session.Data().PerPerson(
		dpkit.CountRows{Max: 10, As: "visits"}, dpkit.MeanOf{Column: "stay"}, dpkit.SumOf{Column: "stay", Hi: 60},
		dpkit.MinOf{Column: "day", As: "first"}, dpkit.MaxOf{Column: "day", As: "last"}, dpkit.ShareOf{Column: "ward", Level: "lung"},
	)
	cost, err := patients.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
	check(err)
	fmt.Println(cost.Guarantee)
	r, err := patients.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	visits, _ := r.Value.Value("visits")
	fmt.Printf("a patient has about %.1f visits\n", visits)
	// Output:
	// (1, 1e-06)-DP per person, replace-one, unconditional
	// a patient has about 3.0 visits
}

// Rows that stay rows: of each patient at most two visits to each of at most two wards count.
func ExamplePipeline_Bound() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	visits := session.Data().Bound(dpkit.Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"ward"}})
	r, err := visits.By("ward").People().Count().Mean("stay").Table(target).Release(context.Background())
	check(err)
	for _, of := range []string{"people", "count"} {
		cell, err := r.Value.At(of, "heart")
		check(err)
		fmt.Printf("%s: about %.1f thousand\n", of, cell.Value/1000)
	}
	fmt.Println(r.Cost.Guarantee)
	// What is priced for one row of a person says what to do instead.
	_, err = session.Data().Bound(dpkit.Contributing{Rows: 3}).OneHot().Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}).Cost()
	fmt.Println(strings.Contains(err.Error(), "make one row a person, by PerPerson"))
	// Output:
	// people: about 1.0 thousand
	// count: about 1.8 thousand
	// (1, 1e-06)-DP per person, replace-one, unconditional
	// true
}

// A model of people: what their last visit says of the ward that they are most often in.
func ExamplePersonLabel() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	model, err := session.Data().
		PerPerson(dpkit.MeanOf{Column: "stay"}, dpkit.MostFrequent{Column: "ward"}, dpkit.PersonLabel{Of: dpkit.Latest{Column: "back", By: "day"}}).
		OneHot().Scale().FitLogistic(dpkit.ByObjective{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	_, err = model.Value.PredictRow(map[string]any{"mean of stay": 4.5, "ward": "lung"})
	fmt.Println(err == nil, strings.HasSuffix(model.Cost.Guarantee.String(), "unconditional"))
	// Output:
	// true true
}

// A statistic of a person's rows says what column it makes.
func ExamplePersonStatistic() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	for _, of := range []dpkit.PersonStatistic{dpkit.CountRows{Max: 10}, dpkit.SumOf{Column: "stay", Hi: 60}, dpkit.MostFrequent{Column: "ward"}} {
		schema, err := session.Data().PerPerson(of).Schema()
		check(err)
		c := schema.Columns()[0]
		fmt.Println(c.Name, c.Lo, c.Hi, c.Levels)
	}
	// Output:
	// rows 0 10 []
	// sum of stay 0 60 []
	// ward 0 0 [heart lung other]
}

// A release of the rows that meet a public condition: which, and how many, stays private.
func ExamplePipeline_Where() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.AddRemove)
	check(err)
	long := session.Data().Where(dpkit.Or(dpkit.Is("back", "yes"), dpkit.Not(dpkit.Is("ward", "other"))), dpkit.And(dpkit.Between("stay", 7, 30))).
		PerPerson(dpkit.CountRows{Max: 10, As: "long visits"}, dpkit.MaxOf{Column: "stay", As: "longest"})
	r, err := long.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	fmt.Printf("about %.0f patients, of them a longest stay of %.0f days\n", r.Value.Rows/100, r.Value.Values[1])
	// Output:
	// about 17 patients, of them a longest stay of 10 days
}
