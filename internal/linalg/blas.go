package linalg

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// Blas is gonum's implementation of BLAS with the kernels of this package for real matrices. Small ones, vectors with
// steps, and arguments that are wrong go to gonum's own, which panics on the latter as ever.
//
// Two things differ from gonum's own besides speed. Sums have another order (still the same for any number of
// processors). And NaN and infinity reach every entry that IEEE 754 says they reach: gonum's own leaves terms with a
// factor 0 out.
type Blas struct{ gonum.Implementation }

// Importing this package makes gonum's blas64, and with it mat, lapack64 and stat, use [Blas] in the whole process: where
// there are kernels in assembly, and unless another implementation was chosen before. One that is chosen later, in an
// init of the program's, wins.
func init() {
	if _, own := blas64.Implementation().(gonum.Implementation); own && active != portable {
		blas64.Use(Blas{})
	}
}

var _ blas.Float64 = Blas{}

// worth tells if packing pays for a product of that shape.
func worth(m, n, k int) bool { return m >= 4 && n >= 4 && k >= 4 && m*n*k >= 1<<11 }

func isTrans(t blas.Transpose) (trans, ok bool) {
	return t != blas.NoTrans, t == blas.NoTrans || t == blas.Trans || t == blas.ConjTrans
}

// holds tells if the slice holds r rows of n numbers ld apart, r at least 1.
func holds(a []float64, r, n, ld int) bool { return ld >= max(1, n) && len(a) >= (r-1)*ld+n }

// Dgemm computes C = alpha·op(A)·op(B) + beta·C.
func (Blas) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	at, okA := isTrans(tA)
	bt, okB := isTrans(tB)
	ra, ca, rb, cb := m, k, k, n
	if at {
		ra, ca = k, m
	}
	if bt {
		rb, cb = n, k
	}
	if !okA || !okB || !worth(m, n, k) || alpha == 0 || !holds(a, ra, ca, lda) || !holds(b, rb, cb, ldb) || !holds(c, m, n, ldc) {
		gonum.Implementation{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	scale(beta, m, n, c, ldc, whole)
	multiply(active, m, n, k, alpha, operand{a, lda, at}, operand{b, ldb, bt}, c, ldc, whole, processors())
}

// scale multiplies that part of C by beta; 0 overwrites it, NaN included.
func scale(beta float64, m, n int, c []float64, ldc int, p part) {
	if beta == 1 {
		return
	}
	for i := range m {
		row := c[i*ldc : i*ldc+n]
		switch p {
		case upper:
			row = row[min(i, n):]
		case lower:
			row = row[:min(i+1, n)]
		}
		if beta == 0 {
			clear(row)
			continue
		}
		for j := range row {
			row[j] *= beta
		}
	}
}

func partOf(ul blas.Uplo) (p part, ok bool) {
	if ul == blas.Upper {
		return upper, true
	}
	return lower, ul == blas.Lower
}

// Dsyrk computes C = alpha·A·Aᵀ + beta·C, or with Aᵀ·A if t is a transposition, in one triangle.
func (Blas) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	trans, okT := isTrans(t)
	p, okU := partOf(ul)
	ra, ca := n, k
	if trans {
		ra, ca = k, n
	}
	if !okT || !okU || !worth(n, n, k) || alpha == 0 || !holds(a, ra, ca, lda) || !holds(c, n, n, ldc) {
		gonum.Implementation{}.Dsyrk(ul, t, n, k, alpha, a, lda, beta, c, ldc)
		return
	}
	scale(beta, n, n, c, ldc, p)
	if trans && k >= 4*PanelRows && k >= 4*n {
		tall(k, n, alpha, a, lda, c, ldc, p)
		return
	}
	op := operand{a, lda, trans}
	multiply(active, n, n, k, alpha, op, op.transposed(), c, ldc, p, processors())
}

// tall adds alpha·AᵀA for a matrix with many more rows than columns.
func tall(rows, cols int, alpha float64, a []float64, lda int, c []float64, ldc int, p part) {
	layout, sum := sumGram(a, rows, cols, lda, processors())
	for i := range cols {
		for j := i; j < cols; j++ {
			at := i*ldc + j
			if p == lower {
				at = j*ldc + i
			}
			c[at] += alpha * sum[i*layout.ld+j]
		}
	}
}

// Dsyr2k computes C = alpha·(A·Bᵀ + B·Aᵀ) + beta·C, or with Aᵀ·B + Bᵀ·A if t is a transposition, in one triangle.
func (Blas) Dsyr2k(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	trans, okT := isTrans(t)
	p, okU := partOf(ul)
	r, q := n, k
	if trans {
		r, q = k, n
	}
	if !okT || !okU || !worth(n, n, k) || alpha == 0 || !holds(a, r, q, lda) || !holds(b, r, q, ldb) || !holds(c, n, n, ldc) {
		gonum.Implementation{}.Dsyr2k(ul, t, n, k, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	scale(beta, n, n, c, ldc, p)
	x, y := operand{a, lda, trans}, operand{b, ldb, trans}
	multiply(active, n, n, k, alpha, x, y.transposed(), c, ldc, p, processors())
	multiply(active, n, n, k, alpha, y, x.transposed(), c, ldc, p, processors())
}

// solved is the size of the triangular systems that gonum's own code solves.
const solved = 48

// Dtrsm solves op(A)·X = alpha·B, or X·op(A) = alpha·B, for a triangular A, in the place of B.
func (Blas) Dtrsm(side blas.Side, ul blas.Uplo, t blas.Transpose, diag blas.Diag, m, n int, alpha float64, a []float64, lda int, b []float64, ldb int) {
	trans, okT := isTrans(t)
	_, okU := partOf(ul)
	size := m
	if side == blas.Right {
		size = n
	}
	if !okT || !okU || side != blas.Left && side != blas.Right || diag != blas.Unit && diag != blas.NonUnit || m < 1 || n < 1 ||
		alpha == 0 || size <= solved || !holds(a, size, size, lda) || !holds(b, m, n, ldb) {
		gonum.Implementation{}.Dtrsm(side, ul, t, diag, m, n, alpha, a, lda, b, ldb)
		return
	}
	scale(alpha, m, n, b, ldb, whole)
	s := solver{side, ul, t, diag, m, n, operand{a, lda, trans}, b, ldb}
	s.solve(0, size)
}

type solver struct {
	side blas.Side
	ul   blas.Uplo
	t    blas.Transpose
	diag blas.Diag
	m, n int
	a    operand
	b    []float64
	ldb  int
}

// solve solves with the diagonal block of op(A) from..to, by halves.
func (s *solver) solve(from, to int) {
	size := to - from
	if size <= solved {
		d := s.a.from(from, from)
		if s.side == blas.Left {
			gonum.Implementation{}.Dtrsm(s.side, s.ul, s.t, s.diag, size, s.n, 1, d.data, d.ld, s.b[from*s.ldb:], s.ldb)
		} else {
			gonum.Implementation{}.Dtrsm(s.side, s.ul, s.t, s.diag, s.m, size, 1, d.data, d.ld, s.b[from:], s.ldb)
		}
		return
	}
	half := (size/2 + 7) &^ 7
	mid := from + half
	// A lower triangle is solved from the top for op(A)·X, from the end for X·op(A).
	below := (s.ul == blas.Lower) != s.a.trans
	if below == (s.side == blas.Left) {
		s.solve(from, mid)
		s.eliminate(from, mid, mid, to)
		s.solve(mid, to)
		return
	}
	s.solve(mid, to)
	s.eliminate(mid, to, from, mid)
	s.solve(from, mid)
}

// eliminate takes the unknowns done0..done1 out of the equations of next0..next1.
func (s *solver) eliminate(done0, done1, next0, next1 int) {
	k, size := done1-done0, next1-next0
	if s.side == blas.Left {
		x := operand{s.b[done0*s.ldb:], s.ldb, false}
		multiply(active, size, s.n, k, -1, s.a.from(next0, done0), x, s.b[next0*s.ldb:], s.ldb, whole, processors())
		return
	}
	x := operand{s.b[done0:], s.ldb, false}
	multiply(active, s.m, size, k, -1, x, s.a.from(done0, next0), s.b[next0:], s.ldb, whole, processors())
}
