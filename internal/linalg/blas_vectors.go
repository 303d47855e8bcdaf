package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Lengths below which a call to a kernel does not pay: of a vector, of a row in Dgemv, and in Dger.
const (
	shortVector = 16
	shortRow    = 32
	shortUpdate = 128
)

// Ddot returns x·y.
func (Blas) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	if incX != 1 || incY != 1 || n < shortVector || len(x) < n || len(y) < n {
		return gonum.Implementation{}.Ddot(n, x, incX, y, incY)
	}
	var dot [1]float64
	active.dotRows(1, n, x, n, y, dot[:])
	return dot[0]
}

// Daxpy adds alpha·x to y.
func (Blas) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	if incX != 1 || incY != 1 || n < shortVector || len(x) < n || len(y) < n {
		gonum.Implementation{}.Daxpy(n, alpha, x, incX, y, incY)
		return
	}
	active.addRows(1, n, x, n, []float64{alpha}, y)
}

// Dger adds alpha·x·yᵀ to the m×n matrix A.
func (Blas) Dger(m, n int, alpha float64, x []float64, incX int, y []float64, incY int, a []float64, lda int) {
	if incX != 1 || incY != 1 || m < 1 || n < shortUpdate || len(x) < m || len(y) < n || !holds(a, m, n, lda) {
		gonum.Implementation{}.Dger(m, n, alpha, x, incX, y, incY, a, lda)
		return
	}
	for i, v := range x[:m] {
		f := [1]float64{alpha * v}
		active.addRows(1, n, y, n, f[:], a[i*lda:])
	}
}

// Dgemv computes y = alpha·op(A)·x + beta·y for an m×n matrix A.
func (Blas) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64, incX int, beta float64, y []float64, incY int) {
	trans, ok := isTrans(t)
	lenX, lenY := n, m
	if trans {
		lenX, lenY = m, n
	}
	if !ok || incX != 1 || incY != 1 || m < 1 || n < shortRow || alpha == 0 || !holds(a, m, n, lda) || len(x) < lenX || len(y) < lenY {
		gonum.Implementation{}.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
		return
	}
	scale(beta, 1, lenY, y, lenY, whole)
	var part [64]float64
	for i := 0; i < m; i += len(part) {
		rows := min(len(part), m-i)
		p := part[:rows]
		if trans {
			for j, v := range x[i : i+rows] {
				p[j] = alpha * v
			}
			active.addRows(rows, n, a[i*lda:], lda, p, y)
			continue
		}
		active.dotRows(rows, n, a[i*lda:], lda, x, p)
		for j, v := range p {
			y[i+j] += alpha * v
		}
	}
}
