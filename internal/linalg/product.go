package linalg

import (
	"fmt"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/gonum"
)

// Matrix is a row-major matrix of Rows rows of Cols numbers, Stride apart, or with Transposed the Cols×Rows transpose of
// that one.
type Matrix struct {
	Data               []float64
	Rows, Cols, Stride int
	Transposed         bool
}

// Dense is the matrix of those numbers, row by row.
func Dense(data []float64, rows, cols int) Matrix { return Matrix{data, rows, cols, cols, false} }

// T is the transpose.
func (m Matrix) T() Matrix {
	m.Transposed = !m.Transposed
	return m
}

// Dims are the rows and columns of the matrix, as it counts in a product.
func (m Matrix) Dims() (rows, cols int) {
	if m.Transposed {
		return m.Cols, m.Rows
	}
	return m.Rows, m.Cols
}

func (m Matrix) check(what string) error {
	if m.Rows < 1 {
		return fmt.Errorf("linalg: %s: got %d rows, want at least 1: %w", what, m.Rows, ErrShape)
	}
	return matrixShape(what, len(m.Data), m.Rows, m.Cols, m.Stride)
}

// Product writes A·B to dst, whose rows are stride numbers apart; what lies between rows stays. dst shares no memory with A
// and B. It uses all processors; the result has the same bits for any number of them. An entry of k terms is off by at
// most γ_k times the sum of its terms' magnitudes (Higham 2002, §3.1). NaN and infinity in a row or column reach its
// entries, unless the product is small or the processor has no kernels: then terms with a factor 0 are left out. The
// error wraps [ErrShape].
func Product(dst []float64, stride int, a, b Matrix) error {
	if err := a.check("product: left factor"); err != nil {
		return err
	}
	if err := b.check("product: right factor"); err != nil {
		return err
	}
	m, k := a.Dims()
	kb, n := b.Dims()
	if k != kb {
		return fmt.Errorf("linalg: product: got a %d×%d and a %d×%d matrix, want as many columns of the first as rows of the second: %w", m, k, kb, n, ErrShape)
	}
	if err := matrixShape("product: result", len(dst), m, n, stride); err != nil {
		return err
	}
	if active == portable || !worth(m, n, k) {
		gonum.Implementation{}.Dgemm(transposition(a), transposition(b), m, n, k, 1, a.Data, a.Stride, b.Data, b.Stride, 0, dst, stride)
		return nil
	}
	for i := range m {
		clear(dst[i*stride : i*stride+n])
	}
	multiply(active, m, n, k, operand{a.Data, a.Stride, a.Transposed}, operand{b.Data, b.Stride, b.Transposed}, dst, stride, processors())
	return nil
}

// worth tells if packing pays for a product of that shape.
func worth(m, n, k int) bool { return m >= 4 && n >= 4 && k >= 4 && terms(m, n, k) >= 1<<11 }

func transposition(m Matrix) blas.Transpose {
	if m.Transposed {
		return blas.Trans
	}
	return blas.NoTrans
}
