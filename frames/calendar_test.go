package frames_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// levelOf is what package time says of a day.
func levelOf(unit frames.CalendarUnit, d time.Time) string {
	switch unit {
	case frames.Day:
		return d.Format("2006-01-02")
	case frames.Week:
		year, week := d.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	case frames.Month:
		return d.Format("2006-01")
	case frames.Year:
		return d.Format("2006")
	case frames.Weekday:
		return d.Weekday().String()
	}
	return d.Month().String()
}

// TestCalendar holds every day of columns of dates to package time: leap years, the ends of months, and the weeks of ISO 8601 around New Year.
func TestCalendar(t *testing.T) {
	for _, span := range [][2]string{{"1999-12-27", "2004-03-01"}, {"2008-12-29", "2010-01-03"}, {"1896-02-28", "1904-03-01"}, {"1969-12-31", "1970-01-31"}, {"2020-12-31", "2021-01-01"}, {"0001-01-01", "0004-12-31"}} {
		first, last := must(time.Parse("2006-01-02", span[0])), must(time.Parse("2006-01-02", span[1]))
		c := frames.Date("d", span[0], span[1]).MayMiss()
		for _, unit := range []frames.CalendarUnit{frames.Day, frames.Week, frames.Month, frames.Year, frames.Weekday, frames.MonthOfYear} {
			out, of, err := c.Calendar(unit)
			if err != nil {
				if levelOf(unit, first) == levelOf(unit, last) {
					continue // all days are of one
				}
				t.Fatal(err)
			}
			if _, err := frames.NewSchema(out); err != nil || !out.Missing || !out.Ordered || out.Name != "d "+string(unit) || !math.IsNaN(of(math.NaN())) {
				t.Fatalf("%v %s: %+v, %v", span, unit, out, err)
			}
			var seen []string // in order of time
			x := 0.0
			for d := first; !d.After(last); d = d.AddDate(0, 0, 1) {
				want := levelOf(unit, d)
				if got := out.Levels[int(of(x))]; got != want || of(x+0.99) != of(x) {
					t.Fatalf("%v: the %s is %q, want %q", d, unit, got, want)
				}
				if len(seen) == 0 || seen[len(seen)-1] != want {
					seen = append(seen, want)
				}
				x++
			}
			if series := unit != frames.Weekday && unit != frames.MonthOfYear; series && !slices.Equal(seen, out.Levels) {
				t.Errorf("%v: levels of %s are %v, want all of %v", span, unit, out.Levels, seen)
			}
			if of(-1e9) != of(0) || of(1e9) != of(c.Hi) { // beyond the bounds there is nothing
				t.Errorf("%v: %s of a number that is no day of the column", span, unit)
			}
		}
	}
}

// TestAge holds ages to birthdays, which who was born on a 29 February has on 1 March of other years.
func TestAge(t *testing.T) {
	birthdays := func(birth, on time.Time) (age int) { // AddDate makes 1 March of a 29 February that is not there
		for !birth.AddDate(age+1, 0, 0).After(on) {
			age++
		}
		return age
	}
	c := frames.Date("birth", "1999-01-01", "2005-01-01")
	for _, on := range []string{"2024-02-28", "2024-02-29", "2024-03-01", "2023-02-28", "2023-03-01", "2005-01-01", "2019-12-31"} {
		out, of, err := c.Calendar(frames.AgeOn(on))
		if err != nil {
			t.Fatal(err)
		}
		at := must(time.Parse("2006-01-02", on))
		lo, hi := math.Inf(1), math.Inf(-1)
		for x := 0.0; x <= c.Hi; x++ {
			d := must(time.Parse("2006-01-02", c.DayText(x)))
			if got := of(x); got != float64(birthdays(d, at)) {
				t.Fatalf("born on %v: on %s %v years, want %d", d, on, got, birthdays(d, at))
			}
			lo, hi = min(lo, of(x)), max(hi, of(x))
		}
		if out.Lo != lo || out.Hi != hi || out.Name != "birth age" || out.Kind != frames.KindNumeric || out.IsDate() {
			t.Errorf("on %s: got %+v, want bounds %v and %v", on, out, lo, hi)
		}
	}
	if out, _, err := c.Calendar(frames.AgeOn("2002-01-01")); err != nil || out.Lo != -3 {
		t.Errorf("before birth: got %+v, %v", out, err)
	}
}

func TestCalendarRefused(t *testing.T) {
	day := frames.Date("d", "2024-03-01", "2024-03-05")
	for _, c := range []struct {
		name string
		of   frames.Column
		unit frames.CalendarUnit
		want error
		says string
	}{
		{"numbers", frames.Numeric("d", 0, 1), frames.Month, frames.ErrSchema, "want one of dates"},
		{"no days", frames.Date("d", "2024-03-01", "x"), frames.Month, frames.ErrSchema, "want one of dates"},
		{"no unit", day, "", frames.ErrSchema, "AgeOn"},
		{"another unit", day, "fortnight", frames.ErrSchema, `"fortnight"`},
		{"one month", day, frames.Month, frames.ErrSchema, "all its days are of one month"},
		{"one age", day, frames.AgeOn("2024-12-31"), frames.ErrSchema, "is 0: leave it out"},
		{"an age on no day", day, frames.AgeOn("2024-02-30"), frames.ErrDate, `"2024-02-30"`},
		{"too many", frames.Date("d", "1000-01-01", "2000-01-01"), frames.Day, frames.ErrSchema, "at most 65536"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, _, err := c.of.Calendar(c.unit); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %v with %q", err, c.want, c.says)
			}
		})
	}
}
