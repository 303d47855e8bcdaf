package tables

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// foundCells are the exact cells of every group that a row has, in steps of the grid: a state of a pass. Who holds it knows the groups.
type foundCells struct {
	c     *finding
	width int
	at    map[string]int // place of each key
	keys  []string
	cells []int64    // those of a group stand together
	spill *spill     // where groups go that do not fit memory; nil: they stay
	runs  *rows.Runs // all groups, once all rows are read; nil where they are in memory

	add   func(of *foundCells, row []float64, y float64)
	key   []float64 // of the row at hand
	bytes []byte
}

func (c *finding) newFoundCells(st stage.Stage) *foundCells {
	return &foundCells{c: c, width: c.width(), at: map[string]int{}, key: make([]float64, len(c.keys.at)), add: c.addRow(st)}
}

// place is that of a key's first cell.
func (s *foundCells) place(key []byte) int {
	g, ok := s.at[string(key)]
	if !ok {
		g = len(s.keys)
		text := string(key)
		s.at[text], s.keys = g, append(s.keys, text)
		s.cells = append(s.cells, make([]int64, s.width)...)
	}
	return g * s.width
}

// addRow adds a row to the cells of its group: 1 to its number of rows, and to sums steps of the grid.
func (c *finding) addRow(st stage.Stage) func(s *foundCells, row []float64, y float64) {
	values, first, inv := c.values(st.In), 0, 1/c.Grid.Step()
	if c.people == beside {
		first = 1
	}
	one := int64(math.RoundToEven(inv)) // the step is a power of two below 1
	return func(s *foundCells, row []float64, y float64) {
		at := s.place(s.bytes) + first
		s.cells[at] += one
		for i, value := range values {
			if u := value(row, y); !math.IsNaN(u) {
				s.cells[at+1+i] += int64(math.RoundToEven(c.weights[i] * u * inv))
			}
		}
	}
}

// next makes the key of a row the one at hand; false for a row without one.
func (s *foundCells) next(row []float64, y float64) bool {
	if !s.c.keys.of(s.key, row, y) {
		return false
	}
	s.bytes = s.c.keys.bytes(s.bytes[:0], s.key)
	return true
}

func (s *foundCells) Add(b *frames.Block) {
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			if row := b.Row(i); s.next(row, y) {
				s.add(s, row, y)
			}
		}
	})
	s.spill.relieve(s)
}

func (s *foundCells) Merge(next *foundCells) {
	for g, key := range next.keys {
		at := s.place([]byte(key))
		for k, v := range next.cells[g*s.width : (g+1)*s.width] {
			s.cells[at+k] += v
		}
	}
	s.spill.relieve(s)
}

// Code writes the groups in the order of their keys.
func (s *foundCells) Code(c *rows.Coder) {
	c.Name("found groups 1")
	c.Bind("columns and cells", s.c.keys.at, s.width, s.c.weights, s.c.Grid)
	order := slices.Sorted(slices.Values(s.keys))
	n := c.Count(len(order), 8*(len(s.c.keys.at)+s.width))
	for i := range n {
		key := make([]byte, 0, 8*len(s.c.keys.at))
		var cells []int64
		if !c.Reading {
			key = append(key, order[i]...)
			at := s.at[order[i]] * s.width
			cells = s.cells[at : at+s.width]
		} else {
			cells = make([]int64, s.width)
		}
		key = codedKey(c, key, len(s.c.keys.at))
		if c.Integers(cells); c.Reading && c.Err == nil {
			at := s.place(key)
			copy(s.cells[at:], cells)
		}
	}
}

// reading reads the rows.
func (c *finding) reading(st stage.Stage) func(ctx context.Context, in rows.Driver) (*foundCells, error) {
	if c.each > 0 {
		return c.readingPeople(st)
	}
	return func(ctx context.Context, in rows.Driver) (*foundCells, error) {
		to := c.spillFor(rows.MemoryOf(in), rows.States())
		s, err := rows.Drive(ctx, in, func() *foundCells {
			s := c.newFoundCells(st)
			s.spill = to
			return s
		})
		return to.finish(ctx, s, err)
	}
}

// sorted puts the groups in the order of their keys, so that a draw is of them alone.
func (s *foundCells) sorted() *foundCells {
	order := slices.Sorted(slices.Values(s.keys))
	cells := make([]int64, 0, len(s.cells))
	for g, key := range order {
		at := s.at[key] * s.width
		cells = append(cells, s.cells[at:at+s.width]...)
		s.at[key] = g
	}
	s.keys, s.cells = order, cells
	return s
}

// codedKey codes a key of so many cells.
func codedKey(c *rows.Coder, key []byte, cells int) []byte {
	out := make([]byte, 0, 8*cells)
	for i := range cells {
		var v uint64
		if !c.Reading {
			for _, b := range key[8*i : 8*i+8] {
				v = v<<8 | uint64(b)
			}
		}
		v = c.Word(v)
		for shift := 56; shift >= 0; shift -= 8 {
			out = append(out, byte(v>>shift))
		}
	}
	return out
}
