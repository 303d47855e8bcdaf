package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
)

// Join adds the columns of a public table to each row, by the level that the row has of a category which both have:
//
//	visits.Join(wards, "ward").By("ward").Mean("beds").Table(target)
//
// It is a public map of one row and costs nothing: the table is public, and a row's new cells are those at its own level. The public table has
// one row for each level at most; a row at a level that it lacks, or whose cell is missing, has no value in the new columns, which Impute
// fills ([Fixed] by what you declare). No earlier step may have displaced the category. A model that is released behind it holds the values
// by level, so that it reads rows as they were before. The plan's text holds the table.
//
// Rows of different people are not joined, by whatever key ([Pipeline.JoinPeople] joins those of the same person): a joined row would be two
// people's, and no bound on what each has keeps one of them from moving a thousand (docs/theory/tables.md#joins). Release a [Grouping] of the one by key, and join its released
// statistics, which are public, to the other.
func (p Pipeline) Join(public *frames.PublicFrame, on string) Pipeline {
	step, err := steps.NewJoin(public, on)
	if err != nil {
		return p.with(steps.Broken{Name: "Join", Err: err})
	}
	return p.with(step)
}
