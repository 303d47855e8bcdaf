package tables

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// grouped is read by the source of the rows, such as a database, where it adds them up itself: the same integers. It reports false where rows
// must be read: for ranks, and where the source does not.
func (c *calibrated) grouped(ctx context.Context, in rows.Driver, st stage.Stage) (cells []int64, done bool, err error) {
	if len(c.ranked) > 0 || c.totals() {
		return nil, false, nil
	}
	q := frames.Grouping{By: slices.Clone(c.by)}
	inv := 1 / c.Grid.Step()
	sum := make([]int, len(c.measures))      // of each measure: its place in q.Sums, or of its column in q.By
	code := make([]float64, len(c.measures)) // of its level
	for i, m := range c.measures {
		if m.Level == "" {
			sum[i] = len(q.Sums)
			q.Sums = append(q.Sums, frames.GridSum{Column: m.Column, Mid: m.mid(), Half: m.half(), Centre: m.Square, Weight: c.weights[i], Steps: inv})
			continue
		}
		column, _ := st.In.Column(m.Column)
		code[i] = float64(slices.Index(column.Levels, m.Level))
		if sum[i] = slices.Index(q.By, m.Column); sum[i] < 0 { // whose level is a fact of a finer group
			sum[i] = len(q.By)
			q.By = append(q.By, m.Column)
		}
	}
	cells = make([]int64, c.size())
	done, err = rows.Grouped(ctx, in, q, func(levels []float64, n int64, sums []int64) {
		g := 0
		for i := range c.by {
			k := len(c.levels[i]) - 1 // missing
			if !math.IsNaN(levels[i]) {
				k = int(levels[i])
			}
			g = g*len(c.levels[i]) + k
		}
		at := g * c.width()
		cells[at] += n
		for i, m := range c.measures {
			if m.Level == "" {
				cells[at+1+i] += sums[sum[i]]
				continue
			}
			u := -1.
			if levels[sum[i]] == code[i] {
				u = 1
			}
			cells[at+1+i] += n * int64(math.RoundToEven(c.weights[i]*u*inv))
		}
	})
	return cells, done, err
}
