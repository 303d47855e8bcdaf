package rows

import (
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// GridSum sums the outer products of rows, Σ x·xᵀ, each product rounded to a public grid: the same bits in any order of rows. See
// [linalg.GridGram].
type GridSum struct {
	Sum *linalg.GridGram
	Err error // the first one; what follows it does nothing
}

// NewGridSum is the empty sum of rows of d numbers and norm at most r but for rounding. Where [linalg.NewGridGram] refuses d, Err is set, and
// [GridSum.Total] returns it.
func NewGridSum(d int, r float64) *GridSum {
	sum, err := linalg.NewGridGram(d, inRange(r*overNorm))
	return &GridSum{sum, err}
}

// overNorm is by how much rounding may lead rows beyond their bound.
const overNorm = 1 + 0x1p-30

// inRange leaves a bound in the range of grids, which holds those of [pair.State.R] by far: prices are in units of R², and would not cover what a grid
// for larger numbers rounds. Where rows are smaller or larger, they are zeros, or cut off.
func inRange(r float64) float64 { return min(max(r, 1e-100), 1e100) }

func (g *GridSum) Add(b *frames.Block) {
	EachRun(b, func(from, to int) { g.Take(b.X[from*b.Cols:to*b.Cols], to-from, b.Cols) })
}

// Take adds n rows of d numbers.
func (g *GridSum) Take(x []float64, n, d int) {
	if g.Err == nil {
		g.Err = g.Sum.Add(x, n, d)
	}
}

func (g *GridSum) Merge(next *GridSum) {
	if g.Err = errors.Join(g.Err, next.Err); g.Err == nil {
		g.Err = g.Sum.Merge(next.Sum)
	}
}

func (g *GridSum) Code(c *Coder) {
	c.Name("outer products on a grid 1")
	c.Grid(g)
}

// Total is the sum as a row-major d×d matrix; below its diagonal are zeros.
func (g *GridSum) Total(d int) ([]float64, error) {
	if g.Err != nil {
		return nil, g.Err
	}
	out := make([]float64, d*d)
	return out, g.Sum.Upper(out)
}

// Grid codes a sum of outer products on a grid.
func (c *Coder) Grid(g *GridSum) {
	if g.Err != nil && c.Err == nil {
		c.Err = g.Err
	}
	if c.Err != nil {
		return
	}
	if c.Reading {
		if err := g.Sum.UnmarshalBinary(c.take(c.Count(0, 1))); err != nil {
			c.Refuse("got another sum of outer products, want one of as many columns on the same grid")
		}
		return
	}
	raw := g.Sum.AppendBinary(nil)
	c.Count(len(raw), 1)
	c.b = append(c.b, raw...)
}

// TermSums sums lists of numbers of size at most a public bound, each rounded to a grid of 2^-50 of the power of two above that: integers, the
// same in any order. A number is off by at most 2^-50·bound, a sum by 2^-51 of itself too.
type TermSums struct {
	scale float64
	part  []uint64 // sums of bits since the last flush
	lists int      // in part, as bits of numbers to which roundUp was added
	few   int      // in part, without those of roundUp
	sums  []int128
}

// NewTermSums is the empty sum of lists of so many numbers, of size at most bound but for rounding.
func NewTermSums(width int, bound float64) *TermSums {
	_, e := math.Frexp(inRange(bound * overNorm))
	return &TermSums{scale: math.Ldexp(1, fixedBits-e), part: make([]uint64, width), sums: make([]int128, width)}
}

// mostLists is how many integers below 2^51 an int64 sums, with room.
const mostLists = 1 << 10

// AddTimes adds f·x.
func (s *TermSums) AddTimes(f float64, x []float64) {
	f *= s.scale
	for j, v := range x {
		s.part[j] += math.Float64bits(float64(f*v) + roundUp)
	}
	s.lists++
	s.flushFull()
}

// AddTimesAt is [TermSums.AddTimes] of numbers x at those places, and 0 at all others.
func (s *TermSums) AddTimesAt(f float64, places []int32, x []float64) {
	f *= s.scale
	for i, j := range places {
		s.part[j] += math.Float64bits(float64(f*x[i])+roundUp) - roundUpBits
	}
	s.few++
	s.flushFull()
}

func (s *TermSums) flushFull() {
	if s.lists+s.few == mostLists {
		s.flush()
	}
}

func (s *TermSums) flush() {
	off := uint64(s.lists) * roundUpBits
	for j, v := range s.part {
		s.sums[j].Add(int64(v - off))
	}
	clear(s.part)
	s.lists, s.few = 0, 0
}

// Merge adds the lists of next.
func (s *TermSums) Merge(next *TermSums) {
	s.flush()
	next.flush()
	for j, v := range next.sums {
		s.sums[j].addWide(v)
	}
}

// Sum is that of the j-th numbers.
func (s *TermSums) Sum(j int) float64 {
	s.flush()
	return s.sums[j].Float() / s.scale
}

// Terms codes sums on a grid.
func (c *Coder) Terms(s *TermSums) {
	s.flush()
	c.Same("grid", math.Float64bits(s.scale))
	c.wides(s.sums)
}
