package linalg

import (
	"fmt"
	"math"
	"slices"
)

// Packed are rows of a [PackedShape], in the memory of their numbers, of the one size that their set cells have, and of a cell for each group of blocks.
// A row that is no such row, of two sizes or with two cells of a block, is odd and held as it is. What is read of them are the rows themselves, bit by bit.
type Packed struct {
	shape   *PackedShape
	rows    int
	ld      int       // rows, rounded up to whole vectors
	sizes   []float64 // by row; 0 of odd ones, as all of the next two
	codes   []uint16  // by group and row
	numbers []float64 // by number and row
	odd     []int     // rows
	cells   []float64 // theirs
}

// Pack packs rows, stride numbers apart; into, which may be nil, is used again. The error wraps [ErrShape].
func (s *PackedShape) Pack(x []float64, rows, stride int, into *Packed, work *PackedWork) (*Packed, error) {
	if err := matrixShape("rows to pack", len(x), rows, s.cols, stride); err != nil {
		return nil, err
	}
	p := into
	if p == nil {
		p = &Packed{}
	}
	p.shape, p.rows, p.ld = s, rows, (rows+7)&^7
	p.sizes, p.numbers = cleared(p.sizes, p.ld), cleared(p.numbers, p.ld*len(s.numbers))
	p.codes = cleared(p.codes, p.ld*max(len(s.groups), 1))
	p.odd, p.cells = p.odd[:0], p.cells[:0]
	if rows == 0 {
		return p, nil
	}
	for from := 0; from < rows; from += packedAtOnce {
		p.pack(x, stride, from, min(from+packedAtOnce, rows), work)
	}
	if into == nil { // which is kept
		p.odd, p.cells = slices.Clone(p.odd), slices.Clone(p.cells)
	}
	return p, nil
}

// packedAtOnce is how many rows are packed at a time, which are then in a first-level cache.
const packedAtOnce = 32

// pack packs rows from..to of x.
func (p *Packed) pack(x []float64, stride, from, to int, work *PackedWork) {
	s, n := p.shape, to-from
	x = x[from*stride:]
	work.found = grown(work.found, n*max(len(s.parts), 1))
	of := work.found[:n] // all parts
	if len(s.parts) == 0 {
		clear(of)
	}
	for k, part := range s.parts {
		found := work.found[k*n:][:n]
		active.packRows(x, stride, part, found)
		for g := k * partGroups; g < min((k+1)*partGroups, len(s.groups)); g++ {
			codes, shift := p.codesOf(g)[from:to], codeBits*(g%partGroups)
			for i := range codes {
				codes[i] = uint16(found[i].codes >> shift)
			}
		}
		if k > 0 {
			for i, f := range found {
				of[i].either, of[i].both, of[i].more = of[i].either|f.either, of[i].both&f.both, of[i].more|f.more
			}
		}
	}
	for k, j := range s.numbers {
		numbers := p.numbers[k*p.ld:][from:to]
		for i := range numbers {
			numbers[i] = x[j]
			j += stride
		}
	}
	sizes := p.sizes[from:to]
	for i := range of {
		f := &of[i]
		if f.more == 0 && (f.either == 0 || f.either == f.both) {
			sizes[i] = math.Float64frombits(f.either)
			continue
		}
		p.odd, p.cells = append(p.odd, from+i), append(p.cells, x[i*stride:][:s.cols]...)
		for g := range s.groups {
			p.codesOf(g)[from+i] = 0
		}
		for k := range s.numbers {
			p.numbers[k*p.ld+from+i] = 0
		}
	}
}

// Rows is how many there are.
func (p *Packed) Rows() int { return p.rows }

// Shape is the shape of the rows.
func (p *Packed) Shape() *PackedShape { return p.shape }

// Odd is how many rows are held as they are.
func (p *Packed) Odd() int { return len(p.odd) }

// Expand writes the rows from..to, one behind the other, to dst. The error wraps [ErrShape].
func (p *Packed) Expand(dst []float64, from, to int) error {
	s := p.shape
	if err := p.within(from, to, len(dst) == (to-from)*s.cols); err != nil {
		return err
	}
	clear(dst)
	for k, j := range s.numbers {
		for i, v := range p.numbers[k*p.ld+from : k*p.ld+to] {
			dst[i*s.cols+j] = v
		}
	}
	for k := range s.groups {
		g := &s.groups[k]
		for i, code := range p.codesOf(k)[from:to] {
			for _, j := range g.at(code) {
				if j >= 0 {
					dst[i*s.cols+int(j)] = p.sizes[from+i]
				}
			}
		}
	}
	for k, i := range p.odd {
		if from <= i && i < to {
			copy(dst[(i-from)*s.cols:][:s.cols], p.cells[k*s.cols:])
		}
	}
	return nil
}

// at are the columns that are set in a cell, or −1, by place.
func (g *packedGroup) at(cell uint16) []int32 {
	n := len(g.blocks)
	return g.levels[int(cell)*n:][:n]
}

// Row writes the cells of the i-th row that may not be 0, and their columns, in order, and returns how many there are; both have room for all columns.
func (p *Packed) Row(i int, columns []int32, cells []float64) int {
	s, n := p.shape, 0
	if len(p.odd) > 0 {
		if k, odd := slices.BinarySearch(p.odd, i); odd {
			for j := range s.cols {
				columns[j] = int32(j)
			}
			return copy(cells, p.cells[k*s.cols:][:s.cols])
		}
	}
	size := p.sizes[i]
	for _, slot := range s.slots {
		if slot < 0 {
			columns[n], cells[n] = int32(s.numbers[^slot]), p.numbers[^slot*p.ld+i]
			n++
			continue
		}
		b := &s.blocks[slot]
		if j := s.groups[b.group].at(p.codesOf(b.group)[i])[b.place]; j >= 0 {
			columns[n], cells[n] = j, size
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
	rounded []int64
	found   []packedRow
}

func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}

func cleared[T any](x []T, n int) []T {
	x = grown(x, n)
	clear(x)
	return x
}

// Margins writes the inner products of all rows with w, and adds plus. Each is off by at most γ_cols times the sum of its terms' magnitudes, and has the
// same bits on every processor, but those of odd rows, which are of [Margins], as all are where w is not finite: of others they are
//
//	size·((Σ_{j set in group 1} w_j) + (Σ_{j set in group 2} w_j) + …) + x_{n1}·w_{n1} + x_{n2}·w_{n2} + … + plus
//
// from left to right, products with numbers fused.
func (p *Packed) Margins(margins []float64, w *PackedWeights, plus float64, work *PackedWork) error {
	s := p.shape
	if err := p.within(0, p.rows, len(margins) == p.rows && len(w.w) == s.cols && w.shape == s); err != nil || p.rows == 0 {
		return err
	}
	if !w.finite { // 0 times others is NaN
		err := p.strips(work, func(x []float64, from, to int) error {
			return Margins(margins[from:to], nil, x, to-from, s.cols, s.cols, w.w)
		})
		for i := range margins {
			margins[i] += plus
		}
		return err
	}
	p.setWeights(margins, w.tables)
	active.dotColumns(p.ld, p.numbers, w.rest, p.sizes, margins, plus)
	if len(p.odd) > 0 {
		work.numbers = grown(work.numbers, len(p.odd))
		active.dotRows(len(p.odd), s.cols, p.cells, s.cols, w.w, work.numbers)
		for k, i := range p.odd {
			margins[i] = work.numbers[k] + plus
		}
	}
	return nil
}

// setWeights writes the sums of what tables have at the cells of each row.
func (p *Packed) setWeights(to []float64, tables [][]float64) {
	k := 0
	switch len(tables) {
	case 0:
		clear(to)
	case 1:
		t, c := tables[0], p.codesOf(0)[:len(to)]
		for i := range to {
			to[i] = t[c[i]]
		}
		k = 1
	case 2:
		t, u, c, d := tables[0], tables[1], p.codesOf(0)[:len(to)], p.codesOf(1)[:len(to)]
		for i := range to {
			to[i] = t[c[i]] + u[d[i]]
		}
		k = 2
	default:
		t, u, v := tables[0], tables[1], tables[2]
		c, d, e := p.codesOf(0)[:len(to)], p.codesOf(1)[:len(to)], p.codesOf(2)[:len(to)]
		for i := range to {
			to[i] = t[c[i]] + u[d[i]] + v[e[i]]
		}
		k = 3
	}
	for ; k < len(tables); k++ {
		t, c := tables[k], p.codesOf(k)[:len(to)]
		for i := range to {
			to[i] += t[c[i]]
		}
	}
}

// codesOf are the cells of a group, by row.
func (p *Packed) codesOf(k int) []uint16 { return p.codes[k*p.ld:][:p.ld] }

// Squares writes the squared norms of all rows, with the bits of [Margins].
func (p *Packed) Squares(squares []float64, work *PackedWork) error {
	if err := p.within(0, p.rows, len(squares) == p.rows); err != nil {
		return err
	}
	s := p.shape
	zero, margins := make([]float64, s.cols), make([]float64, p.rows)
	return p.strips(work, func(x []float64, from, to int) error {
		return Margins(margins[from:to], squares[from:to], x, to-from, s.cols, s.cols, zero)
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

// AddRounded is [AddRounded] of all rows.
func (p *Packed) AddRounded(sums *PackedSums, f []float64, work *PackedWork) error {
	s := p.shape
	if err := p.within(0, p.rows, sums.shape == s && len(f) == p.rows); err != nil || p.rows == 0 {
		return err
	}
	if len(s.groups) > 0 {
		work.rounded = grown(work.rounded, p.rows)
		active.roundProducts(work.rounded, f, p.sizes)
		p.addRounded(sums.tables, work.rounded)
	}
	for k, j := range s.numbers {
		sums.rest[j] += active.sumRounded(f, p.numbers[k*p.ld:][:p.ld], 8)
	}
	if len(p.odd) > 0 {
		work.numbers = grown(work.numbers, len(p.odd))
		for k, i := range p.odd {
			work.numbers[k] = f[i]
		}
		active.addRoundedRows(len(p.odd), s.cols, p.cells, s.cols, work.numbers, sums.rest)
	}
	return nil
}

// addRounded adds a number for each row to its cells. Three groups at a time: a sum that is needed again at once is not there yet.
func (p *Packed) addRounded(tables [][]int64, r []int64) {
	k := 0
	for ; k+3 <= len(tables); k += 3 {
		t, u, v := tables[k], tables[k+1], tables[k+2]
		c, d, e := p.codesOf(k)[:len(r)], p.codesOf(k + 1)[:len(r)], p.codesOf(k + 2)[:len(r)]
		for i, n := range r {
			t[c[i]] += n
			u[d[i]] += n
			v[e[i]] += n
		}
	}
	for ; k < len(tables); k++ {
		t, c := tables[k], p.codesOf(k)[:len(r)]
		for i, n := range r {
			t[c[i]] += n
		}
	}
}

// SumRounded is Σ round(f_i·c), as of [AddRounded].
func SumRounded(f []float64, c float64) int64 {
	if len(f) == 0 {
		return 0
	}
	x := [8]float64{c, c, c, c, c, c, c, c}
	return active.sumRounded(f, x[:], 0)
}
