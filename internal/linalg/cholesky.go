package linalg

import (
	"errors"
	"fmt"
	"math"
)

var (
	// ErrShape reports a slice of the wrong length or a dimension outside its range.
	ErrShape = errors.New("wrong shape")
	// ErrNotPositive reports a matrix that is not positive definite in float64, NaN among its entries included.
	ErrNotPositive = errors.New("not positive definite")
)

// Cholesky returns the lower-triangular factor L of a symmetric positive definite n×n matrix, a = L Lᵀ, with a
// positive diagonal and zeros above it. It reads the lower triangle of a alone.
// Errors wrap [ErrShape] or [ErrNotPositive].
func Cholesky(a []float64, n int) ([]float64, error) {
	if err := square("cholesky: matrix", a, n); err != nil {
		return nil, err
	}
	l := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := a[i*n+j]
			for k := range j {
				sum -= l[i*n+k] * l[j*n+k]
			}
			if i > j {
				l[i*n+j] = sum / l[j*n+j]
				continue
			}
			if !(sum > 0) || math.IsInf(sum, 1) {
				return nil, fmt.Errorf("linalg: cholesky: %d×%d matrix; add to its diagonal: %w", n, n, ErrNotPositive)
			}
			l[i*n+i] = math.Sqrt(sum)
		}
	}
	return l, nil
}

// SolveLower returns the x of L x = b, for a lower-triangular n×n matrix with a diagonal without zeros and b of n
// numbers. The error wraps [ErrShape].
func SolveLower(l, b []float64, n int) ([]float64, error) {
	if err := solvable(l, b, n); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for i := range n {
		sum := b[i]
		for k := range i {
			sum -= l[i*n+k] * x[k]
		}
		x[i] = sum / l[i*n+i]
	}
	return x, nil
}

// SolveLowerTransposed returns the x of Lᵀ x = b; see [SolveLower].
func SolveLowerTransposed(l, b []float64, n int) ([]float64, error) {
	if err := solvable(l, b, n); err != nil {
		return nil, err
	}
	x := make([]float64, n)
	for i := n - 1; i >= 0; i-- {
		sum := b[i]
		for k := i + 1; k < n; k++ {
			sum -= l[k*n+i] * x[k]
		}
		x[i] = sum / l[i*n+i]
	}
	return x, nil
}

func solvable(l, b []float64, n int) error {
	if err := square("solve: matrix", l, n); err != nil {
		return err
	}
	if len(b) != n {
		return fmt.Errorf("linalg: solve: right side: got %d numbers, want %d: %w", len(b), n, ErrShape)
	}
	for i := range n {
		if l[i*n+i] == 0 {
			return fmt.Errorf("linalg: solve: matrix: got a zero on the diagonal, want none: %w", ErrShape)
		}
	}
	return nil
}

func square(what string, a []float64, n int) error {
	if n < 1 || n > 1<<20 || len(a)%n != 0 || len(a)/n != n {
		return fmt.Errorf("linalg: %s: got %d numbers for n = %d, want n² and n at least 1: %w", what, len(a), n, ErrShape)
	}
	return nil
}
