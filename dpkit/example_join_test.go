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
