package linalg

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	routines "gonum.org/v1/gonum/lapack/gonum"
)

const (
	reflected = 32  // rows whose reflections are applied to the others at a time
	together  = 128 // so many rows and fewer are reflected one by one
	shortRow  = 32  // rows of C below this length are multiplied without kernels
	longRow   = 128 // from this length on, sums of products are fused
)

// LowerFactor returns the lower-triangular L of an n×n matrix A = L·Q, Q orthogonal, so that L·Lᵀ = A·Aᵀ: of Householder's
// reflections, with any signs on the diagonal. L is the exact factor of an A + E with ‖E_i‖ ≤ γ_{cn²}‖A_i‖ for each row A_i, c a small constant
// (Higham 2002, Thm. 19.4): unlike a factor of A·Aᵀ it does not lose digits to the square of the condition number. A may
// be singular. NaN or infinity in a row of A leaves one of them in that row of L. It uses all processors; the result has the same bits for any number of them. The error
// wraps [ErrShape].
func LowerFactor(a []float64, n int) ([]float64, error) {
	if err := square("lower factor: matrix", a, n); err != nil {
		return nil, err
	}
	l := slices.Clone(a)
	tau, work := make([]float64, n), make([]float64, n*reflected)
	at := 0
	for ; n > together && at < n-together; at += reflected {
		rows := l[at*n+at:]
		reflectRows(rows, reflected, n-at, n, tau, work)
		reflectBelow(rows, n-at, n, tau, work)
	}
	reflectRows(l[at*n+at:], n-at, n-at, n, tau, work)
	for i := range n {
		clear(l[i*n+i+1 : (i+1)*n])
	}
	return l, nil
}

// reflectRows makes rows of cols numbers lower triangular, one by one. The reflection I - tau·v·vᵀ of row i is left in tau[i]
// and, without its leading one, to the right of the diagonal.
func reflectRows(a []float64, rows, cols, ld int, tau, work []float64) {
	var r routines.Implementation
	for i := range rows {
		row := a[i*ld+i:]
		row[0], tau[i] = r.Dlarfg(cols-i, row[0], row[min(1, cols-1-i):], 1)
		if i < rows-1 {
			diagonal := row[0]
			row[0] = 1
			reflectBy(row[:cols-i], tau[i], a[(i+1)*ld+i:], rows-i-1, ld, work)
			row[0] = diagonal
		}
	}
}

// reflectBy applies the reflection I - tau·v·vᵀ to rows of C.
func reflectBy(v []float64, tau float64, c []float64, rows, ld int, work []float64) {
	if tau == 0 {
		return
	}
	for v[len(v)-1] == 0 { // ends at the leading one
		v = v[:len(v)-1]
	}
	rows = routines.Implementation{}.Iladlr(rows, len(v), c, ld) + 1 // rows of zeros stay
	if rows == 0 {
		return
	}
	work = work[:rows]
	if active == portable || len(v) < shortRow {
		reference.Dgemv(blas.NoTrans, rows, len(v), 1, c, ld, v, 1, 0, work, 1)
	} else {
		active.dotRows(rows, len(v), c, ld, v, work)
	}
	if active == portable || len(v) < longRow {
		reference.Dger(rows, len(v), -tau, work, 1, v, 1, c, ld)
		return
	}
	for i, w := range work {
		f, row := -tau*w, c[i*ld:][:len(v)]
		for j, x := range v {
			row[j] = math.FMA(f, x, row[j])
		}
	}
}

// reflectBelow applies the reflections of the first rows, n numbers each, to the n - reflected rows below them, as
// C(I - VᵀTV) with the triangular T of Schreiber and Van Loan (1989).
func reflectBelow(a []float64, n, ld int, tau, work []float64) {
	const k = reflected
	var t [k * k]float64
	routines.Implementation{}.Dlarft(lapack.Forward, lapack.RowWise, n, k, a, ld, tau, t[:], k)
	c, m := a[k*ld:], n-k
	w := work[:m*k]
	for i := range m {
		copy(w[i*k:(i+1)*k], c[i*ld:])
	}
	v2, c2 := operand{a[k:], ld, false}, c[k:]
	reference.Dtrmm(blas.Right, blas.Upper, blas.Trans, blas.Unit, m, k, 1, a, ld, w, k)
	addProduct(m, k, n-k, operand{c2, ld, false}, v2.transposed(), w, k)
	reference.Dtrmm(blas.Right, blas.Upper, blas.NoTrans, blas.NonUnit, m, k, 1, t[:], k, w, k)
	subtractProduct(m, n-k, k, operand{w, k, false}, v2, c2, ld)
	reference.Dtrmm(blas.Right, blas.Upper, blas.NoTrans, blas.Unit, m, k, 1, a, ld, w, k)
	for i := range m {
		row := c[i*ld:]
		for j, v := range w[i*k : (i+1)*k] {
			row[j] -= v
		}
	}
}
