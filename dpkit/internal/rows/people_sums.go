package rows

import (
	"cmp"
	"context"
	"math"
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
	// Values are numbers of a row, which are added up by person and group, in the order of rows: Total adds those of somebody in a group. Both
	// or neither.
	Values []func(row []float64, y float64) float64
	Total  func(sums []int64, group int, of []float64)
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
	// Of the person at hand: the groups, and behind them their totals.
	seen   []int
	totals []float64
}

// Cells is how many numbers the sums take.
func (s *peopleSums) Cells() int { return len(s.sums) }

// personIn is a person, by number, who has a row in a group: the row's place, and its numbers where some are added up.
type personIn struct {
	who, group, place int64
	values            []float64
}

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
				s.person()
				who = at
				whole = who*s.Each >= b.First && (who+1)*s.Each <= b.First+b.Rows
			}
			g := s.Group(b.Row(i), y)
			if !whole {
				s.cutOff(who, g, b.First+i, b.Row(i), y)
				continue
			}
			at := slices.Index(s.seen, g)
			if at < 0 {
				at = len(s.seen)
				s.seen = append(s.seen, g)
				for range s.Values {
					s.totals = append(s.totals, 0)
				}
			}
			for k, value := range s.Values {
				s.totals[at*len(s.Values)+k] += value(b.Row(i), y)
			}
		}
	})
	s.person()
}

// cutOff keeps a row of somebody whom a block cuts. Where nothing is added up one row of a group is as good as several.
func (s *peopleSums) cutOff(who, group, place int, row []float64, y float64) {
	p := personIn{who: int64(who), group: int64(group)}
	if len(s.Values) > 0 {
		p.place = int64(place)
		for _, value := range s.Values {
			p.values = append(p.values, value(row, y))
		}
	} else if n := len(s.cut); n > 0 && s.cut[n-1].who == p.who && s.cut[n-1].group == p.group {
		return
	}
	s.cut = append(s.cut, p)
}

// person adds the person at hand, whose rows were all read, and begins another.
func (s *peopleSums) person() {
	k := len(s.Values)
	for i, g := range s.seen {
		if k > 0 {
			s.Total(s.sums, g, s.totals[i*k:(i+1)*k])
		} else {
			s.Person(s.sums, g)
		}
	}
	s.seen, s.totals = s.seen[:0], s.totals[:0]
}

func (s *peopleSums) Merge(next *peopleSums) {
	for j, v := range next.sums {
		s.sums[j] += v
	}
	s.cut = append(s.cut, next.cut...)
}

// together counts those who were cut: their rows in order, as if no block had cut them.
func (s *peopleSums) together() {
	slices.SortFunc(s.cut, func(a, b personIn) int {
		return cmp.Or(cmp.Compare(a.who, b.who), cmp.Compare(a.group, b.group), cmp.Compare(a.place, b.place))
	})
	for i, c := range s.cut {
		if i > 0 && s.cut[i-1].who != c.who {
			s.person()
		}
		if n := len(s.seen); n == 0 || s.seen[n-1] != int(c.group) {
			s.seen = append(s.seen, int(c.group))
			s.totals = append(s.totals, make([]float64, len(s.Values))...)
		}
		last := s.totals[len(s.totals)-len(s.Values):]
		for k, v := range c.values {
			last[k] += v
		}
	}
	s.person()
	s.cut = nil
}

func (s *peopleSums) Code(c *Coder) {
	words := 2
	if k := len(s.Values); k > 0 {
		c.Name("totals of people 1")
		c.Same("numbers of a row", uint64(k))
		words += 1 + k
	} else {
		c.Name("sums of people 1")
	}
	c.Same("places of a person", uint64(s.Each))
	c.Integers(s.sums)
	n := c.Count(len(s.cut), 8*words)
	if c.Reading {
		s.cut = make([]personIn, n)
	}
	for i, p := range s.cut {
		p.who, p.group = int64(c.Word(uint64(p.who))), int64(c.Word(uint64(p.group)))
		if len(s.Values) > 0 {
			p.place = int64(c.Word(uint64(p.place)))
			if c.Reading {
				p.values = make([]float64, len(s.Values))
			}
			for k, v := range p.values {
				p.values[k] = math.Float64frombits(c.Word(math.Float64bits(v)))
			}
		}
		s.cut[i] = p
	}
}
