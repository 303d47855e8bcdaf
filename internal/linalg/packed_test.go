package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// hostileRows are rows of one-hot blocks of one size a row, and of numbers: zeros of both signs, subnormal, huge, and where they may be, infinite and
// NaN; rows of no size and full ones; and where some are odd, rows of two sizes and with two cells of a block.
func hostileRows(rng *rand.Rand, rows int, blocks []string, whole, odd bool) []float64 {
	cell := func(scale float64) float64 {
		switch rng.IntN(10) {
		case 0:
			return math.Copysign(0, rng.NormFloat64())
		case 1:
			return math.Copysign(math.Float64frombits(1+rng.Uint64N(1<<20)), rng.NormFloat64())
		case 2:
			if !whole {
				return []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}[rng.IntN(4)]
			}
		}
		return scale * rng.NormFloat64()
	}
	cols := len(blocks)
	x := make([]float64, rows*cols)
	for i := range rows {
		share := []float64{0, 0.3, 1}[rng.IntN(3)]
		scale := math.Ldexp(1, rng.IntN(80)-60) // blocks of rows of different magnitude
		size := cell(scale)
		row := x[i*cols : (i+1)*cols]
		for j := 0; j < cols; {
			n := 1
			for j+n < cols && blocks[j] != "" && blocks[j+n] == blocks[j] {
				n++
			}
			switch {
			case blocks[j] == "":
				row[j] = cell(scale)
			case rng.Float64() < share:
				row[j+rng.IntN(n)] = size
				if odd && rng.IntN(8) == 0 {
					row[j+rng.IntN(n)] = []float64{size, 2 * size, -size, math.Copysign(0, -1)}[rng.IntN(4)]
				}
			}
			j += n
		}
	}
	return x
}

// shapeOf has blocks of up to so many columns, and numbers between them.
func shapeOf(rng *rand.Rand, cols int) []string {
	blocks := make([]string, cols)
	numbers := []float64{0, 0.1, 0.5, 1}[rng.IntN(4)]
	wide := []int{1, 3, 20, 200}[rng.IntN(4)]
	for j := 0; j < cols; {
		n := 1
		if rng.Float64() >= numbers {
			n = 1 + rng.IntN(wide)
			for k := j; k < min(j+n, cols); k++ {
				blocks[k] = fmt.Sprint(j)
			}
		}
		j += n
	}
	return blocks
}

// margin is that of a row of one size and at most one cell a block, in the order that [Packed.Margins] says; ok is false of other rows.
func margin(s *PackedShape, row, w []float64, plus float64) (m float64, ok bool) {
	var size float64
	set := 0
	tables := make([]float64, len(s.groups))
	var order []int // of additions
	for _, g := range s.groups {
		order = append(order, g.blocks...)
	}
	for _, i := range order {
		b, cells := s.blocks[i], 0
		for j, v := range row[b.at : b.at+b.levels] {
			if math.Float64bits(v) == 0 {
				continue
			}
			if cells, set = cells+1, set+1; cells > 1 || set > 1 && !sameBits(v, size) {
				return 0, false
			}
			size, tables[b.group] = v, tables[b.group]+w[b.at+j]
		}
	}
	for _, t := range tables {
		m += t
	}
	m *= size
	for j, v := range row {
		if slices.Contains(s.numbers, j) {
			m = math.FMA(v, w[j], m)
		}
	}
	return m + 0 + plus, true
}

// checkPacked says whether packed rows are the rows, their margins those of rows one by one, and their squares and sums those of a matrix.
func checkPacked(t *testing.T, rng *rand.Rand, x []float64, blocks []string, w []float64) {
	t.Helper()
	cols := len(blocks)
	rows := len(x) / cols
	work := &PackedWork{}
	s := NewPackedShape(blocks)
	stride := cols + rng.IntN(3)
	apart := guarded(make([]float64, rows*stride))
	for i := range rows {
		copy(apart[i*stride:], x[i*cols:(i+1)*cols])
	}
	var used *Packed
	if rng.IntN(2) == 0 { // the memory of others is used again
		used, _ = s.Pack(hostileRows(rng, 40, blocks, false, true), 40, cols, nil, work)
	}
	p, err := s.Pack(apart, rows, stride, used, work)
	if err != nil || p.Rows() != rows || p.Shape() != s {
		t.Fatalf("%d×%d: %v", rows, cols, err)
	}
	from := rng.IntN(rows + 1)
	to := from + rng.IntN(rows+1-from)
	dst := slices.Repeat([]float64{12345}, (to-from)*cols)
	if err := p.Expand(dst, from, to); err != nil || !slices.EqualFunc(dst, x[from*cols:to*cols], sameBits) {
		t.Fatalf("%d columns, rows %d to %d: got %v, want %v (%v)", cols, from, to, dst, x[from*cols:to*cols], err)
	}
	columns, cells := make([]int32, cols), make([]float64, cols)
	for i := range rows {
		row, last := make([]float64, cols), int32(-1)
		for k, j := range columns[:p.Row(i, columns, cells)] {
			if row[j] = cells[k]; j <= last {
				t.Fatalf("columns %v are not in order", columns)
			}
			last = j
		}
		if !slices.EqualFunc(row, x[i*cols:(i+1)*cols], sameBits) {
			t.Fatalf("row %d is %v, want %v", i, row, x[i*cols:(i+1)*cols])
		}
	}
	p.sizes, p.numbers, p.cells = guarded(p.sizes), guarded(p.numbers), guarded(p.cells)
	same := func(a, b float64) bool { return sameBits(a, b) || math.IsNaN(a) && math.IsNaN(b) }
	got, want, f := guarded(make([]float64, rows)), make([]float64, rows), guarded(make([]float64, rows))
	squares, wantSquares := guarded(make([]float64, rows)), make([]float64, rows)
	plus := []float64{0, rng.NormFloat64()}[rng.IntN(2)]
	err = errors.Join(p.Margins(got, s.Weights(guarded(w), nil), plus, work), p.Squares(squares, work), Margins(want, wantSquares, x, rows, cols, cols, w))
	if err != nil || !slices.EqualFunc(squares, wantSquares, same) {
		t.Fatalf("%d columns, rows %v: squares are %v, want %v (%v)", cols, x, squares, wantSquares, err)
	}
	if err := Margins(want, nil, x, rows, cols, cols, w); err != nil {
		t.Fatal(err)
	}
	for i := range rows {
		want[i] += plus
		m, ok := margin(s, x[i*cols:(i+1)*cols], w, plus)
		if !ok || !finite(w) {
			continue
		}
		size := math.Abs(plus)
		for j, v := range x[i*cols : (i+1)*cols] {
			size += math.Abs(v * w[j])
		}
		if off := float64(2*cols+4)*0x1p-53*size + float64(cols)*0x1p-1070; math.Abs(m-want[i]) > off && size < 1e300 {
			t.Fatalf("row %d: the margin is %g, and %g in another order: farther apart than %g", i, m, want[i], off)
		}
		want[i] = m
	}
	if !slices.EqualFunc(got, want, same) {
		t.Fatalf("%d columns, rows %v, w %v: margins are %v, want %v", cols, x, w, got, want)
	}
	for i := range f {
		if f[i] = math.Ldexp(rng.NormFloat64(), rng.IntN(20)); rng.IntN(4) == 0 {
			f[i] = math.Copysign(0, f[i])
		}
		for _, v := range x[i*cols : (i+1)*cols] {
			if !(math.Abs(f[i]*v) <= 0x1p50) { // what has no bound has no gradient
				f[i] = 0
			}
		}
	}
	sums, wantSums := make([]int64, cols), make([]int64, cols)
	into := s.Sums()
	for range 2 { // what was given to columns is not given again
		for j := range sums {
			sums[j] = rng.Int64()
			wantSums[j] = sums[j]
		}
		if err := errors.Join(p.AddRounded(into, f, work), AddRounded(wantSums, x, rows, cols, cols, f)); err != nil {
			t.Fatal(err)
		}
		into.AddTo(sums)
		if !slices.Equal(sums, wantSums) {
			t.Fatalf("%d columns, rows %v, f %v: got %v, want %v", cols, x, f, sums, wantSums)
		}
	}
}

// TestPackedRows: packed rows, their margins, squares and sums are those of the rows, for hostile rows and weights of every width.
func TestPackedRows(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		single.Goroutine(t)
		rng := shapeRNG(41)
		for cols := 1; cols <= 200; cols++ {
			blocks, rows := shapeOf(rng, cols), rng.IntN(50)
			w := hostileRows(rng, 1, make([]string, cols), cols%7 > 0, false)
			checkPacked(t, rng, hostileRows(rng, rows, blocks, cols%2 == 0, cols%3 == 0), blocks, w)
		}
	})
}

// TestPackedShapes: groups have blocks that together have few cells, whatever blocks there are, and rows of very wide ones are packed too.
func TestPackedShapes(t *testing.T) {
	of := func(levels ...int) (blocks []string) {
		for i, n := range levels {
			for range n {
				blocks = append(blocks, fmt.Sprint(i))
			}
		}
		return blocks
	}
	for name, c := range map[string]struct {
		blocks        []string
		groups, cells int
	}{
		"none": {nil, 0, 0}, "two of two": {of(2, 2), 1, 9}, "Adult": {of(9, 16, 7, 14, 6, 5, 2, 41), 3, 1782},
		"wide": {of(1<<15+3, 4), 2, 1<<15 + 1 + 4*5}, "500 of two": {of(slices.Repeat([]int{2}, 500)...), 250, 2250},
	} {
		s := NewPackedShape(c.blocks)
		if len(s.groups) != c.groups || s.tableCells() != c.cells {
			t.Errorf("%s: got %d groups of %d cells, want %d of %d", name, len(s.groups), s.tableCells(), c.groups, c.cells)
		}
	}
	blocks := append(append(of(1<<15+3), ""), slices.Repeat([]string{"last"}, 5)...)
	rng := shapeRNG(5)
	w := make([]float64, len(blocks))
	for j := range w {
		w[j] = rng.NormFloat64()
	}
	checkPacked(t, rng, hostileRows(rng, 3, blocks, true, true), blocks, w)
}

// TestPackedUnderflow: products that vanish leave no sign behind.
func TestPackedUnderflow(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, cols := range []int{1, 8, 33, 64, 78} {
			x, w := make([]float64, cols), make([]float64, cols)
			blocks := make([]string, cols)
			for j := range x {
				if blocks[j], w[j] = fmt.Sprint(j), -1e-200; j < 32 {
					x[j] = 1e-200
				} else {
					w[j] = 1e-200
				}
			}
			checkPacked(t, shapeRNG(1), x, blocks, w)
		}
	})
}

// TestOddRows: rows of two sizes, −0 beside another size, two cells of a block; and wrong shapes.
func TestOddRows(t *testing.T) {
	s := NewPackedShape([]string{"a", "b", "b", ""})
	negative := math.Copysign(0, -1)
	work := &PackedWork{}
	for name, c := range map[string]struct {
		row []float64
		odd int
	}{
		"two sizes": {[]float64{1, 2, 0, 3}, 1}, "a size and −0": {[]float64{1, negative, 0, 3}, 1}, "two of a block": {[]float64{0, 1, 1, 3}, 1},
		"one": {[]float64{1, 1, 0, negative}, 0}, "none": {[]float64{0, 0, 0, 5}, 0}, "−0 alone": {[]float64{negative, 0, 0, 1}, 0},
	} {
		if p, err := s.Pack(c.row, 1, 4, nil, work); err != nil || p.Odd() != c.odd {
			t.Errorf("%s: got %d odd rows, %v", name, p.Odd(), err)
		}
	}
	if _, err := s.Pack(make([]float64, 5), 2, 4, nil, work); !errors.Is(err, ErrShape) {
		t.Errorf("part of a row: got %v", err)
	}
	p, err := s.Pack(make([]float64, 8), 2, 4, nil, work)
	if err != nil {
		t.Fatal(err)
	}
	w, sums := s.Weights(make([]float64, 4), nil), s.Sums()
	for name, err := range map[string]error{
		"beyond the rows":         p.Expand(make([]float64, 8), 1, 3),
		"backwards":               p.Expand(nil, 1, 0),
		"before the rows":         p.Expand(make([]float64, 4), -1, 0),
		"too few cells":           p.Expand(make([]float64, 2), 0, 1),
		"too few margins":         p.Margins(make([]float64, 1), w, 0, work),
		"too few weights":         p.Margins(make([]float64, 2), s.Weights(make([]float64, 3), nil), 0, work),
		"weights of other shapes": p.Margins(make([]float64, 2), NewPackedShape(make([]string, 4)).Weights(make([]float64, 4), nil), 0, work),
		"too many squares":        p.Squares(make([]float64, 3), work),
		"sums of other shapes":    p.AddRounded(NewPackedShape(make([]string, 4)).Sums(), make([]float64, 2), work),
		"too few factors":         p.AddRounded(sums, make([]float64, 1), work),
	} {
		if !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestSumRounded: the sum is that of a column of ones times the number.
func TestSumRounded(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(6)
		for n := range 70 {
			f, c := guarded(make([]float64, n)), 100*rng.NormFloat64()
			want := 0.0
			for i := range f {
				f[i] = []float64{0, math.Copysign(0, -1), 1e5 * rng.NormFloat64()}[rng.IntN(3)]
				want += math.RoundToEven(f[i] * c)
			}
			if got := SumRounded(f, c); got != int64(want) {
				t.Errorf("%d: got %d, want %v", n, got, want)
			}
		}
	})
}

func FuzzPackedRows(f *testing.F) {
	f.Add(uint64(1), uint8(78), uint8(13), []byte{0, 0, 1, 0, 0xff, 3})
	f.Add(uint64(2), uint8(7), uint8(4), []byte{1})
	f.Fuzz(func(t *testing.T, seed uint64, width, rows uint8, weights []byte) {
		rng := shapeRNG(seed)
		blocks, w := shapeOf(rng, 1+int(width)), make([]float64, 1+int(width))
		for j := range w { // a byte is a part of a weight: zeros, NaN and subnormals are near
			if len(weights) > 0 {
				w[j] = math.Float64frombits(uint64(weights[j%len(weights)]) << (8 * (uint(j) % 8)))
			}
		}
		checkPacked(t, rng, hostileRows(rng, int(rows%64), blocks, seed%2 == 0, seed%3 == 0), blocks, w)
	})
}
