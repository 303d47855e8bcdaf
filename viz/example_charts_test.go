package viz_test

import (
	"fmt"
	"os"
	"time"

	"github.com/dpkit-go/dpnb/viz"
)

func ExampleLines() {
	eps := []float64{0.1, 1, 10}
	v := viz.Lines(viz.LineChart{
		Title: "Accuracy of a private model",
		Note:  "Bands: 95 % intervals of the mean of 20 releases.",
		X:     viz.Axis{Name: "ε", Log: true, Loss: true},
		Y:     viz.Axis{Name: "accuracy", Unit: "%"},
		Series: []viz.Series{
			{Name: "private", X: eps, Y: []float64{71, 79, 84}, Lo: []float64{68, 78, 83.5}, Hi: []float64{74, 80, 84.5}},
			{Name: "no privacy", X: eps, Y: []float64{85, 85, 85}, Style: viz.ReferenceStyle},
		},
	})
	_ = v.To(os.Stdout) // v.Show() draws it in a notebook
	// Output:
	// Accuracy of a private model
	//
	// Bands: 95 % intervals of the mean of 20 releases.
	//
	// accuracy [%] over ε, logarithmic to the right
	// series      from 0.1 to 10
	// --------------------------------------------
	// private     ▂▂▃▃▃▃▄▄▄▄▄▅▅▅▅▅▆▆▆▆▆▆▆▇▇▇▇▇▇▇██
	// no privacy  ████████████████████████████████
	//
	//   ε          private  no privacy
	// --------------------------------
	// 0.1      71 [68, 74]          85
	//   1      79 [78, 80]          85
	//  10  84 [83.5, 84.5]          85
}

func ExampleHistogram() {
	v := viz.Histogram(viz.HistogramChart{
		Title: "Ages, from a private release",
		X:     viz.Axis{Name: "age", Unit: "years"},
		Y:     viz.Axis{Name: "people"},
		Edges: []float64{0, 30, 60, 90},
		Sets:  []viz.HistogramSet{{Counts: []float64{102, 251, -3}}},
	})
	_ = v.To(os.Stdout)
	// Output:
	// Ages, from a private release
	//
	// people over age [years]
	// age [years]  people
	// -----------------------------------------------------
	// 0 to 30         102  █████████████
	// 30 to 60        251  ████████████████████████████████
	// 60 to 90         −3
}

func ExampleBars() {
	v := viz.Bars(viz.BarChart{
		Title: "Errors",
		Axis:  viz.Axis{Name: "root mean square error"},
		Bars:  []viz.Bar{{Label: "sketch", Value: 0.5, Lo: 0.25, Hi: 0.75}, {Label: "sums", Value: 0.125, Lo: 0.0625, Hi: 0.25}},
	})
	_ = v.To(os.Stdout)
	// Output:
	// Errors
	//
	// root mean square error
	// sketch  0.5 [0.25, 0.75]      ███████████████████████████·············
	// sums    0.125 [0.0625, 0.25]  ███████·································
}

func ExamplePanels() {
	x := []float64{1, 2, 3}
	v := viz.Panels("Loss and accuracy", "",
		viz.LineChart{Title: "Loss", X: viz.Axis{Name: "epoch"}, Y: viz.Axis{Name: "loss"}, Series: []viz.Series{{X: x, Y: []float64{0.5, 0.25, 0.125}}}},
		viz.LineChart{Title: "Accuracy", X: viz.Axis{Name: "epoch"}, Y: viz.Axis{Name: "accuracy"}, Series: []viz.Series{{X: x, Y: []float64{0.5, 0.75, 0.875}}}},
	)
	_ = v.To(os.Stdout)
	// Output:
	// Loss and accuracy
	//
	// Loss: loss over epoch
	// series  from 1 to 3
	// ----------------------------------------
	// –       ██▇▇▇▇▆▆▆▅▅▅▄▄▄▃▃▃▃▃▃▂▂▂▂▂▂▁▁▁▁▁
	//
	// epoch   loss
	// ------------
	//     1    0.5
	//     2   0.25
	//     3  0.125
	//
	// Accuracy: accuracy over epoch
	// series  from 1 to 3
	// ----------------------------------------
	// –       ▁▁▂▂▂▂▃▃▃▄▄▄▅▅▅▆▆▆▆▆▆▇▇▇▇▇▇█████
	//
	// epoch  accuracy
	// ---------------
	//     1       0.5
	//     2      0.75
	//     3     0.875
}

// An axis of dates has its marks at days, Mondays, months or years.
func ExampleDay() {
	chart := viz.LineChart{
		Title: "Released counts of a month", X: viz.Axis{Name: "month", Dates: true}, Y: viz.Axis{Name: "visits"},
		Series: []viz.Series{{Name: "clinic"}},
	}
	s := &chart.Series[0]
	for i, n := range []float64{310, 295, 330} {
		s.X, s.Y = append(s.X, viz.Day(time.Date(2025, time.Month(i+1), 1, 0, 0, 0, 0, time.UTC))), append(s.Y, n)
	}
	fmt.Print(viz.Lines(chart).Text())
	// Output:
	// Released counts of a month
	//
	// visits over month
	// series  from 2025-01-01 to 2025-03-01
	// ----------------------------------------
	// clinic  ▄▄▃▃▃▃▃▃▂▂▂▂▂▁▁▁▁▁▂▂▃▃▄▄▅▅▆▆▆▇▇█
	//
	//      month  clinic
	// ------------------
	// 2025-01-01     310
	// 2025-02-01     295
	// 2025-03-01     330
}
