package tables

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// How a table counts people in groups.
type peopleCells int

const (
	asRows   peopleCells = iota // a group has at most one row of a person, or nobody asks: rows count
	inCounts                    // nobody asks for rows: the counts are of people, and so are the sums
	beside                      // a cell of each group
)

// boundPeople decides where people are counted, and bounds what the rows of a person move the table by together, and what one row does, in the
// units of [pair.Query]. s bounds the squares of a row's weighted values.
func (c *calibrated) boundPeople(r Release, st stage.Stage, s float64) (row float64, err error) {
	row = oneRow(s, c.n, st.Before.Neighbours)
	person, several := contributionsOf(st, r.By, c.n, s, 0)
	if slices.ContainsFunc(r.Of, TableStatistic.perPerson) {
		switch {
		//dp:refuses table/people-out-of-order places say no more whose rows they are
		case st.Contributions.Rows > 1 && st.Unordered: // as behind every step that frees further rows
			return row, fmt.Errorf("people: an earlier step takes rows out of the order of people, or frees further ones: put it before Bound, or leave it out: %w", stage.ErrOrder)
		case !several || person.perGroup == 1 && !c.totals():
		case !slices.ContainsFunc(r.Of, func(s TableStatistic) bool { return !s.perPerson() }): // (docs/theory/tables.md#totals-of-people)
			c.people, person.perGroup, person.rows = inCounts, 1, person.groups
			row = oneOfSeveral(s, st.Before.Neighbours)
		default:
			c.people, person.people = beside, 1
			row = stage.Up(math.Hypot(row, 1)) // a row may bring a person
		}
	}
	if several {
		c.Together = sums.Together{Rows: st.Contributions.Rows, Moves: person.l2()}
	}
	return row, nil
}

// oneOfSeveral bounds what one row does to totals where the person has others, in the units of [pair.Query]: it may bring the person to a group, or
// move their total there from one end to the other, and so in a second group where it is replaced.
func oneOfSeveral(s float64, rel accountant.Neighbours) float64 {
	most := max(1+s, 4*s)
	if rel == accountant.AddRemove {
		return stage.Up(math.Sqrt(most))
	}
	return stage.Up(math.Sqrt(2*most)) / 2
}

// roundings bound by how much the weighted totals of a person move at most beside what their rows do, since they are added up in floating point:
// K numbers of at most B are off by K²B·2^-53 (Higham 2002, §4.2). ok is false where nothing bounds the numbers.
func (c *calibrated) roundings(st stage.Stage, tainted bool) (most float64, ok bool) {
	k := float64(max(1, st.Contributions.Rows))
	for i, m := range c.measures {
		if !m.PerPerson || tainted && !st.Taint[m.Column] {
			continue
		}
		of, _ := st.In.Column(m.Column)
		if of.NoBounds {
			return math.Inf(1), false
		}
		most += c.weights[i] * k * k * max(math.Abs(of.Lo), math.Abs(of.Hi)) * 0x1p-52 / m.half()
	}
	return stage.Up(most), true
}

// readPeople is read where people are counted. A person's rows stand in the same Contributions.Rows places, one behind the other.
func (c *calibrated) readPeople(st stage.Stage) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	width := c.width()
	sums := rows.PeopleSums{Each: st.Contributions.Rows, Group: c.groups.reader(st.In)}
	if c.totals() {
		sums.Values, sums.Total = c.totalsOf(st, width)
	} else if c.people == beside {
		sums.Row = c.adder(st)
		sums.Person = func(cells []int64, group int) { cells[(group+1)*width-1]++ }
	} else {
		sums.Person = func(cells []int64, group int) { cells[group*width]++ }
	}
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		cells, err := sums.Of(ctx, in, c.size())
		return c.onGrid(cells), err
	}
}

// onGrid makes counts, in place, steps of the grid; sums are.
func (c *calibrated) onGrid(cells []int64) []int64 {
	width := c.width()
	if width == 0 {
		return cells
	}
	inv := 1 / c.Grid.Step()
	scale := func(at int) { cells[at] = int64(math.RoundToEven(float64(cells[at]) * inv)) } // exact: the grid is finer than 1, or a power of two
	for at := 0; at < min(len(cells), c.n*width); at += width {
		scale(at)
		if c.people == beside {
			scale(at + width - 1)
		}
	}
	return cells
}

// exactPeople counts people where the exact table, whose order is that of the rows, has them apart from rows.
func (c *calibrated) exactPeople(r Release, t *Table, st stage.Stage) (count func(place, group int), err error) {
	if _, err := c.boundPeople(r, st, 0); err != nil || c.people == asRows {
		return func(int, int) {}, err
	}
	people := make([]float64, c.n)
	if c.people == inCounts {
		t.Counts = people
	} else {
		t.People = people
	}
	var seen []int
	who := -1
	return func(place, group int) {
		if at := place / st.Contributions.Rows; at != who {
			who, seen = at, seen[:0]
		}
		if !slices.Contains(seen, group) {
			seen = append(seen, group)
			people[group]++
		}
	}, nil
}

// totals says that the measures are of people: the sums of their rows in a group.
func (c *calibrated) totals() bool { return len(c.measures) > 0 && c.measures[0].PerPerson }

// totalsOf read numbers of rows, and add what a person has of them in a group to its cells.
func (c *calibrated) totalsOf(st stage.Stage, width int) (values []func(row []float64, y float64) float64, add func(cells []int64, group int, of []float64)) {
	for _, m := range c.measures {
		values = append(values, m.number(st.In))
	}
	inv := 1 / c.Grid.Step()
	return values, func(cells []int64, group int, of []float64) {
		at := group * width
		cells[at]++
		for i, m := range c.measures {
			if u := m.unit(of[i]); !math.IsNaN(u) {
				cells[at+1+i] += int64(math.RoundToEven(c.weights[i] * u * inv))
			}
		}
	}
}

// exactTotals is the exact table of totals, in the order of the rows.
func (c *calibrated) exactTotals(ctx context.Context, in rows.Driver, st stage.Stage, t *Table) error {
	each, group := max(1, st.Contributions.Rows), c.groups.reader(st.In)
	var values []func(row []float64, y float64) float64
	for _, m := range c.measures {
		values = append(values, m.number(st.In))
	}
	var seen []int
	var of []float64
	who := -1
	person := func() {
		for i, g := range seen {
			t.Counts[g]++
			for k, m := range c.measures {
				if u := m.unit(of[i*len(values)+k]); !math.IsNaN(u) { // as with noise: numbers at both ends of float64 have no total
					t.Sums[k][g] += u
				}
			}
		}
		seen, of = seen[:0], of[:0]
	}
	err := in.InOrder(ctx, func(b *frames.Block) error {
		rows.EachRun(b, func(from, to int) {
			for i := from; i < to; i++ {
				y := 0.0
				if b.Y != nil {
					y = b.Y[i]
				}
				if at := (b.First + i) / each; at != who {
					person()
					who = at
				}
				g := group(b.Row(i), y)
				at := slices.Index(seen, g)
				if at < 0 {
					at = len(seen)
					seen, of = append(seen, g), append(of, make([]float64, len(values))...)
				}
				for k, value := range values {
					of[at*len(values)+k] += value(b.Row(i), y)
				}
			}
		})
		return nil
	})
	person()
	return err
}
