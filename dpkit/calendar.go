package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
)

// Calendar adds a column for each unit that a calendar makes of the days in a column ([frames.Date]), under its name and the unit's:
//
//	visits.Calendar("day", frames.Month, frames.Weekday).By("day month", "day weekday").Count().Table(target)
//
// Months, weeks, days and years are categories that have all of those from the column's first day to its last, those without rows too, in
// order of time; [frames.AgeOn] adds a number. It is a public row map and costs nothing. No earlier step may have displaced the column, since
// a day can cross into another month however little it moved. Missing cells stay missing.
func (p Pipeline) Calendar(column string, units ...frames.CalendarUnit) Pipeline {
	return p.with(steps.Calendar{Column: column, Units: slices.Clone(units)})
}

// During holds for rows with a day from first to last, both written as 2024-01-31, in a column of dates.
func During(column, first, last string) Condition { return domain.During(column, first, last) }
