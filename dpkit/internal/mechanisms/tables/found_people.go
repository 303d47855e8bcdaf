package tables

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// foundPeople are cells of groups whose people are counted apart from rows: the pass of these. Everybody has c.each places, one behind the
// other. Blocks cut people in two, who are counted when all rows were read.
type foundPeople struct {
	*foundCells
	cut  []personOf
	seen []int // first cells of the groups of the person at hand
}

// personOf is a person, by number, who has a row of a key.
type personOf struct {
	who int64
	key string
}

// readingPeople is reading where people are counted apart from rows.
func (c *finding) readingPeople(st stage.Stage) func(ctx context.Context, in rows.Driver) (*foundCells, error) {
	return func(ctx context.Context, in rows.Driver) (*foundCells, error) {
		to := c.spillFor(rows.MemoryOf(in), rows.States())
		s, err := rows.Drive(ctx, in, func() *foundPeople {
			s := c.newFoundCells(st)
			s.spill = to
			return &foundPeople{foundCells: s}
		})
		if err == nil {
			s.together()
		}
		return to.finish(ctx, s.foundCells, err)
	}
}

func (s *foundPeople) Add(b *frames.Block) {
	who, whole := -1, false
	rows.EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			var y float64
			if b.Y != nil {
				y = b.Y[i]
			}
			if at := (b.First + i) / s.c.each; at != who {
				who, s.seen = at, s.seen[:0]
				whole = who*s.c.each >= b.First && (who+1)*s.c.each <= b.First+b.Rows
			}
			row := b.Row(i)
			if !s.next(row, y) {
				continue
			}
			if s.c.people == beside {
				s.add(s.foundCells, row, y)
			}
			if !whole {
				s.cut = append(s.cut, personOf{int64(who), string(s.bytes)})
				continue
			}
			if at := s.place(s.bytes); !slices.Contains(s.seen, at) {
				s.seen = append(s.seen, at)
				s.cells[at] += s.one()
			}
		}
	})
	s.spill.relieve(s.foundCells) // never between two rows of a block, whose groups are seen by their places
}

// one is somebody, in steps of the grid.
func (s *foundPeople) one() int64 { return int64(math.RoundToEven(1 / s.c.Grid.Step())) }

func (s *foundPeople) Merge(next *foundPeople) {
	s.foundCells.Merge(next.foundCells)
	s.cut = append(s.cut, next.cut...)
}

// together counts those who were cut, once in every group.
func (s *foundPeople) together() {
	slices.SortFunc(s.cut, func(a, b personOf) int { return cmp.Or(cmp.Compare(a.who, b.who), cmp.Compare(a.key, b.key)) })
	for _, p := range slices.Compact(s.cut) {
		s.cells[s.place([]byte(p.key))] += s.one()
	}
	s.cut = nil
}

func (s *foundPeople) Code(c *rows.Coder) {
	c.Name("found groups of people 1")
	c.Same("places of a person", uint64(s.c.each))
	s.foundCells.Code(c)
	n := c.Count(len(s.cut), 8*(1+len(s.c.keys.at)))
	if c.Reading {
		s.cut = make([]personOf, n)
	}
	for i, p := range s.cut {
		p.who = int64(c.Word(uint64(p.who)))
		key := []byte(p.key)
		if c.Reading {
			key = nil
		}
		p.key = string(codedKey(c, key, len(s.c.keys.at)))
		s.cut[i] = p
	}
}
