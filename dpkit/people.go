package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// PerPerson makes one row for each person of all of their rows, where the schema names the person ([frames.Person]):
//
//	visits.PerPerson(dpkit.CountRows{Max: 40}, dpkit.MeanOf{Column: "stay"}, dpkit.MostFrequent{Column: "ward"})
//
// It costs nothing, since a person's row is made of that person's rows alone, and everything that a chain can do stands behind it: rows are
// people there, and n is their public number. Steps before it may be public maps of one row, such as Mutate. A model that is released
// behind it reads rows of people: what PerPerson makes, by the names of its columns.
//
// Cells are computed of a person's rows in the order of their values in the columns that the plan reads, so that neither the order of the file
// nor any other column matters.
func (p Pipeline) PerPerson(of ...PersonStatistic) Pipeline {
	return p.with(steps.PerPerson{Of: slices.Clone(of)})
}

// Bound keeps of each person at most so many rows, where the schema names the person ([frames.Person]):
//
//	visits.Bound(dpkit.Contributing{Rows: 10})
//	visits.Bound(dpkit.Contributing{Groups: 3, RowsPerGroup: 2, By: []string{"ward"}})
//
// Rows stay rows. It costs nothing, since which of a person's rows are kept is decided by a hash of these rows under the session's key, and
// by nothing else (of their cells in the columns that the plan reads): but all that a person may have differ behind it where one row does behind [Pipeline.PerPerson], so that every release
// has noise for so many. A table with groups of the columns By takes less: see [Pipeline.By]. What is priced for one row that differs, such
// as sampled descent, is refused. n is private behind it, as behind [Pipeline.Where].
//
// How many rows the bound drops is not told. Choose it from what is known of such data, never from the table itself.
func (p Pipeline) Bound(to Contributing) Pipeline {
	to.By = slices.Clone(to.By)
	return p.with(steps.Bound{To: to})
}

// Contributing is a bound on what a person contributes: rows, or rows in groups, or both.
//
// Its fields:
//
//	Rows         int      // K: rows of a person; 0: Groups·RowsPerGroup
//	Groups       int      // G: groups that a person has rows in; 0: as many as Rows
//	RowsPerGroup int      // R: rows of a person in one group; 0: Rows
//	By           []string // what rows of one group agree in: categories or the class label
type Contributing = steps.Contributing

// A PersonStatistic is what [Pipeline.PerPerson] makes of all rows of a person: [CountRows], [SumOf], [MeanOf], [MinOf], [MaxOf],
// [ShareOf], [MostFrequent], [Latest], or one of these as the label ([PersonLabel]). Missing cells count as if they were not there. What is
// made of the label is the label again, where it has its values.
type PersonStatistic = steps.PersonStatistic

// CountRows is how many rows a person has, at most Max.
//
// Its fields:
//
//	Max int    // the most that is counted, in [1, 2³⁰]; no default
//	As  string // name of the column; "": rows
type CountRows = steps.CountRows

// SumOf is the sum of a person's numbers in a column, clamped to [Lo, Hi].
//
// Its fields:
//
//	Column string
//	Lo, Hi float64 // public bounds on the sum of one person; no default
//	As     string  // name of the column; "": sum of Column
type SumOf = steps.SumOf

// MeanOf is the mean of a person's numbers in a column; missing where all of them are.
//
// Its fields:
//
//	Column string
//	As     string // name of the column; "": mean of Column
type MeanOf = steps.MeanOf

// MinOf is the least of a person's numbers in a column; missing where all of them are.
//
// Its fields:
//
//	Column string
//	As     string // name of the column; "": least Column
type MinOf = steps.MinOf

// MaxOf is the largest of a person's numbers in a column; missing where all of them are.
//
// Its fields:
//
//	Column string
//	As     string // name of the column; "": largest Column
type MaxOf = steps.MaxOf

// ShareOf is the share of a person's rows at a level of a category or of a class label, of those whose cell is there; missing where none is.
//
// Its fields:
//
//	Column, Level string
//	As            string // name of the column; "": share of Column=Level
type ShareOf = steps.ShareOf

// MostFrequent is the level that most of a person's rows have, of those the first in the schema's order; missing where all cells are.
//
// Its fields:
//
//	Column string
//	As     string // name of the column; "": Column
type MostFrequent = steps.MostFrequent

// Latest is the cell of a person's row that is largest in By: of several the one whose cells come last in the order of their values, of
// rows without By those come first. It is missing where that cell is.
//
// Its fields:
//
//	Column string
//	By     string // a numeric column, such as a date in days
//	As     string // name of the column; "": Column
type Latest = steps.Latest

// PersonLabel makes a statistic the label of a person's row: what a model predicts.
//
// Its fields:
//
//	Of PersonStatistic
type PersonLabel = steps.PersonLabel
