package dpkit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// wards is a gota frame of private rows, such as a program holds in memory.
func wards() dataframe.DataFrame {
	ages, names := make([]float64, 900), make([]string, 900)
	for i := range ages {
		ages[i], names[i] = float64(20+i%60), []string{"north", "south", "east"}[i%3]
	}
	return dataframe.New(series.New(ages, series.Float, "age"), series.New(names, series.String, "ward"))
}

func printFrame(df dataframe.DataFrame) {
	for _, record := range df.Records() {
		fmt.Println(strings.Join(record, "  "))
	}
}

// A gota frame comes in, held to a schema; released numbers, prices and the ledger's history go out as gota frames, whose rows keep
// what the release promised through every filter and sort.
func ExampleSession_History() {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 120), frames.Category("ward", "north", "south", "east"))
	check(err)
	rows, err := frames.FromGota(wards(), schema, frames.GotaOptions{})
	check(err)
	folder, err := os.MkdirTemp("", "dpkit")
	check(err)
	defer os.RemoveAll(folder)
	session, err := dpkit.Create(rows, dpkit.Options{
		Ledger: filepath.Join(folder, "wards.ledger"), Budget: dpkit.Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: dpkit.ReplaceOne, Dataset: "wards",
	})
	check(err)
	defer session.Close()

	plan := session.Data().Histogram("ward", dpkit.Target{Epsilon: 1, Delta: 1e-6})
	price, err := plan.Cost()
	check(err)
	printFrame(price.Gota().Select([]string{"step", "role", "epsilon"}))

	counts, err := plan.Release(context.Background())
	check(err)
	large := counts.Value.Gota().Filter(dataframe.F{Colname: "value", Comparator: series.Greater, Comparando: 100.0})
	printFrame(large.Select([]string{"name", "epsilon", "promise"}))

	history, err := session.History()
	check(err)
	fmt.Println(history.Nrow(), "charge:", history.Col("promise").Elem(0))
	// Output:
	// step  role  epsilon
	// 1  release  1.000000
	// name  epsilon  promise
	// north  1.000000  (1, 1e-06)-DP, replace-one, unconditional, unit: row
	// south  1.000000  (1, 1e-06)-DP, replace-one, unconditional, unit: row
	// east  1.000000  (1, 1e-06)-DP, replace-one, unconditional, unit: row
	// 1 charge: (1, 1e-06)-DP, replace-one, unconditional, unit: row
}

// The ways of every step as a gota frame: here those that cost the least noise.
func ExampleCost_Gota() {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 120).MayMiss(), frames.Ignored("ward"))
	check(err)
	rows, err := frames.FromGota(wards(), schema, frames.GotaOptions{})
	check(err)
	session, err := dpkit.Demo(rows, 1, dpkit.ReplaceOne)
	check(err)
	compared, err := session.Data().Select("age").Impute(dpkit.Mean{}).Scale().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Compare()
	check(err)
	ways := compared.Gota()
	printFrame(ways.Filter(dataframe.F{Colname: "best", Comparator: series.Eq, Comparando: true}).Select([]string{"way", "noise"}))
	// Output:
	// way  noise
	// Impute(PrivateMean{Share: 0.05})  1.025978
	// Mean(ε = 1, δ = 1e-06)  1.998889
}
