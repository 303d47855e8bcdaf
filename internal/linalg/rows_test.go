package linalg

import (
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
