package linalg

import (
	"fmt"
	"math"
	"math/bits"
)

// PackedShape says what rows can be packed: of which columns the cells are 0 or the one size that all cells of the row have there, such as those of
// one-hot blocks. It is public.
type PackedShape struct {
	cols   int
	width  int     // bytes of a row's mask: one for a group of eight columns
	groups []uint8 // two for a group: which of its columns have numbers, and how many bytes its cells take
	mixed  []int   // groups that have numbers
	sized  int     // groups up to the last one with a sized column
}

// NewPackedShape is the shape of rows with a column for each of sized, which says whether its cells are 0 or the row's size.
func NewPackedShape(sized []bool) *PackedShape {
	s := &PackedShape{cols: len(sized), width: (len(sized) + 7) / 8}
	s.groups = make([]uint8, 2*s.width)
	for j, is := range sized {
		if is {
			s.sized = j/8 + 1
			continue
		}
		if g := j / 8; s.groups[2*g] == 0 {
			s.mixed = append(s.mixed, g)
			s.groups[2*g+1] = 8 * 8
		}
		s.groups[j/8*2] |= 1 << (j % 8)
	}
	return s
}

// Pays reports whether rows of the shape take less time packed than in a matrix, as far as is public: where the processor has the kernels,
// and the memory is less than half.
func (s *PackedShape) Pays() bool {
	return active == avx512 && 2*(8*8*len(s.mixed)+8+s.width) <= 8*s.cols
}

// Packed are rows of a [PackedShape], in the memory of their numbers, a bit for each other cell, and its size. What is read of them are the rows
// themselves, bit by bit, and all that is computed of them has the bits that it has of a matrix.
type Packed struct {
	shape *PackedShape
	rows  int
	masks []uint8   // width bytes a row, and one that is read beside the last: cell j is bit j mod 8 of byte j/8, and unset for numbers
	sizes []float64 // by row
	cells []float64 // of the groups that have numbers, row by row: eight, with 0 in the place of sized ones
}

// Pack packs the rows of a row-major matrix. It reports false where a row has two sizes, or one that is −0.
func (s *PackedShape) Pack(x []float64) (p *Packed, ok bool, err error) {
	if s.cols < 1 || len(x)%s.cols != 0 {
		return nil, false, fmt.Errorf("linalg: rows to pack: got %d cells of %d columns, want whole rows: %w", len(x), s.cols, ErrShape)
	}
	rows, d := len(x)/s.cols, 8*len(s.mixed)
	p = &Packed{shape: s, rows: rows, masks: make([]uint8, rows*s.width+1), sizes: make([]float64, rows), cells: make([]float64, rows*d)}
	for i := range rows {
		row := x[i*s.cols : (i+1)*s.cols]
		size, all := uint64(0), ^uint64(0) // the bits that some, and all, of the sized cells have that are not 0
		for v := range s.width {
			cells, m := row[8*v:min(8*v+8, s.cols)], uint8(0)
			for j, c := range cells {
				b := math.Float64bits(c)
				there := uint64(int64(b|-b) >> 63) // all bits, unless b is 0: where ones are is not to be guessed
				if numbers := s.groups[2*v]; numbers != 0 && numbers>>j&1 == 1 {
					continue
				}
				size |= b
				all &= b | ^there
				m |= uint8(there) & (1 << j)
			}
			p.masks[i*s.width+v] = m
		}
		if size != 0 && size != all {
			return nil, false, nil
		}
		p.sizes[i] = math.Float64frombits(size)
		for k, g := range s.mixed {
			cells := p.cells[i*d+8*k:][:8]
			for m := s.groups[2*g]; m != 0; m &= m - 1 {
				j := bits.TrailingZeros8(m)
				cells[j] = row[8*g+j]
			}
		}
	}
	return p, true, nil
}

// Rows is how many there are.
func (p *Packed) Rows() int { return p.rows }

// Expand writes the rows from..to, one behind the other, to dst. The error wraps [ErrShape].
func (p *Packed) Expand(dst []float64, from, to int) error {
	s := p.shape
	if err := p.within(from, to, len(dst) == (to-from)*s.cols); err != nil {
		return err
	}
	clear(dst)
	d := 8 * len(s.mixed)
	for i := from; i < to; i++ {
		row := dst[(i-from)*s.cols:][:s.cols]
		for k, g := range s.mixed {
			copy(row[8*g:], p.cells[i*d+8*k:][:8])
		}
		for v, m := range p.masks[i*s.width : (i+1)*s.width] {
			for ; m != 0; m &= m - 1 {
				row[8*v+bits.TrailingZeros8(m)] = p.sizes[i]
			}
		}
	}
	return nil
}

// Row writes the cells of the i-th row that may not be 0, and their columns, in order, and returns how many there are; both have room for all columns.
func (p *Packed) Row(i int, columns []int32, cells []float64) int {
	s, n, k := p.shape, 0, i*8*len(p.shape.mixed)
	size := p.sizes[i]
	for v, m := range p.masks[i*s.width : (i+1)*s.width] {
		numbers := s.groups[2*v]
		if numbers == 0 {
			for ; m != 0; m &= m - 1 {
				columns[n], cells[n] = int32(8*v+bits.TrailingZeros8(m)), size
				n++
			}
			continue
		}
		group := p.cells[k : k+8]
		k += 8
		for m |= numbers; m != 0; m &= m - 1 {
			j := bits.TrailingZeros8(m)
			columns[n], cells[n] = int32(8*v+j), size
			if numbers>>j&1 == 1 {
				cells[n] = group[j]
			}
			n++
		}
	}
	return n
}

func (p *Packed) within(from, to int, fits bool) error {
	if from < 0 || to < from || to > p.rows || !fits {
		return fmt.Errorf("linalg: packed rows: got rows %d to %d of %d with other lengths than theirs: %w", from, to, p.rows, ErrShape)
	}
	return nil
}

// PackedWork is memory that what is computed of packed rows uses again. Its zero value is ready.
type PackedWork struct {
	numbers []float64
	sums    []int64
}

func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

// Margins is [Margins] of all rows.
func (p *Packed) Margins(margins, squares, w []float64, work *PackedWork) error {
	s := p.shape
	if err := p.within(0, p.rows, len(margins) == p.rows && (squares == nil || len(squares) == p.rows) && len(w) == s.cols); err != nil {
		return err
	}
	if active == avx512 && squares == nil && p.rows > 0 && finite(w) { // 0 times others is NaN
		work.numbers = grown(work.numbers, 8*s.width)
		clear(work.numbers[copy(work.numbers, w):])
		active.dotPacked(p, work.numbers, margins)
		return nil
	}
	return p.strips(work, func(x []float64, from, to int) error {
		var of []float64
		if squares != nil {
			of = squares[from:to]
		}
		return Margins(margins[from:to], of, x, to-from, s.cols, s.cols, w)
	})
}

// strips hands out the rows, expanded.
func (p *Packed) strips(work *PackedWork, fn func(x []float64, from, to int) error) error {
	size := BlockRows(p.shape.cols)
	work.numbers = grown(work.numbers, min(size, p.rows)*p.shape.cols)
	for from := 0; from < p.rows; from += size {
		to := min(from+size, p.rows)
		x := work.numbers[:(to-from)*p.shape.cols]
		if err := p.Expand(x, from, to); err != nil {
			return err
		}
		if err := fn(x, from, to); err != nil {
			return err
		}
	}
	return nil
}

func finite(w []float64) bool {
	for _, v := range w {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return false
		}
	}
	return true
}

// AddRounded is [AddRounded] of all rows.
func (p *Packed) AddRounded(sums []int64, f []float64, work *PackedWork) error {
	s := p.shape
	if err := p.within(0, p.rows, len(sums) == s.cols && len(f) == p.rows); err != nil || p.rows == 0 {
		return err
	}
	if active != avx512 {
		return p.strips(work, func(x []float64, from, to int) error {
			return AddRounded(sums, x, to-from, s.cols, s.cols, f[from:to])
		})
	}
	d := 8 * len(s.mixed)
	work.sums = grown(work.sums, 8*s.width+d+p.rows)
	sized, numbers, products := work.sums[:8*s.width], work.sums[8*s.width:][:d], work.sums[8*s.width+d:]
	clear(sized)
	clear(numbers)
	active.addPacked(p, sized, products, f)
	if d > 0 {
		active.addRoundedRows(p.rows, d, p.cells, d, f, numbers)
	}
	for j := range sums {
		sums[j] += sized[j]
	}
	for k, g := range s.mixed {
		for j := range sums[8*g : min(8*g+8, s.cols)] {
			sums[8*g+j] += numbers[8*k+j]
		}
	}
	return nil
}
