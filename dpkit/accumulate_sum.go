package dpkit

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/frames"
)

// fixedPoint maps the numbers of a column to integers, on a grid about the middle of its domain: a
// number at most half from it moves by at most 2^-50·half, and the integers of the domain are below 2^50 in size.
// Integers are summed and compared exactly.
type fixedPoint struct{ middle, scale float64 }

// fixedBits is the size of integers: those of the domain are below 2^50, all below 2^51.
const fixedBits = 50

// newFixedPoint serves numbers at most half from the middle, half within [minSize/2, maxSize].
func newFixedPoint(middle, half float64) fixedPoint {
	_, e := math.Frexp(half)
	return fixedPoint{middle, math.Ldexp(1, fixedBits-e)}
}

// Adding roundUp to a number below roundTo in size rounds it to an integer (ties to even), which
// then stands in the low bits of the sum.
const (
	roundTo = 1 << (fixedBits + 1)
	roundUp = 3 << (fixedBits + 1)
)

var roundUpBits = math.Float64bits(roundUp)

// of returns the integer of x, which must be a number. What lies beyond 2^51 is cut off there: no
// step of this package leaves its domain by more than rounding.
func (f fixedPoint) of(x float64) int64 {
	v := min(max((x-f.middle)*f.scale, 1-roundTo), roundTo-1)
	return int64(math.Float64bits(v+roundUp) - roundUpBits)
}

// value is the inverse of of.
func (f fixedPoint) value(v float64) float64 { return f.middle + v/f.scale }

// fixedSums counts and sums the observed cells of columns, exactly on their grids.
type fixedSums struct {
	columns []int        // positions in the row
	grid    []fixedPoint // of each of them
	count   []int
	sum     []int128
}

// newFixedSums sums columns on their grids.
func newFixedSums(columns []int, grid []fixedPoint) *fixedSums {
	return &fixedSums{columns: columns, grid: grid, count: make([]int, len(columns)), sum: make([]int128, len(columns))}
}

// stripRows is how many rows of a chunk are worked on at a time, column by column: they stay in
// the first-level cache.
const stripRows = 64

// eachStrip calls fn with at most stripRows rows of b at a time, without the empty ones.
func eachStrip(b *frames.Block, fn func(x []float64)) {
	eachRun(b, func(from, to int) {
		for ; from < to; from += stripRows {
			fn(b.X[from*b.Cols : min(from+stripRows, to)*b.Cols])
		}
	})
}

func (s *fixedSums) add(b *frames.Block) {
	eachStrip(b, func(x []float64) { s.strip(x, b.Cols) })
}

// strip adds at most stripRows rows.
func (s *fixedSums) strip(x []float64, cols int) {
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
				sum += uint64(s.grid[k].of(x[at])) + roundUpBits
				n++
			}
		}
		s.sum[k].add(int64(sum - uint64(n)*roundUpBits))
		s.count[k] += n
	}
}

func (s *fixedSums) merge(next *fixedSums) {
	for k := range s.columns {
		s.count[k] += next.count[k]
		s.sum[k].addWide(next.sum[k])
	}
}

func (s *fixedSums) code(c *coder) {
	c.name("fixed-point sums 1")
	c.counts(s.count)
	c.wides(s.sum)
}

// total returns the sum of column k of the list, from the middle of the column: off by at most
// 2^-50·half for each cell and 2^-51 of itself.
func (s *fixedSums) total(k int) float64 { return s.sum[k].float() / s.grid[k].scale }

// int128 is a signed integer of 128 bits, in two's complement.
type int128 struct{ hi, lo uint64 }

func (a *int128) add(v int64) { a.addWide(int128{uint64(v >> 63), uint64(v)}) }

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

// float returns the nearest numbers' sum, off by at most 2^-51 of itself.
func (a int128) float() float64 {
	if int64(a.hi) < 0 {
		lo, borrow := bits.Sub64(0, a.lo, 0)
		hi, _ := bits.Sub64(0, a.hi, borrow)
		return -int128{hi, lo}.magnitude()
	}
	return a.magnitude()
}

func (a int128) magnitude() float64 { return float64(a.hi)*0x1p64 + float64(a.lo) }
