//go:build !amd64 || purego

package linalg

func (isa) tile(vectors, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int, start float64) {
	tileGo(vectors, k, a, lda, b, ldb, c, ldc, start)
}

func (isa) dotRows(rows, cols int, x []float64, stride int, w, dots []float64) {
	dotRowsGo(rows, cols, x, stride, w, dots)
}

func (isa) dotSquareRows(rows, cols int, x []float64, stride int, w, dots, squares []float64) {
	dotSquareRowsGo(rows, cols, x, stride, w, dots, squares)
}

func (isa) addRoundedRows(rows, cols int, x []float64, stride int, f []float64, sums []int64) {
	addRoundedRowsGo(rows, cols, x, stride, f, sums)
}

func (isa) padRows(rows, cols int, x []float64, stride int, to []float64, ld int) {
	padRowsGo(rows, cols, x, stride, to, ld)
}

func (isa) oddRows(rows, cols int, x []float64, stride int, to []float64, ld int, bound float64) {
	oddRowsGo(rows, cols, x, stride, to, ld, bound)
}

func (isa) roundRows(rows, cols int, x []float64, stride int, to []float64, ld int, scale float64, squares []float64) {
	roundRowsGo(rows, cols, x, stride, to, ld, scale, squares)
}

func (isa) logistic(f, margins, squares, y []float64, clip, scale float64) {
	logisticGo(f, margins, squares, y, clip, scale)
}

func (isa) rotate(c, z, p []float64, at int) { rotateGo(c, z, p, at) }

func (isa) reflect(tau float64, v, rows []float64) { reflectGo(tau, v, rows) }

func (isa) nearBoxes(p, lo, hi []float64, stop float64, dist *[16]float64) uint16 {
	return nearBoxesGo(p, lo, hi, stop, dist)
}

func (isa) affine(dst, src, shift, scale []float64) { affineGo(dst, src, shift, scale) }

func (isa) rowSquares(squares, x []float64, cols int) { rowSquaresGo(squares, x, cols) }

func (isa) packRows(x []float64, stride int, of []packedVector, to []packedRow) {
	packRowsGo(x, stride, of, to)
}

func (isa) dotColumns(ld int, x, w, sizes, m []float64, plus float64) {
	dotColumnsGo(ld, x, w, sizes, m, plus)
}

func (isa) sumRounded(f, x []float64, step int) int64 { return sumRoundedGo(f, x, step) }

func (isa) roundProducts(r []int64, f, h []float64) { roundProductsGo(r, f, h) }

func (isa) fourColumns(to []float64, stride int, columns *[4][]byte) {
	fourColumnsGo(to, stride, columns)
}
