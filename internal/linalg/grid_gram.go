package linalg

import (
	"encoding/binary"
	"fmt"
	"math"
)

// GridGram sums the outer products of rows of bounded numbers, XᵀX, each product rounded to a grid: integers, so that the sum has the
// same bits whatever the order of the rows, however they were parted into sums that merged, and on every processor.
//
// The grid is public: g is 2^-44 of the power of two above bound². A product is rounded where it is added: the accumulator of a tile begins at
// M = 1.5·2^52·g, and as 128 products are below 2^51·g in all, it stays where float64 has steps of g (Demmel, Nguyen 2013, "Fast reproducible
// floating-point summation", on one level). So fl(s + xy) = s + q, and q, the multiple of g nearest to xy, does not hang on s but where xy
// lies in the middle of two, from which ties to even would choose by s. No product does: numbers are added with the last bit of their significand set, so
// that the last bit of the exact product is 2^-104 of its size, and far below g/2; and the fused multiplication rounds once.
//
// Entry (j, k) is off by at most (g/2)·m + 2^-51·Σ|x_ij·x_ik| for the m rows in which neither number is 0: see [GridGramRounding].
type GridGram struct {
	isa    isa
	cols   int
	ld     int
	unit   float64   // g
	bound  float64   // of numbers
	panel  []float64 // of rows of ld, PanelRows of them once so many were there
	rows   int       // in the panel
	leaf   []float64 // ld×ld, on and above the diagonal: multiples of g
	panels int       // in the leaf
	low    []int64   // of packed entries, in steps of g: high·2^32 + low
	high   []int64
	leaves int // since low was carried to high
}

const (
	gridBits   = 44
	gridPanels = 4      // 512 products are at most 2^53·g
	gridLeaves = 1 << 9 // each at most 2^53
)

// NewGridGram is the empty sum for rows of cols numbers of size at most bound, a positive number in [1e-100, 1e100]. Beyond it
// numbers count as ±bound, and NaN as 0. The error wraps [ErrShape].
func NewGridGram(cols int, bound float64) (*GridGram, error) {
	if cols < 1 || cols > mostColumns || !(bound >= 1e-100) || !(bound <= 1e100) {
		return nil, fmt.Errorf("linalg: Gram matrix on a grid: got %d columns of size at most %g, want 1 to %d, in [1e-100, 1e100]: %w", cols, bound, mostColumns, ErrShape)
	}
	ld := paddedRow(cols)
	packed := cols * (cols + 1) / 2
	return &GridGram{
		isa: active, cols: cols, ld: ld, unit: gridOf(bound), bound: bound,
		leaf: make([]float64, ld*ld), low: make([]int64, packed), high: make([]int64, packed),
	}, nil
}

// gridOf is g: bound² with room for the last bits is below 2^44·g.
func gridOf(bound float64) float64 {
	_, e := math.Frexp(bound * bound * (1 + 0x1p-40))
	return math.Ldexp(1, e-gridBits)
}

// GridGramRounding bounds what rounding does to the sum of n rows of norm at most bound and d numbers: its Frobenius norm is off by at most
// GridGramRounding(d)·n·bound², where sums are read as float64 too. (g/2)·d ≤ 2^-44·d·bound²·(1 + 2^-39), and a last bit that is set moves a
// number by 2^-52 of itself: ‖xxᵀ − x̂x̂ᵀ‖_F ≤ 2^-51·(1 + 2^-52)·‖x‖².
func GridGramRounding(d int) float64 { return float64(d)*(0x1p-44*(1+0x1p-38)) + 0x1p-50 }

// Add takes in rows of a row-major matrix whose rows are stride numbers apart. The error wraps [ErrShape].
func (s *GridGram) Add(x []float64, rows, stride int) error {
	if err := matrixShape("Gram matrix on a grid", len(x), rows, s.cols, stride); err != nil {
		return err
	}
	for rows > 0 {
		n := min(rows, PanelRows-s.rows)
		s.panel = roomy(s.panel, s.rows, n, s.ld)
		s.isa.oddRows(n, s.cols, x, stride, s.panel[s.rows*s.ld:], s.ld, s.bound)
		if s.rows += n; s.rows == PanelRows {
			s.flush()
		}
		if rows -= n; rows > 0 {
			x = x[n*stride:]
		}
	}
	return nil
}

// flush ends the panel that is under way.
func (s *GridGram) flush() {
	if s.rows == 0 {
		return
	}
	multiplyPanel(s.isa, s.panel, s.rows, s.cols, s.leaf, s.ld, 0x1.8p52*s.unit)
	s.rows = 0
	if s.panels++; s.panels == gridPanels {
		s.spill()
	}
}

// spill adds the leaf to the integers.
func (s *GridGram) spill() {
	if s.panels == 0 {
		return
	}
	inverse, at := 1/s.unit, 0
	for i := range s.cols {
		row := s.leaf[i*s.ld+i : i*s.ld+s.cols]
		to := s.low[at : at+len(row)]
		for j, v := range row {
			to[j] += int64(v * inverse)
		}
		at += len(row)
	}
	clear(s.leaf)
	s.panels = 0
	if s.leaves++; s.leaves == gridLeaves {
		s.carry()
	}
}

// carry leaves 32 bits in the low integers.
func (s *GridGram) carry() {
	s.leaves = 0
	for i, v := range s.low {
		s.high[i] += v >> 32
		s.low[i] = v & (1<<32 - 1)
	}
}

// whole ends all that is under way.
func (s *GridGram) whole() {
	s.flush()
	s.spill()
	s.carry()
}

// Merge adds the rows of next. The error wraps [ErrShape].
func (s *GridGram) Merge(next *GridGram) error {
	if s == next || s.cols != next.cols || s.unit != next.unit {
		return fmt.Errorf("linalg: Gram matrix on a grid: merge of %d columns into %d, want two sums of the same number on the same grid: %w", next.cols, s.cols, ErrShape)
	}
	s.whole()
	next.whole()
	for i := range s.low {
		s.low[i] += next.low[i]
		s.high[i] += next.high[i]
	}
	s.carry()
	return nil
}

// Upper writes the sum on and above the diagonal of the row-major cols×cols matrix dst, nothing below. An entry is the number nearest to
// the exact sum of its products on the grid. The error wraps [ErrShape].
func (s *GridGram) Upper(dst []float64) error {
	if err := square("Gram matrix", dst, s.cols); err != nil {
		return err
	}
	s.whole()
	at := 0
	for i := range s.cols {
		for j := i; j < s.cols; j++ {
			dst[i*s.cols+j] = (float64(s.high[at])*0x1p32 + float64(s.low[at])) * s.unit // the product is exact: 2^40 rows are below 2^53 there
			at++
		}
	}
	return nil
}

// AppendBinary appends the sum. Equal sums are written alike.
func (s *GridGram) AppendBinary(b []byte) []byte {
	s.whole()
	b = binary.LittleEndian.AppendUint64(b, uint64(s.cols))
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(s.unit))
	for i := range s.low {
		b = binary.LittleEndian.AppendUint64(b, uint64(s.high[i]))
		b = binary.LittleEndian.AppendUint32(b, uint32(s.low[i]))
	}
	return b
}

// UnmarshalBinary replaces the sum by one that AppendBinary wrote, of the same number of columns on the same grid. The error wraps
// [ErrShape]; the sum is then as it was.
func (s *GridGram) UnmarshalBinary(b []byte) error {
	const head, entry = 16, 12
	if len(b) != head+entry*len(s.low) || binary.LittleEndian.Uint64(b) != uint64(s.cols) || binary.LittleEndian.Uint64(b[8:]) != math.Float64bits(s.unit) {
		return fmt.Errorf("linalg: Gram matrix on a grid: got another sum, want what AppendBinary wrote of %d columns on the same grid: %w", s.cols, ErrShape)
	}
	b = b[head:]
	s.rows, s.panels, s.leaves = 0, 0, 0
	clear(s.leaf)
	for i := range s.low {
		s.high[i] = int64(binary.LittleEndian.Uint64(b[entry*i:]))
		s.low[i] = int64(binary.LittleEndian.Uint32(b[entry*i+8:]))
	}
	return nil
}
