package viz

import (
	"cmp"
	"math"
	"slices"
)

// Views have no script, and an order that style alone makes of a table's rows leaves the rows as they are to whoever does not see them, needs inputs
// that pages of notebooks take out, and is lost where style is. So each order is a table of its own, folded, which needs nothing.

// sortedRows is how many rows all orders of a table may have together.
const sortedRows = 400

// sorted is the table in falling order of each statistic, and in rising order too where it shows the first groups alone. Groups of which nothing is
// known are last, those that are equal as they were.
func (g grouped) sorted() (out []block) {
	all, ok := g.table()[0].(grid)
	shown := min(len(g.Groups), tableGroups)
	if !ok || len(g.Groups) < 3 || shown*len(g.stats) > sortedRows {
		return nil
	}
	for _, s := range g.stats {
		orders := []bool{true}
		if shown < len(g.Groups) {
			orders = []bool{true, false}
		}
		for _, falling := range orders {
			f := folded{Summary: "Sorted by " + s.name + ", largest first", Grid: grid{Columns: all.Columns}}
			if !falling {
				f.Summary = "Sorted by " + s.name + ", smallest first"
			}
			for _, i := range s.order(falling)[:shown] {
				f.Grid.Rows = append(f.Grid.Rows, g.row(i, len(all.Columns) == len(g.By)+2*len(g.stats)))
			}
			out = append(out, f)
		}
	}
	return out
}

// order are the places of the groups.
func (s grouping) order(falling bool) []int {
	at := make([]int, len(s.cells))
	for i := range at {
		at[i] = i
	}
	last := func(i int) int {
		if s.unknown[i] || math.IsNaN(s.cells[i].Value) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(at, func(a, b int) int {
		if c := cmp.Compare(last(a), last(b)); c != 0 || last(a) == 1 {
			return c
		}
		if falling {
			a, b = b, a
		}
		return cmp.Compare(s.cells[a].Value, s.cells[b].Value)
	})
	return at
}
