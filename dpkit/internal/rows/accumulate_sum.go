package rows

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/frames"
)

// FixedPoint maps the numbers of a column to integers, on a grid about the middle of its domain: a
// number at most half from it moves by at most 2^-50·half, and the integers of the domain are below 2^50 in size.
// Integers are summed and compared exactly.
type FixedPoint struct{ middle, scale float64 }

// fixedBits is the size of integers: those of the domain are below 2^50, all below 2^51.
const fixedBits = 50

// NewFixedPoint serves numbers at most half from the middle, half within [num.MinSize/2, num.MaxSize].
func NewFixedPoint(middle, half float64) FixedPoint {
	_, e := math.Frexp(half)
	return FixedPoint{middle, math.Ldexp(1, fixedBits-e)}
}

// Adding roundUp to a number below roundTo in size rounds it to an integer (ties to even), which
// then stands in the low bits of the sum.
const (
	roundTo = 1 << (fixedBits + 1)
	roundUp = 3 << (fixedBits + 1)
)

var roundUpBits = math.Float64bits(roundUp)

// Of returns the integer of x, which must be a number. What lies beyond 2^51 is cut off there: no
// step of this package leaves its domain by more than rounding.
func (f FixedPoint) Of(x float64) int64 {
	v := min(max((x-f.middle)*f.scale, 1-roundTo), roundTo-1)
	return int64(math.Float64bits(v+roundUp) - roundUpBits)
}

// Value is the inverse of Of, on the real line: of means and sums of integers too.
func (f FixedPoint) Value(v float64) float64 { return f.middle + v/f.scale }

// FixedSums counts and sums the observed cells of columns, exactly on their grids.
type FixedSums struct {
	columns []int        // positions in the row
	grid    []FixedPoint // of each of them
	Count   []int
	sum     []int128
}

// NewFixedSums sums columns on their grids.
func NewFixedSums(columns []int, grid []FixedPoint) *FixedSums {
	return &FixedSums{columns: columns, grid: grid, Count: make([]int, len(columns)), sum: make([]int128, len(columns))}
}

// stripRows is how many rows of a chunk are worked on at a time, column by column: they stay in
// the first-level cache.
const stripRows = 64

// eachStrip calls fn with at most stripRows rows of b at a time, without the empty ones.
func eachStrip(b *frames.Block, fn func(x []float64)) {
	EachRun(b, func(from, to int) {
		for ; from < to; from += stripRows {
			fn(b.X[from*b.Cols : min(from+stripRows, to)*b.Cols])
		}
	})
}

func (s *FixedSums) Add(b *frames.Block) {
	eachStrip(b, func(x []float64) { s.strip(x, b.Cols) })
}

// strip adds at most stripRows rows.
func (s *FixedSums) strip(x []float64, cols int) {
	for k, j := range s.columns {
		middle, scale := s.grid[k].middle, s.grid[k].scale
		var sum uint64 // of the bits: a strip's integers are below 2^57 in all
		n := 0
		for at := j; at < len(x); at += cols {
			v := (x[at] - middle) * scale
			if v > -roundTo && v < roundTo {
				sum += math.Float64bits(v + roundUp)
				n++
			} else if !math.IsNaN(v) {
				sum += uint64(s.grid[k].Of(x[at])) + roundUpBits
				n++
			}
		}
		s.sum[k].Add(int64(sum - uint64(n)*roundUpBits))
		s.Count[k] += n
	}
}

func (s *FixedSums) Merge(next *FixedSums) {
	for k := range s.columns {
		s.Count[k] += next.Count[k]
		s.sum[k].addWide(next.sum[k])
	}
}

func (s *FixedSums) Code(c *Coder) {
	c.Name("fixed-point sums 1")
	c.Bind("columns on their grids", s.columns, s.grid)
	c.counts(s.Count)
	c.wides(s.sum)
}

// Total returns the sum of column k of the list, from the middle of the column: off by at most
// 2^-50·half for each cell and 2^-51 of itself.
func (s *FixedSums) Total(k int) float64 { return s.sum[k].Float() / s.grid[k].scale }

// int128 is a signed integer of 128 bits, in two's complement.
type int128 struct{ hi, lo uint64 }

func (a *int128) Add(v int64) { a.addWide(int128{uint64(v >> 63), uint64(v)}) }

func (a *int128) addWide(b int128) {
	var carry uint64
	a.lo, carry = bits.Add64(a.lo, b.lo, 0)
	a.hi, _ = bits.Add64(a.hi, b.hi, carry)
}

// addTimes adds n·v, n ≥ 0.
func (a *int128) addTimes(n int, v int64) {
	hi, lo := bits.Mul64(uint64(n), uint64(v))
	if v < 0 {
		hi -= uint64(n) // two's complement of v was 2^64 too large
	}
	a.addWide(int128{hi, lo})
}

// Float returns the nearest numbers' sum, off by at most 2^-51 of itself.
func (a int128) Float() float64 {
	if int64(a.hi) < 0 {
		lo, borrow := bits.Sub64(0, a.lo, 0)
		hi, _ := bits.Sub64(0, a.hi, borrow)
		return -int128{hi, lo}.magnitude()
	}
	return a.magnitude()
}

func (a int128) magnitude() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }
