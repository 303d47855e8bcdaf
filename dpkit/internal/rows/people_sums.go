package rows

import (
	"cmp"
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// PeopleSums sums integers over rows and over people, exactly, where everybody has Each places of rows, one behind the other. A person is
// counted once in every group that they have a row in.
type PeopleSums struct {
	Each int
	// Group is that of a row; y is the label, 0 where the schema has none.
	Group func(row []float64, y float64) int
	// Row adds a row to sums, nil where only people are counted. Person adds somebody who has a row in a group.
	Row    func(sums []int64, row []float64, y float64)
	Person func(sums []int64, group int)
}

// Of are so many sums.
func (p PeopleSums) Of(ctx context.Context, in Driver, width int) ([]int64, error) {
	s, err := Drive(ctx, in, func() *peopleSums { return &peopleSums{PeopleSums: p, sums: make([]int64, width)} })
	if err == nil {
		s.together()
	}
	return s.sums, err
}

// peopleSums is that pass. Blocks cut people in two, who are counted when all rows were read.
type peopleSums struct {
	PeopleSums
	sums []int64
	cut  []personIn
	seen []int // groups of the person at hand
}

// personIn is a person, by number, who has a row in a group.
type personIn struct{ who, group int64 }

func (s *peopleSums) Add(b *frames.Block) {
	who, whole := -1, false
	EachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			if s.Row != nil {
				s.Row(s.sums, b.Row(i), y)
			}
			if at := (b.First + i) / s.Each; at != who {
				who, s.seen = at, s.seen[:0]
				whole = who*s.Each >= b.First && (who+1)*s.Each <= b.First+b.Rows
			}
			g := s.Group(b.Row(i), y)
			switch {
			case slices.Contains(s.seen, g):
				continue
			case whole:
				s.Person(s.sums, g)
			default:
				s.cut = append(s.cut, personIn{int64(who), int64(g)})
			}
			s.seen = append(s.seen, g)
		}
	})
}

func (s *peopleSums) Merge(next *peopleSums) {
	for j, v := range next.sums {
		s.sums[j] += v
	}
	s.cut = append(s.cut, next.cut...)
}

// together counts those who were cut.
func (s *peopleSums) together() {
	slices.SortFunc(s.cut, func(a, b personIn) int { return cmp.Or(cmp.Compare(a.who, b.who), cmp.Compare(a.group, b.group)) })
	for _, c := range slices.Compact(s.cut) {
		s.Person(s.sums, int(c.group))
	}
	s.cut = nil
}

func (s *peopleSums) Code(c *Coder) {
	c.Name("sums of people 1")
	c.Same("places of a person", uint64(s.Each))
	c.Integers(s.sums)
	n := c.Count(len(s.cut), 16)
	if c.Reading {
		s.cut = make([]personIn, n)
	}
	for i, p := range s.cut {
		s.cut[i] = personIn{int64(c.Word(uint64(p.who))), int64(c.Word(uint64(p.group)))}
	}
}
