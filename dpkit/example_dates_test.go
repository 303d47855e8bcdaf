package dpkit_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// members are the members of a club, one row each: born when, joined when.
func members() *frames.Frame {
	schema, err := frames.NewSchema(frames.Date("joined", "2023-07-01", "2024-06-30"), frames.Date("born", "1940-01-01", "2014-12-31").Written("02.01.2006"))
	check(err)
	var rows strings.Builder
	rows.WriteString("joined,born\n")
	for i := range 6000 {
		joined := time.Date(2023, 7, 1+(37*i)%366, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&rows, "%s,%s\n", joined.Format("2006-01-02"), joined.AddDate(-10-i%70, 0, -i%365).Format("02.01.2006"))
	}
	f, err := frames.ParseCSV(strings.NewReader(rows.String()), "members", schema, frames.CSVOptions{Header: true})
	check(err)
	return f
}

// How many joined in each month, in order of time: a month in which nobody did is in the table too.
func ExamplePipeline_Calendar() {
	session, err := dpkit.Demo(members(), 1, dpkit.ReplaceOne)
	check(err)
	joined := session.Data().Calendar("joined", frames.Month).By("joined month").Count()
	r, err := joined.Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	counts, err := r.Value.Column("count", 0.95)
	check(err)
	for i, month := range r.Value.Groups[:3] {
		fmt.Printf("%s: %.0f hundred\n", month[0], counts[i].Value/100)
	}
	fmt.Println(len(counts), "months")
	// Output:
	// 2023-07: 5 hundred
	// 2023-08: 5 hundred
	// 2023-09: 5 hundred
	// 12 months
}

// How many had joined up to each month, in one charge: the noise hardly grows with the number of months.
func ExamplePipeline_Cumulative() {
	session, err := dpkit.Demo(members(), 1, dpkit.ReplaceOne)
	check(err)
	months := session.Data().Calendar("joined", frames.Month).By("joined month")
	r, err := months.Count().Cumulative(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	check(err)
	var s dpkit.Series = r.Value
	for _, month := range []string{"2023-07", "2023-12", "2024-06"} {
		c, err := s.At("count", month)
		check(err)
		fmt.Printf("%s: %.0f, in [%.0f, %.0f]\n", month, c.Value, c.Low, c.High)
	}
	fmt.Printf("a calendar of one month more: %.1f %% more noise\n", 100*(s.Next-1))
	// Output:
	// 2023-07: 506, in [492, 520]
	// 2023-12: 3014, in [2997, 3030]
	// 2024-06: 6000, in [5987, 6000]
	// a calendar of one month more: 1.3 % more noise
}

// The mean age of who joined in a quarter of the year, by weekday: days are written in conditions as in schemas.
func ExampleDuring() {
	session, err := dpkit.Demo(members(), 1, dpkit.ReplaceOne)
	check(err)
	plan := session.Data().
		Where(dpkit.During("joined", "2024-01-01", "2024-03-31")).
		Calendar("joined", frames.Weekday, frames.MonthOfYear, frames.Week, frames.Year, frames.Day).Calendar("born", frames.AgeOn("2024-06-30")).
		By("joined weekday").Mean("born age").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6})
	r, err := plan.Release(context.Background())
	check(err)
	monday, err := r.Value.At("mean of born age", "Monday")
	check(err)
	fmt.Printf("about %.0f tens of years\n", monday.Value/10)
	// Output:
	// about 5 tens of years
}
