package linalg

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// positiveBlock is the number of rows of a Cholesky factor that are found without kernels.
const positiveBlock = 64

// SolvePositive returns the x of A x = b for a symmetric positive definite n×n matrix A, of which it reads the upper
// triangle, and b of n numbers. It solves (A + E)x = b exactly with |E| ≤ γ_{3n+1} |Uᵀ||U|, U being the computed factor (Higham 2002, Thm. 10.4,
// which holds for any order of sums). It uses all processors; the result has the same bits for any number of them. Errors wrap [ErrShape]
// or [ErrNotPositive].
func SolvePositive(a, b []float64, n int) ([]float64, error) {
	if err := square("positive system: matrix", a, n); err != nil {
		return nil, err
	}
	if len(b) != n {
		return nil, fmt.Errorf("linalg: positive system: right side: got %d numbers, want %d: %w", len(b), n, ErrShape)
	}
	u, x := slices.Clone(a), slices.Clone(b)
	if !upperFactor(u, n) || !finiteDiagonal(u, n) {
		return nil, fmt.Errorf("linalg: positive system: %d×%d matrix; add to its diagonal: %w", n, n, ErrNotPositive)
	}
	of := operand{u, n, true}
	for _, u := range []operand{of, of.transposed()} {
		(&upperSystem{u, 1, x, 1}).solve(0, n)
	}
	return x, nil
}

// finiteDiagonal tells if no entry of the diagonal is infinite: a row that was divided by one looks like zeros.
func finiteDiagonal(a []float64, n int) bool {
	for i := range n {
		if math.IsInf(a[i*n+i], 0) {
			return false
		}
	}
	return true
}

// upperFactor overwrites the upper triangle of A with that of U, A = UᵀU; what is below is spoilt. It tells if A is
// positive definite.
func upperFactor(a []float64, n int) bool {
	if active == portable || n <= positiveBlock {
		return lapack.Implementation{}.Dpotrf(blas.Upper, n, a, n)
	}
	for j := 0; j < n; j += positiveBlock {
		size := min(positiveBlock, n-j)
		next := j + size
		above, diagonal := operand{a[j:], n, true}, a[j*n+j:]
		subtractGram(size, j, above, diagonal)
		if !(lapack.Implementation{}).Dpotf2(blas.Upper, size, diagonal, n) {
			return false
		}
		if next == n {
			break
		}
		right := a[j*n+next:]
		subtractProduct(size, n-next, j, above, operand{a[next:], n, false}, right, n)
		(&upperSystem{operand{diagonal, n, true}, n - next, right, n}).solve(0, size)
	}
	return true
}

// subtractGram takes UᵀU from the upper triangle of C, for k rows U of size numbers.
func subtractGram(size, k int, u operand, c []float64) {
	if k < 4*PanelRows || !worth(size, size, k) {
		subtractProduct(size, size, k, u, u.transposed(), c, u.ld)
		return
	}
	layout, sum := sumGram(u.data, k, size, u.ld, processors())
	for i := range size {
		for j := i; j < size; j++ {
			c[i*u.ld+j] -= sum[i*layout.ld+j]
		}
	}
}
