package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// Nobody knows how much the customers spend: bounds come out of the chain, and the mean has the noise of those.
func ExamplePrivateBounds() {
	var rows strings.Builder
	rows.WriteString("spent\n")
	for i := range 4000 {
		fmt.Fprintln(&rows, 5+i%51)
	}
	schema, _ := frames.NewSchema(frames.Unbounded("spent"))
	customers, err := frames.ParseCSV(strings.NewReader(rows.String()), "customers", schema, frames.CSVOptions{Header: true})
	if err != nil {
		panic(err)
	}
	session, err := dpkit.Demo(customers, 1, dpkit.ReplaceOne)
	if err != nil {
		panic(err)
	}
	bounded := session.Data().Winsorize(dpkit.PrivateBounds{Share: 0.1}, "spent")
	r, err := bounded.Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	if err != nil {
		panic(err)
	}
	for _, c := range r.Cost.Steps[0].Constants[2:] {
		fmt.Println(c)
	}
	fmt.Printf("mean %.0f\n", r.Value.Values[0])
	// Output:
	// lo = 4 (tested: lower bound of column "spent" that came out)
	// hi = 64 (tested: upper bound of column "spent" that came out)
	// mean 30
}
