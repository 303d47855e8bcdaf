package viz

import (
	"math"
	"time"
)

// Day is the value of a time on an axis of Dates: days since 1970-01-01, by the calendar and the clock of its own time zone.
func Day(t time.Time) float64 {
	_, zone := t.Zone()
	return (float64(t.Unix()) + float64(zone)) / secondsOfDay
}

const (
	secondsOfDay = 86400
	farthestDay  = 3e6 // beyond the year 9999: numbers, not dates
)

// dateOf prints a day, with the time of day where it has one.
func dateOf(v float64) string {
	if !(math.Abs(v) < farthestDay) {
		return near(v)
	}
	t := time.Unix(int64(math.Round(v*secondsOfDay)), 0).UTC()
	if t.Truncate(24*time.Hour).Equal(t) && t.Year() >= 0 {
		return t.Format(time.DateOnly)
	}
	return t.Format("2006-01-02 15:04")
}

// dateTicks are first days of years, of quarters or months, Mondays or days: the finest of these of which at most seven lie in
// [lo, hi]. None where fewer than two would, and beyond the calendar: then the marks are those of numbers.
func dateTicks(lo, hi float64) []tick {
	if !(math.Abs(lo) < farthestDay && math.Abs(hi) < farthestDay && lo < hi) {
		return nil
	}
	first := time.Unix(int64(math.Floor(lo))*secondsOfDay, 0).UTC()
	days := func(n int) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.AddDate(0, 0, n) }
	}
	months := func(n int) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.AddDate(0, n, 0) }
	}
	year, month, day := first.Date()
	january, monday := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC), day-(int(first.Weekday())+6)%7
	type rhythm struct {
		from   time.Time
		next   func(time.Time) time.Time
		layout string
	}
	rhythms := []rhythm{
		{first, days(1), "2 Jan 2006"},
		{time.Date(year, month, monday, 0, 0, 0, 0, time.UTC), days(7), "2 Jan 2006"},
		{time.Date(year, month, 1, 0, 0, 0, 0, time.UTC), months(1), "Jan 2006"},
		{january, months(3), "Jan 2006"},
	}
	for _, years := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000} {
		start := january.AddDate(-((year%years + years) % years), 0, 0)
		rhythms = append(rhythms, rhythm{start, months(12 * years), "2006"})
	}
	for _, r := range rhythms {
		var out []tick
		for t := r.from; len(out) <= 7; t = r.next(t) {
			v := Day(t)
			if v > hi {
				break
			}
			if v >= lo {
				out = append(out, tick{value: v, label: t.Format(r.layout)})
			}
		}
		if len(out) <= 7 {
			if len(out) < 2 {
				return nil
			}
			return out
		}
	}
	return nil
}
