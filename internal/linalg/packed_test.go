package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// hostileRows are rows of 0 and one size a row, and of numbers at the columns that are not sized: zeros of both signs, subnormal, huge, and where
// they may be, infinite and NaN; rows of no size and full ones.
func hostileRows(rng *rand.Rand, rows int, sized []bool, whole bool) []float64 {
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
	cols := len(sized)
	x := make([]float64, rows*cols)
	for i := range rows {
		share := []float64{0, 0.1, 0.3, 1}[rng.IntN(4)]
		scale := math.Ldexp(1, rng.IntN(80)-60) // blocks of rows of different magnitude
		size := cell(scale)
		for j, is := range sized {
			switch {
			case !is:
				x[i*cols+j] = cell(scale)
			case rng.Float64() < share && size != 0:
				x[i*cols+j] = size
			}
		}
	}
	return x
}

// shapeOf has blocks of sized columns, and numbers between them.
func shapeOf(rng *rand.Rand, cols int) []bool {
	sized := make([]bool, cols)
	numbers := []float64{0, 0.1, 0.5, 1}[rng.IntN(4)]
	for j := range sized {
		sized[j] = rng.Float64() >= numbers
	}
	return sized
}

// checkPacked says whether what is computed of packed rows has the bits that it has of the rows.
func checkPacked(t *testing.T, rng *rand.Rand, x []float64, sized []bool, w []float64) {
	t.Helper()
	cols := len(sized)
	rows := len(x) / cols
	p, ok, err := NewPackedShape(sized).Pack(x)
	if err != nil || !ok || p.Rows() != rows {
		t.Fatalf("%d×%d: %v, %v", rows, cols, ok, err)
	}
	from := rng.IntN(rows + 1)
	to := from + rng.IntN(rows+1-from)
	dst := slices.Repeat([]float64{12345}, (to-from)*cols)
	if err := p.Expand(dst, from, to); err != nil || !slices.EqualFunc(dst, x[from*cols:to*cols], sameBits) {
		t.Fatalf("%d columns, rows %d to %d: got %v, want %v (%v)", cols, from, to, dst, x[from*cols:to*cols], err)
	}
	p.masks, p.sizes, p.cells = append(p.masks[:0:0], p.masks...), guarded(p.sizes), guarded(p.cells)
	same := func(a, b float64) bool { return sameBits(a, b) || math.IsNaN(a) && math.IsNaN(b) }
	work := &PackedWork{}
	for _, withSquares := range []bool{false, true} {
		got, want, f := guarded(make([]float64, rows)), make([]float64, rows), guarded(make([]float64, rows))
		var squares, wantSquares []float64
		if withSquares {
			squares, wantSquares = make([]float64, rows), make([]float64, rows)
		}
		if err := errors.Join(p.Margins(got, squares, guarded(w), work), Margins(want, wantSquares, x, rows, cols, cols, w)); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want, same) || !slices.EqualFunc(squares, wantSquares, same) {
			t.Fatalf("%d columns, rows %v, w %v: margins are %v, want %v; squares %v, want %v", cols, x, w, got, want, squares, wantSquares)
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
		sums, wantSums := make([]int64, cols+2), make([]int64, cols+2)
		for j := range sums {
			sums[j] = rng.Int64()
			wantSums[j] = sums[j]
		}
		if err := errors.Join(p.AddRounded(sums[1:1+cols], f, work), AddRounded(wantSums[1:1+cols], x, rows, cols, cols, f)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(sums, wantSums) {
			t.Fatalf("%d columns, rows %v, f %v: got %v, want %v", cols, x, f, sums, wantSums)
		}
	}
}

// TestPackedRows: margins, squares and sums of packed rows are those of the rows, for hostile rows and weights of every width.
func TestPackedRows(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(41)
		for cols := 1; cols <= 200; cols++ {
			sized, rows := shapeOf(rng, cols), rng.IntN(20)
			w := hostileRows(rng, 1, make([]bool, cols), cols%7 > 0)
			checkPacked(t, rng, hostileRows(rng, rows, sized, cols%2 == 0), sized, w)
		}
	})
}

// TestPackedUnderflow: products that vanish leave no sign behind, whether or not zeros are added to them.
func TestPackedUnderflow(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, cols := range []int{1, 8, 33, 64, 78} {
			x, w := make([]float64, cols), make([]float64, cols)
			sized := make([]bool, cols)
			for j := range x {
				if sized[j], w[j] = true, -1e-200; j < 32 {
					x[j] = 1e-200
				} else {
					w[j] = 1e-200
				}
			}
			checkPacked(t, shapeRNG(1), x, sized, w)
		}
	})
}

// TestPackedRefusals: rows of two sizes, −0 beside another size, and wrong shapes.
func TestPackedRefusals(t *testing.T) {
	s := NewPackedShape([]bool{true, true, false})
	negative := math.Copysign(0, -1)
	for name, c := range map[string]struct {
		row []float64
		ok  bool
	}{
		"two sizes": {[]float64{1, 2, 3}, false}, "a size and −0": {[]float64{1, negative, 3}, false},
		"one": {[]float64{1, 1, negative}, true}, "none": {[]float64{0, 0, 5}, true}, "−0 alone": {[]float64{negative, 0, 1}, true},
	} {
		if _, ok, err := s.Pack(c.row); ok != c.ok || err != nil {
			t.Errorf("%s: got %v, %v", name, ok, err)
		}
	}
	if _, _, err := s.Pack(make([]float64, 4)); !errors.Is(err, ErrShape) {
		t.Errorf("part of a row: got %v", err)
	}
	p, _, err := s.Pack(make([]float64, 6))
	if err != nil {
		t.Fatal(err)
	}
	work := &PackedWork{}
	for name, err := range map[string]error{
		"beyond the rows":  p.Expand(make([]float64, 6), 1, 3),
		"backwards":        p.Expand(nil, 1, 0),
		"before the rows":  p.Expand(make([]float64, 3), -1, 0),
		"too few cells":    p.Expand(make([]float64, 2), 0, 1),
		"too few margins":  p.Margins(make([]float64, 1), nil, make([]float64, 3), work),
		"too few weights":  p.Margins(make([]float64, 2), nil, make([]float64, 2), work),
		"too many squares": p.Margins(make([]float64, 2), make([]float64, 3), make([]float64, 3), work),
		"too few sums":     p.AddRounded(make([]int64, 2), make([]float64, 2), work),
		"too few factors":  p.AddRounded(make([]int64, 3), make([]float64, 1), work),
	} {
		if !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func FuzzPackedRows(f *testing.F) {
	f.Add(uint64(1), uint8(78), uint8(13), []byte{0, 0, 1, 0, 0xff, 3})
	f.Add(uint64(2), uint8(7), uint8(4), []byte{1})
	f.Fuzz(func(t *testing.T, seed uint64, width, rows uint8, weights []byte) {
		rng := shapeRNG(seed)
		sized, w := shapeOf(rng, 1+int(width)), make([]float64, 1+int(width))
		for j := range w { // a byte is a part of a weight: zeros, NaN and subnormals are near
			if len(weights) > 0 {
				w[j] = math.Float64frombits(uint64(weights[j%len(weights)]) << (8 * (uint(j) % 8)))
			}
		}
		checkPacked(t, rng, hostileRows(rng, int(rows%32), sized, seed%2 == 0), sized, w)
	})
}
