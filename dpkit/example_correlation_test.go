package dpkit_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// studied are invented students: who studies longer sleeps a little less and has better marks.
func studied() *frames.Frame {
	schema, err := frames.NewSchema(frames.Numeric("hours", 0, 40), frames.Numeric("sleep", 4, 10), frames.Numeric("mark", 0, 100))
	check(err)
	text := strings.Builder{}
	text.WriteString("hours,sleep,mark\n")
	for i := range 5000 {
		hours := i * 7919 % 41
		fmt.Fprintf(&text, "%d,%.1f,%d\n", hours, 8-0.05*float64(hours)+float64(i*104729%21-10)/10, 20+hours+i*15485863%31)
	}
	rows, err := frames.ParseCSV(strings.NewReader(text.String()), "students", schema, frames.CSVOptions{Header: true})
	check(err)
	return rows
}

// The spread of a column, in its unit.
func ExamplePipeline_Variance() {
	session, err := dpkit.Demo(studied(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Variance(dpkit.Target{Epsilon: 1, Delta: 1e-6}, "mark").Release(context.Background())
	check(err)
	sd, err := r.Value.At("standard deviation of mark")
	check(err)
	fmt.Printf("%.1f, in [%.1f, %.1f]\n", sd.Value, sd.Low, sd.High)
	// Output: 14.9, in [14.6, 15.1]
}

// Three quantiles in one charge: the outer ones bound the one between them, in the column's unit.
func ExamplePipeline_Quantiles() {
	session, err := dpkit.Demo(studied(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Quantiles(dpkit.Target{Epsilon: 1}, []float64{0.45, 0.5, 0.55}, "mark").Release(context.Background())
	check(err)
	median, err := r.Value.At("median of mark")
	check(err)
	fmt.Printf("%.0f, in [%.0f, %.0f]\n", median.Value, median.Low, median.High)
	// Output: 55, in [53, 57]
}

// Correlations, covariances, variances and means, all of one draw, each with an interval.
func ExamplePipeline_Correlation() {
	session, err := dpkit.Demo(studied(), 1, dpkit.ReplaceOne)
	check(err)
	r, err := session.Data().Correlation(dpkit.Target{Epsilon: 1, Delta: 1e-6}, "hours", "sleep", "mark").Release(context.Background())
	check(err)
	var m dpkit.CorrelationMatrix = r.Value
	c, err := m.Correlation("hours", "mark", 0.95)
	check(err)
	fmt.Printf("hours and mark: %.2f, in [%.2f, %.2f]\n", c.Value, c.Low, c.High)
	v, err := m.Covariance("mark", "mark", 0.95)
	check(err)
	fmt.Printf("variance of the mark: %.0f, in [%.0f, %.0f]\n", v.Value, v.Low, v.High)
	// Output:
	// hours and mark: 0.82, in [0.75, 0.89]
	// variance of the mark: 207, in [183, 232]
}
