package linalg

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"
)

// TestRowMapBits: maps of rows have the bits of plain loops, for all lengths of a tail, whatever the cells, and touch nothing behind them.
func TestRowMapBits(t *testing.T) {
	hostile := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, math.Copysign(0, -1), 1e-170, 1e170, 1 + 0x1p-52}
	same := func(a, b []float64) bool {
		return slices.EqualFunc(a, b, func(a, b float64) bool {
			return math.Float64bits(a) == math.Float64bits(b) || math.IsNaN(a) && math.IsNaN(b)
		})
	}
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(7)
		for cols := 1; cols <= 75; cols++ {
			rows := 1 + rng.IntN(11)
			n := rows * cols
			x, shift, scale := guarded(normals(rng, n)), guarded(normals(rng, n)), guarded(normals(rng, n))
			if cols%2 == 0 {
				for range 1 + rng.IntN(4) {
					x[rng.IntN(n)] = hostile[rng.IntN(len(hostile))]
				}
			}
			const mark = 12345
			squares, moved := make([]float64, rows+1), make([]float64, n+1)
			squares[rows], moved[n] = mark, mark
			squares, moved = squares[:rows], moved[:n]
			RowSquares(squares, x, cols)
			Affine(moved, x, shift, scale)
			wantSquares, wantMoved := make([]float64, rows), make([]float64, n)
			for i, v := range x {
				wantSquares[i/cols] += float64(v * v)
				wantMoved[i] = (v - shift[i]) * scale[i]
			}
			if !same(squares, wantSquares) {
				t.Fatalf("cols = %d: squares are %g, want %g", cols, squares, wantSquares)
			}
			if !same(moved, wantMoved) {
				t.Fatalf("cols = %d: an affine map gives %g, want %g", cols, moved, wantMoved)
			}
			Affine(x, x, shift, scale)
			if !same(x, wantMoved) {
				t.Fatalf("cols = %d: an affine map in place gives %g, want %g", cols, x, wantMoved)
			}
			if squares[:rows+1][rows] != mark || moved[:n+1][n] != mark {
				t.Fatalf("cols = %d: a cell behind the results was written", cols)
			}
		}
	})
	squares := []float64{1, 2}
	if RowSquares(squares, nil, 0); squares[0] != 0 || squares[1] != 0 {
		t.Errorf("rows without cells: squares are %g, want 0", squares)
	}
	Affine(nil, nil, nil, nil)
}

// TestFourColumns: every number at its place, whatever its bits, and nothing between and behind them written.
func TestFourColumns(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(8)
		for n := range 40 {
			stride := 4 + rng.IntN(9)
			var columns [4][]byte
			for j := range columns {
				columns[j] = make([]byte, 8*n, 8*n+8)
				for i := range columns[j] {
					columns[j][i] = byte(rng.IntN(256))
				}
				for i := range n { // some are NaN of any payload
					if rng.IntN(3) == 0 {
						columns[j][8*i+7], columns[j][8*i+6] = 0x7f, columns[j][8*i+6]|0xf0
					}
				}
			}
			const mark = 0x7ff0123456789abc // a NaN of its own
			to := make([]float64, n*stride+4)
			for i := range to {
				to[i] = math.Float64frombits(mark)
			}
			FourColumns(to[:max(0, (n-1)*stride+4)], stride, columns)
			for i, got := range to {
				want := uint64(mark)
				if row, j := i/stride, i%stride; row < n && j < 4 {
					want = binary.LittleEndian.Uint64(columns[j][8*row:])
				}
				if math.Float64bits(got) != want {
					t.Fatalf("%d rows, stride %d: number %d is %x, want %x", n, stride, i, math.Float64bits(got), want)
				}
			}
		}
	})
}
