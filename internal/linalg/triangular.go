package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// reference has the routines of BLAS that have no kernel here, and those for small matrices.
var reference gonum.Implementation

// solved is the size of the triangular systems that are solved without kernels.
const solved = 48

// An upperSystem is UX = B, or UᵀX = B, for an upper-triangular U and a B of some columns, in the place of B.
type upperSystem struct {
	u    operand // U, or Uᵀ
	cols int
	b    []float64
	ldb  int
}

// solve solves the equations from..to, in which no unknowns of others are left, by halves.
func (s *upperSystem) solve(from, to int) {
	size := to - from
	if active == portable || size <= solved {
		t, u := blas.NoTrans, s.u.from(from, from)
		if s.u.trans {
			t = blas.Trans
		}
		reference.Dtrsm(blas.Left, blas.Upper, t, blas.NonUnit, size, s.cols, 1, u.data, u.ld, s.b[from*s.ldb:], s.ldb)
		return
	}
	mid := from + (size/2+7)&^7
	if s.u.trans { // a lower triangle
		s.solve(from, mid)
		s.eliminate(from, mid, mid, to)
		s.solve(mid, to)
		return
	}
	s.solve(mid, to)
	s.eliminate(mid, to, from, mid)
	s.solve(from, mid)
}

// eliminate takes the unknowns done0..done1 out of the equations next0..next1.
func (s *upperSystem) eliminate(done0, done1, next0, next1 int) {
	x := operand{s.b[done0*s.ldb:], s.ldb, false}
	subtractFast(next1-next0, s.cols, done1-done0, s.u.from(next0, done0), x, s.b[next0*s.ldb:], s.ldb)
}

// subtractProduct takes op(A)·op(B) from C; products may be small, empty included.
func subtractProduct(m, n, k int, a, b operand, c []float64, ldc int) {
	if active == portable || !worth(m, n, k) {
		reference.Dgemm(a.transposition(), b.transposition(), m, n, k, -1, a.data, a.ld, b.data, b.ld, 1, c, ldc)
		return
	}
	subtractFast(m, n, k, a, b, c, ldc)
}

// addProduct adds op(A)·op(B) to C; products may be small.
func addProduct(m, n, k int, a, b operand, c []float64, ldc int) {
	if active == portable || !worth(m, n, k) {
		reference.Dgemm(a.transposition(), b.transposition(), m, n, k, 1, a.data, a.ld, b.data, b.ld, 1, c, ldc)
		return
	}
	multiply(active, m, n, k, a, b, c, ldc, processors())
}

// subtractFast takes op(A)·op(B) from C by kernels: it adds op(-A)·op(B), which rounds alike.
func subtractFast(m, n, k int, a, b operand, c []float64, ldc int) {
	p := panelOf(m * k)
	defer panels.Put(p)
	multiply(active, m, n, k, a.negated(*p, m, k), b, c, ldc, processors())
}

// negated writes -A to a slice of rows·cols numbers, for an op(A) of rows×cols, and returns the operand of it.
func (o operand) negated(to []float64, rows, cols int) operand {
	if o.trans {
		rows, cols = cols, rows
	}
	for i := range rows {
		row := to[i*cols : (i+1)*cols]
		for j, v := range o.data[i*o.ld : i*o.ld+cols] {
			row[j] = -v
		}
	}
	return operand{to, cols, o.trans}
}

func (o operand) transposition() blas.Transpose {
	if o.trans {
		return blas.Trans
	}
	return blas.NoTrans
}
