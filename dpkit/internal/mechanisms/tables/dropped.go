package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Dropped are how many people have more rows than the bound before the table keeps, and how many rows of theirs it dropped, of each person at
// most DroppedMost, with intervals that hold the exact numbers with the given probability each, 0 < level < 1. Errors wrap
// [kind.ErrParameter]: the table was not asked, or the level is none.
func (t Table) Dropped(level float64) (people, dropped TableCell, err error) {
	if t.DroppedMost == 0 {
		return people, dropped, fmt.Errorf("dpkit: table: got a table that was not asked what the bound dropped: end with By(…).Dropped(most).Table(target): %w", kind.ErrParameter)
	}
	if !(level > 0 && level < 1) {
		return people, dropped, fmt.Errorf("dpkit: table: level: got %g, want a number in (0, 1): %w", level, kind.ErrParameter)
	}
	half := distuv.UnitNormal.Quantile((1+level)/2) * t.DroppedSigma
	inf := math.Inf(1)
	return around(t.DroppedPeople, half, 0, inf), around(t.DroppedRows, half*float64(t.DroppedMost), 0, inf), nil
}

// DroppedWords say both numbers, with intervals of 0.95; "" where nobody asked.
func (t Table) DroppedWords() string {
	people, dropped, err := t.Dropped(0.95)
	if err != nil {
		return ""
	}
	about := func(c TableCell) string {
		return fmt.Sprintf("%.0f [%.0f, %.0f]", c.Value, math.Floor(c.Low), math.Ceil(c.High))
	}
	return fmt.Sprintf("the bound dropped about %s rows, counting at most %d of each person, of about %s people (95 %%)", about(dropped), t.DroppedMost, about(people))
}

// droppedDamaged reports what no release writes.
func (t *Table) droppedDamaged() bool {
	return t.DroppedMost < 0 || !(t.DroppedSigma >= 0) || math.IsNaN(t.DroppedPeople) || math.IsNaN(t.DroppedRows)
}

// droppedPart is what each of the two cells moves by at most, of what the rest of the table moves by: noise is √(1 + 2/16) times what it is
// without them.
const droppedPart = 1. / 4

// besideDropped are the statistics without that of dropped rows, of which tell is whether there is one.
func (r Release) besideDropped() (out Release, tell bool) {
	tell = slices.ContainsFunc(r.Of, TableStatistic.ofDropped)
	if tell {
		r.Of = slices.DeleteFunc(slices.Clone(r.Of), TableStatistic.ofDropped)
	}
	return r, tell
}

func (s TableStatistic) ofDropped() bool { return s.Of == Dropped }

// tellDropped checks that there is something to tell.
func (c *calibrated) tellDropped(st stage.Stage) error {
	m := st.Contributions.Dropped
	switch {
	case m == 0: // so too after a step that takes rows out of the order of people, or displaces the column
		//dp:advises the numbers would be of other rows; a person adds as much to them as is charged
		return fmt.Errorf("dropped: no bound right before the table tells how many rows it dropped, or a step between them removes rows or may change %q: end with By(…).Dropped(most) after Bound(…), and put such steps before it: %w", stage.RowsDropped, stage.ErrOrder)
	case !c.counted:
		return fmt.Errorf("dropped: got no statistic beside it, want for instance Count() or People(): %w", kind.ErrParameter)
	}
	c.dropped = m
	return nil
}

// boundDropped adds the two cells to what a person and a row move, in the units of [pair.Query]: a person adds a number of [0, w] to each.
func (c *calibrated) boundDropped(row float64, rel accountant.Neighbours) float64 {
	if c.dropped == 0 {
		return row
	}
	moves := row
	if rel == accountant.ReplaceOne {
		moves *= 2
	}
	if c.Together.Rows > 0 {
		moves = c.Together.Moves
	}
	c.droppedWeight = moves * droppedPart
	both := math.Sqrt2 * c.droppedWeight
	if c.Together.Rows > 0 {
		c.Together.Moves = stage.Up(math.Hypot(moves, both))
	}
	if rel == accountant.ReplaceOne {
		return stage.Up(math.Hypot(2*row, both)) / 2
	}
	return stage.Up(math.Hypot(row, both))
}

// cells is how many noisy numbers there are: those of the groups, and of what was dropped.
func (c *calibrated) cells() int {
	if c.dropped > 0 {
		return c.n*c.width() + 2
	}
	return c.n * c.width()
}

// readDropped are the people of whom rows were dropped, and how many rows, exactly. Whatever the column holds, a person adds 1 to one and a
// number of [0, M] to the other.
func (c *calibrated) readDropped(ctx context.Context, in rows.Driver, st stage.Stage) (people, dropped int64, err error) {
	at, _ := st.In.FeatureIndex(stage.RowsDropped)
	most := float64(c.dropped)
	sums, err := rows.PeopleSums{
		Each: max(1, st.Contributions.Rows), Group: func([]float64, float64) int { return 0 },
		Values: []func(row []float64, y float64) float64{func(row []float64, _ float64) float64 { return row[at] }},
		Total: func(sums []int64, _ int, of []float64) {
			if d := min(max(of[0], 0), most); d > 0 { // not for NaN
				sums[0]++
				sums[1] += int64(d)
			}
		},
	}.Of(ctx, in, 2)
	if err != nil {
		return 0, 0, err
	}
	return sums[0], sums[1], nil
}

// droppedSteps are both numbers in steps of the grid, rounded once.
func (c *calibrated) droppedSteps(people, dropped int64) [2]int64 {
	inv := c.droppedWeight / c.Grid.Step()
	return [2]int64{int64(math.RoundToEven(float64(people) * inv)), int64(math.RoundToEven(float64(dropped) * (inv / float64(c.dropped))))}
}

// tellOf writes to a table what the noisy cells say of dropped rows.
func (c *calibrated) tellOf(t *Table, noisy []int64) {
	if c.dropped == 0 {
		return
	}
	at := c.n * c.width()
	t.DroppedMost, t.DroppedSigma = c.dropped, c.Sigma/c.droppedWeight
	t.DroppedPeople = c.Grid.Value(noisy[at]) / c.droppedWeight
	t.DroppedRows = c.Grid.Value(noisy[at+1]) / c.droppedWeight * float64(c.dropped)
}
