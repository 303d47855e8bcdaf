package frames

import (
	"fmt"
	"math"
	"time"
)

// isoDay is how ISO 8601 writes a day: the layout of files that declare no other, and of days in schemas, steps and conditions.
const isoDay = time.DateOnly

// Date is a feature of days from first to last, which are public and written as 2024-01-31 (ISO 8601): the opening of the registry and the
// day of the export, say, never the first and the last day in the rows. Its values are days since first, so that to bounds, norms and
// prices it is a number in [0, last − first]. A cell is a day in a file too, or begins otherwise where [Column.Written] says so; of a time
// its day counts, as it is written, whatever the zone. What a calendar makes of a day is [CalendarUnit].
func Date(name, first, last string) Column {
	c := Column{Name: name, Kind: KindNumeric, Hi: math.NaN()}.with(func(r *rare) { r.since = first })
	from, ok := parseISO([]byte(first))
	to, also := parseISO([]byte(last))
	if ok && also {
		c.Hi = float64(to - from)
	}
	return c
}

// Written returns the column of dates with the layout of its texts in files, as package time writes the layouts of days: "02.01.2006" for
// 31.01.2024, "2006-01-02T15:04:05" for times.
func (c Column) Written(layout string) Column { return c.with(func(r *rare) { r.layout = layout }) }

// IsDate reports whether the column's numbers are days. See [Date].
func (c Column) IsDate() bool { return c.more != nil && c.more.since != "" }

// Since is the day that 0 stands for in a column of dates, written as 2024-01-31; "" for others.
func (c Column) Since() string { return c.parts().since }

// Undated returns the column of dates as one of numbers: what days are behind a step that scales them.
func (c Column) Undated() Column { return c.with(func(r *rare) { r.since, r.layout = "", "" }) }

// DayNumber is the number that stands for a day, written as 2024-01-31, in a column of dates: days since 0 there. Errors wrap [ErrSchema]
// and [ErrDate].
func (c Column) DayNumber(day string) (float64, error) {
	since, ok := parseISO([]byte(c.Since()))
	if !ok {
		return 0, fmt.Errorf("frames: column %q is no column of dates: declare it with Date: %w", c.Name, ErrSchema)
	}
	d, ok := parseISO([]byte(day))
	if !ok {
		return 0, fmt.Errorf("frames: column %q: got day %.20q, want one such as %q: %w", c.Name, day, c.Since(), ErrDate)
	}
	return float64(d - since), nil
}

// ReadDay is the number that stands for a text as the column's files write it. Errors wrap [ErrDate] and do not repeat the text.
func (c Column) ReadDay(text string) (float64, error) {
	r, ok := c.days()
	if !ok {
		return 0, fmt.Errorf("frames: column %q is no column of dates: declare it with Date: %w", c.Name, ErrSchema)
	}
	d, ok := r.parse([]byte(text))
	if !ok {
		return 0, fmt.Errorf("%w, want one written as %s", ErrDate, c.layout())
	}
	return float64(d), nil
}

// DayText writes a number of a column of dates as its files do; of a number between two days the earlier.
func (c Column) DayText(x float64) string {
	since, _ := parseISO([]byte(c.Since()))
	return dayTime(since + int(math.Floor(x))).Format(c.layout())
}

// days are how a column of dates reads its texts.
type days struct {
	since  int
	layout string // "": ISO 8601
}

// days reports false for a column of no dates.
func (c Column) days() (days, bool) {
	since, ok := parseISO([]byte(c.Since()))
	d := days{since: since, layout: c.parts().layout}
	if d.layout == isoDay {
		d.layout = ""
	}
	return d, ok
}

// parse returns the days since 0 of the column.
func (r days) parse(cell []byte) (int, bool) {
	if r.layout == "" {
		d, ok := parseISO(cell)
		return d - r.since, ok
	}
	t, err := time.Parse(r.layout, string(cell)) // its error repeats the cell: never wrap it
	if err != nil {
		return 0, false
	}
	year, month, day := t.Date()
	if year < 1 || year > 9999 {
		return 0, false
	}
	return dayNumber(year, int(month), day) - r.since, true
}

// layout is that of the column's texts.
func (c Column) layout() string {
	if layout := c.parts().layout; layout != "" {
		return layout
	}
	return isoDay
}

// lastDay is the day that a column of dates ends with.
func (c Column) lastDay() string { return c.Written("").DayText(c.Hi) }

// firstDay is the day that it begins with.
func (c Column) firstDay() string { return c.Written("").DayText(c.Lo) }

// Days of the years 1 and 9999 bound what can be written with four digits.
var earliest, latest = dayNumber(1, 1, 1), dayNumber(9999, 12, 31)

// validateDate holds a column of dates, whose bounds are sound, to days that can be written and to a layout that tells days apart.
func (c Column) validateDate() error {
	since, ok := parseISO([]byte(c.Since()))
	switch {
	case c.Since() == "" && c.parts().layout != "":
		return fmt.Errorf("got a layout of dates, and numbers that are none: drop Written, or declare the column with Date")
	case c.Since() == "":
		return nil
	case c.Kind != KindNumeric || c.Block != "":
		return fmt.Errorf("a column of dates is a feature of its own: declare it with Date")
	case !ok:
		return fmt.Errorf("got first day %.20q, want one written as 2024-01-31", c.Since())
	case math.IsNaN(c.Hi):
		return fmt.Errorf("the last day is none, want one written as 2024-01-31")
	case !(float64(since)+c.Lo >= float64(earliest)) || !(float64(since)+c.Hi < float64(latest)+1):
		return fmt.Errorf("got days [%g, %g] since %s, want them in the years 1 to 9999", c.Lo, c.Hi, c.Since())
	}
	layout := c.parts().layout
	if layout == "" {
		return nil
	}
	if err := validateText(layout); err != nil {
		return fmt.Errorf("layout %w", err)
	}
	r, _ := c.days()
	lo, hi := int(math.Floor(c.Lo)), int(math.Floor(c.Hi))
	// The days at the ends find a year without its century; the others a layout without a day, a month or a year.
	for _, d := range []int{lo, hi, lo + 1, min(lo+32, hi), min(lo+366, hi), lo + (hi-lo)/2} {
		if back, ok := r.parse([]byte(c.DayText(float64(d)))); !ok || back != d {
			return fmt.Errorf("layout %q does not tell day, month and year apart, want one of package time such as 02.01.2006, with four digits of the year where the last two do not do", layout)
		}
	}
	return nil
}

// parseISO returns the day number of a text such as 2024-01-31, of the years 1 to 9999.
func parseISO(b []byte) (int, bool) {
	if len(b) != len(isoDay) || b[4] != '-' || b[7] != '-' {
		return 0, false
	}
	number := func(digits []byte) (n int) {
		for _, c := range digits {
			if c < '0' || c > '9' {
				return -1 << 20 // stays negative
			}
			n = 10*n + int(c-'0')
		}
		return n
	}
	year, month, day := number(b[:4]), number(b[5:7]), number(b[8:])
	if year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month) {
		return 0, false
	}
	return dayNumber(year, month, day), true
}

// daysIn is how many days a month of the Gregorian calendar has.
func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// dayNumber is the number of days from 1970-01-01 to a day of the Gregorian calendar: years begin in March, so that a leap day is the last
// one, and 400 of them have 146 097 days.
func dayNumber(year, month, day int) int {
	if month <= 2 {
		year--
		month += 12
	}
	era := floorDiv(year, 400)
	ofEra := year - 400*era
	ofYear := (153*(month-3)+2)/5 + day - 1
	return 146097*era + 365*ofEra + ofEra/4 - ofEra/100 + ofYear - 719468
}

// dayTime is the midnight that begins a day, in UTC.
func dayTime(number int) time.Time { return time.Date(1970, 1, 1+number, 0, 0, 0, 0, time.UTC) }

// floorDiv is ⌊a/b⌋, b > 0.
func floorDiv(a, b int) int {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// dated is the value of a cell that names a day.
func (p *cellParser) dated(cell []byte) (float64, fault) {
	d, ok := p.days.parse(cell)
	if !ok {
		return 0, faultDate
	}
	return p.number(float64(d))
}
