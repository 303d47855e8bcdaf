//go:build !purego

package linalg

//go:generate go run gen.go gen_gram.go gen_gradient.go gen_eigen.go gen_near.go gen_packed.go gen_rows.go gen_columns.go

//go:noescape
func tileAVX2x3(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func tileAVX2x2(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func tileAVX2x1(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func tileAVX512x3(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func tileAVX512x2(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func tileAVX512x1(k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64)

//go:noescape
func dotRowsAVX2(rows, cols int, x *float64, stride int, w, dots *float64)

//go:noescape
func dotRowsAVX512(rows, cols int, x *float64, stride int, w, dots *float64)

//go:noescape
func dotSquareRowsAVX2(rows, cols int, x *float64, stride int, w, dots, squares *float64)

//go:noescape
func dotSquareRowsAVX512(rows, cols int, x *float64, stride int, w, dots, squares *float64)

//go:noescape
func addRoundedRowsAVX2(rows, cols int, x *float64, stride int, f *float64, sums *int64)

//go:noescape
func addRoundedRowsAVX512(rows, cols int, x *float64, stride int, f *float64, sums *int64)

//go:noescape
func padRowsAVX2(rows, cols int, x *float64, stride int, to *float64, ld int)

//go:noescape
func padRowsAVX512(rows, cols int, x *float64, stride int, to *float64, ld int)

//go:noescape
func oddRowsAVX2(rows, cols int, x *float64, stride int, to *float64, ld int, bound float64)

//go:noescape
func oddRowsAVX512(rows, cols int, x *float64, stride int, to *float64, ld int, bound float64)

//go:noescape
func roundRowsAVX2(rows, cols int, x *float64, stride int, to *float64, ld int, scale float64, squares *float64)

//go:noescape
func roundRowsAVX512(rows, cols int, x *float64, stride int, to *float64, ld int, scale float64, squares *float64)

//go:noescape
func logisticAVX2(n int, f, margins, squares, y *float64, clip, scale float64)

//go:noescape
func logisticAVX512(n int, f, margins, squares, y *float64, clip, scale float64)

//go:noescape
func rotateAVX2(n int, c, s, p *float64)

//go:noescape
func rotateAVX512(n int, c, s, p *float64)

//go:noescape
func reflectAVX2(n int, tau float64, v, rows *float64)

//go:noescape
func reflectAVX512(n int, tau float64, v, rows *float64)

//go:noescape
func nearBoxesAVX2(d int, p, lo, hi *float64, stop float64, dist *float64) (near uint64)

//go:noescape
func nearBoxesAVX512(d int, p, lo, hi *float64, stop float64, dist *float64) (near uint64)

//go:noescape
func affineAVX2(n int, dst, src, shift, scale *float64)

//go:noescape
func affineAVX512(n int, dst, src, shift, scale *float64)

//go:noescape
func rowSquaresAVX2(fours, cols int, x, squares *float64)

//go:noescape
func fourColumnsAVX2(fours int, to *float64, stride int, a, b, c, d *byte)

//go:noescape
func packRowsAVX512(rows int, x *float64, stride, vectors int, of *packedVector, to *packedRow)

//go:noescape
func dotColumnsAVX512(n, cols int, x *float64, ld int, w, sizes, m *float64, plus float64)

//go:noescape
func sumRoundedAVX512(n int, f, x *float64, step int) (sum int64)

//go:noescape
func roundProductsAVX512(n int, r *int64, f, h *float64)

func (s isa) tile(vectors, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int, start float64) {
	switch {
	case s == portable:
		tileGo(vectors, k, a, lda, b, ldb, c, ldc, start)
	case s == avx512 && vectors == 3:
		tileAVX512x3(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	case s == avx512 && vectors == 2:
		tileAVX512x2(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	case s == avx512:
		tileAVX512x1(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	case vectors == 3:
		tileAVX2x3(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	case vectors == 2:
		tileAVX2x2(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	default:
		tileAVX2x1(k, &a[0], lda, &b[0], ldb, &c[0], ldc, start)
	}
}

func (s isa) dotRows(rows, cols int, x []float64, stride int, w, dots []float64) {
	switch s {
	case avx512:
		dotRowsAVX512(rows, cols, &x[0], stride, &w[0], &dots[0])
	case avx2:
		dotRowsAVX2(rows, cols, &x[0], stride, &w[0], &dots[0])
	default:
		dotRowsGo(rows, cols, x, stride, w, dots)
	}
}

func (s isa) dotSquareRows(rows, cols int, x []float64, stride int, w, dots, squares []float64) {
	switch s {
	case avx512:
		dotSquareRowsAVX512(rows, cols, &x[0], stride, &w[0], &dots[0], &squares[0])
	case avx2:
		dotSquareRowsAVX2(rows, cols, &x[0], stride, &w[0], &dots[0], &squares[0])
	default:
		dotSquareRowsGo(rows, cols, x, stride, w, dots, squares)
	}
}

func (s isa) addRoundedRows(rows, cols int, x []float64, stride int, f []float64, sums []int64) {
	switch s {
	case avx512:
		addRoundedRowsAVX512(rows, cols, &x[0], stride, &f[0], &sums[0])
	case avx2:
		addRoundedRowsAVX2(rows, cols, &x[0], stride, &f[0], &sums[0])
	default:
		addRoundedRowsGo(rows, cols, x, stride, f, sums)
	}
}

func (s isa) padRows(rows, cols int, x []float64, stride int, to []float64, ld int) {
	switch s {
	case avx512:
		padRowsAVX512(rows, cols, &x[0], stride, &to[0], ld)
	case avx2:
		padRowsAVX2(rows, cols, &x[0], stride, &to[0], ld)
	default:
		padRowsGo(rows, cols, x, stride, to, ld)
	}
}

func (s isa) oddRows(rows, cols int, x []float64, stride int, to []float64, ld int, bound float64) {
	switch s {
	case avx512:
		oddRowsAVX512(rows, cols, &x[0], stride, &to[0], ld, bound)
	case avx2:
		oddRowsAVX2(rows, cols, &x[0], stride, &to[0], ld, bound)
	default:
		oddRowsGo(rows, cols, x, stride, to, ld, bound)
	}
}

func (s isa) roundRows(rows, cols int, x []float64, stride int, to []float64, ld int, scale float64, squares []float64) {
	switch s {
	case avx512:
		roundRowsAVX512(rows, cols, &x[0], stride, &to[0], ld, scale, &squares[0])
	case avx2:
		roundRowsAVX2(rows, cols, &x[0], stride, &to[0], ld, scale, &squares[0])
	default:
		roundRowsGo(rows, cols, x, stride, to, ld, scale, squares)
	}
}

func (s isa) logistic(f, margins, squares, y []float64, clip, scale float64) {
	switch s {
	case avx512:
		logisticAVX512(len(f), &f[0], &margins[0], &squares[0], &y[0], clip, scale)
	case avx2:
		logisticAVX2(len(f), &f[0], &margins[0], &squares[0], &y[0], clip, scale)
	default:
		logisticGo(f, margins, squares, y, clip, scale)
	}
}

func (s isa) rotate(c, z, p []float64, at int) {
	switch s {
	case avx512:
		rotateAVX512(len(c), &c[0], &z[0], &p[at])
	case avx2:
		rotateAVX2(len(c), &c[0], &z[0], &p[at])
	default:
		rotateGo(c, z, p, at)
	}
}

func (s isa) reflect(tau float64, v, rows []float64) {
	switch s {
	case avx512:
		reflectAVX512(len(v), tau, &v[0], &rows[0])
	case avx2:
		reflectAVX2(len(v), tau, &v[0], &rows[0])
	default:
		reflectGo(tau, v, rows)
	}
}

func (s isa) nearBoxes(p, lo, hi []float64, stop float64, dist *[16]float64) uint16 {
	switch s {
	case avx512:
		return uint16(nearBoxesAVX512(len(p), &p[0], &lo[0], &hi[0], stop, &dist[0]))
	case avx2:
		return uint16(nearBoxesAVX2(len(p), &p[0], &lo[0], &hi[0], stop, &dist[0]))
	default:
		return nearBoxesGo(p, lo, hi, stop, dist)
	}
}

func (s isa) affine(dst, src, shift, scale []float64) {
	switch s {
	case avx512:
		affineAVX512(len(dst), &dst[0], &src[0], &shift[0], &scale[0])
	case avx2:
		affineAVX2(len(dst), &dst[0], &src[0], &shift[0], &scale[0])
	default:
		affineGo(dst, src, shift, scale)
	}
}

func (s isa) rowSquares(squares, x []float64, cols int) {
	fours := len(squares) / 4
	if s == portable {
		fours = 0
	}
	if fours > 0 {
		rowSquaresAVX2(fours, cols, &x[0], &squares[0])
	}
	rowSquaresGo(squares[4*fours:], x[4*fours*cols:], cols)
}

func (s isa) fourColumns(to []float64, stride int, columns *[4][]byte) {
	fours := len(columns[0]) / 32
	if s == portable {
		fours = 0
	}
	if fours == 0 {
		fourColumnsGo(to, stride, columns)
		return
	}
	fourColumnsAVX2(fours, &to[0], stride, &columns[0][0], &columns[1][0], &columns[2][0], &columns[3][0])
	rest := *columns
	for j := range rest {
		rest[j] = rest[j][32*fours:]
	}
	if len(rest[0]) > 0 {
		fourColumnsGo(to[4*fours*stride:], stride, &rest)
	}
}

func (s isa) packRows(x []float64, stride int, of []packedVector, to []packedRow) {
	if s == avx512 {
		packRowsAVX512(len(to), &x[0], stride, len(of), &of[0], &to[0])
		return
	}
	packRowsGo(x, stride, of, to)
}

func (s isa) dotColumns(ld int, x, w, sizes, m []float64, plus float64) {
	if s != avx512 {
		dotColumnsGo(ld, x, w, sizes, m, plus)
		return
	}
	cols := len(w)
	if cols == 0 {
		x, w = sizes, sizes // which are not read as such
	}
	dotColumnsAVX512(len(m), cols, &x[0], ld, &w[0], &sizes[0], &m[0], plus)
}

func (s isa) sumRounded(f, x []float64, step int) int64 {
	if s == avx512 {
		return sumRoundedAVX512(len(f), &f[0], &x[0], step)
	}
	return sumRoundedGo(f, x, step)
}

func (s isa) roundProducts(r []int64, f, h []float64) {
	if s == avx512 {
		roundProductsAVX512(len(r), &r[0], &f[0], &h[0])
		return
	}
	roundProductsGo(r, f, h)
}
