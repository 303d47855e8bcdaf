package dpkit_test

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// What each patient has in a ward, clamped when it was added up: the noise is for one patient's total, not for as many visits as are kept.
func ExampleGrouping_Total() {
	session, err := dpkit.Demo(visitsOfPatients(), 1, dpkit.ReplaceOne)
	check(err)
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	visits := session.Data().Bound(dpkit.Contributing{Groups: 2, RowsPerGroup: 7, By: []string{"ward"}}).By("ward")
	r, err := visits.People().Total("stay", 0, 50).MeanTotal("stay", 0, 50).Table(target).Release(context.Background())
	check(err)
	mean, err := r.Value.At("mean total of stay in [0, 50]", "heart")
	check(err)
	fmt.Printf("a patient of the ward stays %.0f days in all\n", mean.Value)
	width := func(t dpkit.Table, name string) float64 {
		days, err := t.At(name, "heart")
		check(err)
		return days.High - days.Low
	}
	rows, err := visits.Count().Sum("stay").Table(target).Release(context.Background())
	check(err)
	fmt.Printf("the interval of all days is %.1f times narrower than by rows\n", width(rows.Value, "sum of stay")/width(r.Value, "total of stay in [0, 50]"))
	// Output:
	// a patient of the ward stays 19 days in all
	// the interval of all days is 4.2 times narrower than by rows
}
