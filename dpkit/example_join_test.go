package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// What is public of wards is joined to private visits, for free.
func ExamplePipeline_Join() {
	visited, err := frames.NewSchema(frames.Numeric("stay", 0, 10), frames.Category("ward", "north", "south"))
	check(err)
	text := "stay,ward\n" + strings.Repeat("4,north\n", 600) + strings.Repeat("8,south\n", 400)
	visits, err := frames.ParseCSV(strings.NewReader(text), "visits", visited, frames.CSVOptions{Header: true})
	check(err)
	known, err := frames.NewSchema(frames.Category("ward", "north", "south"), frames.Numeric("beds", 0, 100))
	check(err)
	wards, err := frames.ParseCSV(strings.NewReader("ward,beds\nnorth,20\nsouth,70\n"), "wards", known, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(visits, 1, dpkit.ReplaceOne)
	check(err)
	beds, err := session.Data().Join(frames.Public(wards), "ward").Select("beds").Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	fmt.Printf("beds where a visit is, on average: %.0f\n", beds.Value.Values[0])
	// Output: beds where a visit is, on average: 40
}

// Rows of the same people in two tables make one row a person, for free. Somebody without prescriptions has none.
func ExamplePipeline_JoinPeople() {
	visited, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("stay", 0, 10))
	check(err)
	given, err := frames.NewSchema(frames.Person("patient"), frames.Category("drug", "aspirin", "statin"))
	check(err)
	visit, drug := "patient,stay\n", "patient,drug\n"
	for i := range 1000 {
		visit += fmt.Sprintf("%d,4\n%d,2\n", i, i)
		if i%2 == 0 {
			drug += fmt.Sprintf("%d,statin\n%d,statin\n%d,aspirin\n", i, i, i)
		}
	}
	visits, err := frames.ParseCSV(strings.NewReader(visit), "visits", visited, frames.CSVOptions{Header: true})
	check(err)
	prescribed, err := frames.ParseCSV(strings.NewReader(drug), "drugs", given, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(visits, 1, dpkit.ReplaceOne)
	check(err)
	drugs, err := session.AddTable("drugs", prescribed)
	check(err)
	statins := drugs.Where(dpkit.Is("drug", "statin")).PerPerson(dpkit.CountRows{Max: 10, As: "statins"})
	r, err := session.Data().PerPerson(dpkit.SumOf{Column: "stay", Hi: 60, As: "days"}).JoinPeople(statins).
		Select("days", "statins").Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	fmt.Printf("per patient: %.0f days, %.0f prescription of statins\n", r.Value.Values[0], r.Value.Values[1])
	// Output: per patient: 6 days, 1 prescription of statins
}

// Each visit of a patient next to each prescription: two public numbers bound how many rows of a patient are paired.
func ExamplePipeline_JoinPeople_rows() {
	visited, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("day", 0, 365))
	check(err)
	given, err := frames.NewSchema(frames.Person("patient"), frames.Numeric("given", 0, 365))
	check(err)
	visit, drug := "patient,day\n", "patient,given\n"
	for i := range 1000 {
		visit += fmt.Sprintf("%d,10\n%d,20\n", i, i)
		drug += fmt.Sprintf("%d,12\n%d,25\n", i, i)
	}
	visits, err := frames.ParseCSV(strings.NewReader(visit), "visits", visited, frames.CSVOptions{Header: true})
	check(err)
	drugs, err := frames.ParseCSV(strings.NewReader(drug), "drugs", given, frames.CSVOptions{Header: true})
	check(err)
	session, err := dpkit.Demo(visits, 1, dpkit.ReplaceOne)
	check(err)
	second, err := session.AddTable("drugs", drugs)
	check(err)
	pairs := session.Data().JoinPeople(second, dpkit.PairedRows{First: 5, Second: 5})
	r, err := pairs.PerPerson(dpkit.CountRows{Max: 25, As: "pairs"}).Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	fmt.Printf("per patient: %.0f pairs\n", r.Value.Values[0])
	// Output: per patient: 4 pairs
}
