package dpkit_test

import (
	"fmt"
	"log"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// flats has a size, a rent and a year for each of 300 flats.
func flats() dpkit.Pipeline {
	schema, err := frames.NewSchema(frames.Numeric("size", 10, 210), frames.Numeric("rent", 0, 4000), frames.Numeric("year", 1900, 2020))
	if err != nil {
		log.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("size,rent,year\n")
	for i := range 300 {
		fmt.Fprintf(&b, "%d,%d,%d\n", 20+i%150, 300+7*i%2500, 1900+i%120)
	}
	f, err := frames.ParseCSV(strings.NewReader(b.String()), "flats.csv", schema, frames.CSVOptions{Header: true})
	if err != nil {
		log.Fatal(err)
	}
	s, err := dpkit.Demo(f, 1, dpkit.ReplaceOne)
	if err != nil {
		log.Fatal(err)
	}
	return s.Data()
}

// printLast prints what the last step of a chain costs.
func printLast(p dpkit.Pipeline) {
	c, err := p.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Cost()
	if err != nil {
		log.Fatal(err)
	}
	s := c.Steps[len(c.Steps)-1]
	fmt.Printf("%s: %s, %d queries, noise × %.3g\n", s.Name, s.Role, len(s.Queries), c.Release.Amplification())
}

func ExamplePipeline_Mutate() {
	root := func(x []float64) float64 { return math.Sqrt(x[0]) }
	if err := dpkit.RegisterFunc("example.root", "1", root); err != nil {
		log.Fatal(err)
	}
	printLast(flats().Mutate("root of size", dpkit.MutateOptions{From: []string{"size"}, Func: "example.root", Version: "1", Lo: 0, Hi: 15}).Impute(dpkit.Midpoint{}).Scale())
	// Output:
	// Scale(): public, 0 queries, noise × 1
}

func ExamplePipeline_Drop() {
	printLast(flats().Drop("year"))
	// Output:
	// Drop("year"): public, 0 queries, noise × 1
}

func ExamplePipeline_MaxAbs() {
	printLast(flats().Scale().MaxAbs(0.5))
	// Output:
	// MaxAbs(0.5): non-private, deployed, 0 queries, noise × 21
}

func ExamplePipeline_QuantizeMeans() {
	printLast(flats().QuantizeMeans(dpkit.CellMean{Width: 50, Weight: 5}, "size"))
	// Output:
	// QuantizeMeans(CellMean{Width: 50, Weight: 5}, "size"): non-private, 0 queries, noise × 1.28
}

func ExamplePipeline_SelectFeatures() {
	printLast(flats().Scale().SelectFeatures(dpkit.SoftSelect{Lambda: 0.01}))
	// Output:
	// SelectFeatures(SoftSelect{Lambda: 0.01}): non-private, 0 queries, noise × 2.44
}

func ExamplePipeline_Standardize_private() {
	printLast(flats().Scale().Standardize(dpkit.PrivateStandard{Share: 0.1, Floor: 0.05}))
	// Output:
	// Standardize(PrivateStandard{Share: 0.1, Floor: 0.05}): private, 1 queries, noise × 1
}

func ExamplePipeline_PCA_ramp() {
	printLast(flats().Scale().PCA(dpkit.Ramp{Start: 0.05, Width: 0.2}))
	// Output:
	// PCA(Ramp{Start: 0.05, Width: 0.2}): non-private, 0 queries, noise × 2.02
}
