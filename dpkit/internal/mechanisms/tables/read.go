package tables

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// values read the measures of a row.
func (c *calibrated) values(in frames.Schema) []func(row []float64, y float64) float64 {
	out := make([]func([]float64, float64) float64, len(c.measures))
	for i, m := range c.measures {
		out[i] = m.reader(in)
	}
	return out
}

// width is how many cells a group has: its count, its sums, and its people where they have a cell.
func (c *calibrated) width() int {
	switch {
	case !c.counted:
		return 0
	case c.people == beside:
		return 2 + len(c.measures)
	}
	return 1 + len(c.measures)
}

// read returns the exact cells in steps of the grid: those of a group stand together, its count first. Behind them are the sums of ranks.
func (c *calibrated) read(st stage.Stage) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	if c.people != asRows {
		return c.readPeople(st)
	}
	add := c.adder(st)
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		if cells, done, err := c.grouped(ctx, in, st); done || err != nil {
			return c.onGrid(cells), err
		}
		cells, err := rows.IntegerSums(ctx, in, c.size(), func() func([]int64, []float64, float64) { return add })
		return c.onGrid(cells), err
	}
}

// adder adds a row to the cells: to a count 1, and to a sum steps of the grid.
func (c *calibrated) adder(st stage.Stage) func(cells []int64, row []float64, y float64) {
	group, width, values := c.groups.reader(st.In), c.width(), c.values(st.In)
	ranks := c.rankReader(st.In)
	var inv float64
	if c.counted {
		inv = 1 / c.Grid.Step()
	}
	return func(cells []int64, row []float64, y float64) {
		g := group(row, y)
		ranks(cells, g, row, y)
		if width == 0 {
			return
		}
		at := g * width
		cells[at]++
		for i, value := range values {
			if u := value(row, y); !math.IsNaN(u) { // no step of this package leaves a cell without a value here
				cells[at+1+i] += int64(math.RoundToEven(c.weights[i] * u * inv))
			}
		}
	}
}
