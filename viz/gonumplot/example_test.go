package gonumplot_test

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/viz/gonumplot"
	"gonum.org/v1/plot/plotter"
)

// A plot of one's own of released counts: their error bars come with them, and the title says what they promise.
func Example() {
	counts := dpkit.Estimates{ // as Release returns them
		Of: "count", Names: []string{"ward A", "ward B"}, Values: []float64{120, 45.5}, Sigma: []float64{4, 4},
		Provenance: dpkit.Provenance{Unit: "row", Guarantee: &accountant.Guarantee{Budget: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: accountant.ReplaceOne, Scope: accountant.Scope{Kind: accountant.Unconditional}}},
	}

	points := gonumplot.Released(counts)
	p := gonumplot.New("Visits by ward", points)
	bars, err := plotter.NewBarChart(points, 60)
	if err != nil {
		fmt.Println(err)
		return
	}
	whiskers, err := plotter.NewYErrorBars(points)
	if err != nil {
		fmt.Println(err)
		return
	}
	bars.Color = gonumplot.Palette()[0]
	p.Add(bars, whiskers)
	p.NominalX(points.Names...)
	if err := gonumplot.Show(p); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Visits by ward
	// (1, 1e-06)-DP, replace-one, unconditional, unit: row
	// x axis: 0 to 1
	// y axis: 0 to 127.84
}
