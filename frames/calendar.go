package frames

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// CalendarUnit is what a calendar makes of the days of a column of dates: one of the constants, or [AgeOn].
type CalendarUnit string

// Units of time from a column's first day to its last, those without rows included, and what repeats every week and every year.
const (
	Day   CalendarUnit = "day"   // 2024-01-31
	Week  CalendarUnit = "week"  // 2024-W05, of ISO 8601: from Monday to Sunday, of the year in which its Thursday lies
	Month CalendarUnit = "month" // 2024-01
	Year  CalendarUnit = "year"  // 2024

	Weekday     CalendarUnit = "weekday"       // Monday to Sunday
	MonthOfYear CalendarUnit = "month of year" // January to December
)

// ageOn begins the unit of an age.
const ageOn = "age on "

// AgeOn is the age in completed years on a day, written as 2024-01-31, of a column of birth dates: a number, whose bounds are the ages of who
// was born on the column's last and first day. Who was born on a 29 February is a year older on 1 March. It is negative before birth.
func AgeOn(day string) CalendarUnit { return CalendarUnit(ageOn + day) }

// mostUnits bounds the levels that a calendar makes.
const mostUnits = 1 << 16

// Calendar returns the column that a unit makes of a column of dates, and its map: from a number of the one to a number or a level's code of
// the other, of a missing cell a missing one. It is named as the column with the unit behind it, "visit month", of an age "birth age";
// levels stand in order of time. Errors wrap [ErrSchema] and [ErrDate].
func (c Column) Calendar(unit CalendarUnit) (Column, func(x float64) float64, error) {
	since, ok := parseISO([]byte(c.Since()))
	if err := c.validate(); err != nil || !ok {
		return Column{}, nil, fmt.Errorf("frames: calendar: column %q: got a %s column, want one of dates: declare it with Date: %w", c.Name, c.kind(), ErrSchema)
	}
	first, last := since+int(math.Floor(c.Lo)), since+int(math.Floor(c.Hi))
	out := Column{Name: CalendarName(c.Name, unit), Kind: KindCategory, Missing: c.Missing, Ordered: true}
	of, err := unit.of(first)
	var name func(code int) string
	switch {
	case err != nil:
		return Column{}, nil, fmt.Errorf("frames: calendar: column %q: %w", c.Name, err)
	case strings.HasPrefix(string(unit), ageOn):
		out = Numeric(out.Name, float64(of(last)), float64(of(first)))
		out.Missing = c.Missing
		if out.Lo == out.Hi {
			return Column{}, nil, fmt.Errorf("frames: calendar: column %q: everybody's %s is %g: leave it out: %w", c.Name, string(unit), out.Lo, ErrSchema)
		}
	case unit == Weekday:
		out.Levels = make([]string, 7)
		name = func(code int) string { return time.Weekday((code + 1) % 7).String() }
	case unit == MonthOfYear:
		out.Levels = make([]string, 12)
		name = func(code int) string { return time.Month(code + 1).String() }
	default:
		units := of(last) + 1
		if units > mostUnits {
			return Column{}, nil, fmt.Errorf("frames: calendar: column %q: got %d levels of a %s each, want at most %d: take a longer unit: %w", c.Name, units, string(unit), mostUnits, ErrSchema)
		}
		if units < 2 {
			return Column{}, nil, fmt.Errorf("frames: calendar: column %q: all its days are of one %s: leave it out: %w", c.Name, string(unit), ErrSchema)
		}
		out.Levels = make([]string, units)
		name = unit.names(first)
	}
	for code := range out.Levels {
		out.Levels[code] = name(code)
	}
	return out, func(x float64) float64 {
		if math.IsNaN(x) {
			return x
		}
		return float64(of(min(max(since+int(math.Floor(min(max(x, c.Lo), c.Hi))), first), last)))
	}, nil
}

// CalendarName is the name of the column that [Column.Calendar] makes of a column of that name.
func CalendarName(column string, unit CalendarUnit) string {
	if strings.HasPrefix(string(unit), ageOn) {
		return column + " age"
	}
	return column + " " + string(unit)
}

// of returns the map from a day's number to the unit's, from 0 at the first day where units follow one another.
func (u CalendarUnit) of(first int) (func(day int) int, error) {
	from := func(number func(day int) int) func(int) int {
		base := number(first)
		return func(day int) int { return number(day) - base }
	}
	switch u {
	case Day:
		return from(func(day int) int { return day }), nil
	case Week:
		return from(weekNumber), nil
	case Month:
		return from(monthNumber), nil
	case Year:
		return from(func(day int) int { return dayTime(day).Year() }), nil
	case Weekday:
		return func(day int) int { return day - firstOfWeek(weekNumber(day)) }, nil
	case MonthOfYear:
		return func(day int) int { return int(dayTime(day).Month()) - 1 }, nil
	}
	text, isAge := strings.CutPrefix(string(u), ageOn)
	on, ok := parseISO([]byte(text))
	switch {
	case !isAge:
		return nil, fmt.Errorf("got unit %.20q, want %q, %q, %q, %q, %q, %q or AgeOn(day): %w", string(u), Day, Week, Month, Year, Weekday, MonthOfYear, ErrSchema)
	case !ok:
		return nil, fmt.Errorf("got an age on %.20q, want it on a day such as 2024-01-31: %w", text, ErrDate)
	}
	year, month, day := dayTime(on).Date()
	return func(birth int) int {
		y, m, d := dayTime(birth).Date()
		age := year - y
		if month < m || month == m && day < d {
			age--
		}
		return age
	}, nil
}

// names returns the names of units that follow one another, from the first day on.
func (u CalendarUnit) names(first int) func(code int) string {
	switch u {
	case Week:
		return func(code int) string {
			year, week := dayTime(firstOfWeek(weekNumber(first) + code)).ISOWeek()
			return fmt.Sprintf("%04d-W%02d", year, week)
		}
	case Month:
		return func(code int) string {
			month := monthNumber(first) + code
			return fmt.Sprintf("%04d-%02d", month/12, month%12+1)
		}
	case Year:
		return func(code int) string { return fmt.Sprintf("%04d", dayTime(first).Year()+code) }
	}
	return func(code int) string { return dayTime(first + code).Format(isoDay) }
}

// weekNumber counts weeks that begin on Monday: 1970-01-01 was a Thursday.
func weekNumber(day int) int { return floorDiv(day+3, 7) }

// firstOfWeek is the Monday of a week.
func firstOfWeek(week int) int { return 7*week - 3 }

// monthNumber counts months since the year 0.
func monthNumber(day int) int {
	t := dayTime(day)
	return 12*t.Year() + int(t.Month()) - 1
}
