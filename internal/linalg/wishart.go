package linalg

import (
	"fmt"
	"math"
)

// Wishart returns the n×n matrix W = L A Aᵀ Lᵀ for lower-triangular L and A. With L the Cholesky factor of Σ, A_ii
// the square roots of independent χ² variables with k − i degrees of freedom (i from 0) and A_ij, j < i, independent
// standard normal, W has the Wishart law of k ≥ n rows of the law N(0, Σ): the law of the Gram matrix of a Gaussian
// sketch (Bartlett 1933). The caller draws A. Errors wrap [ErrShape].
func Wishart(l, a []float64, n int) ([]float64, error) {
	if err := square("wishart: factor", l, n); err != nil {
		return nil, err
	}
	if err := square("wishart: draw", a, n); err != nil {
		return nil, err
	}
	// T = L A is lower-triangular.
	t := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := 0.0
			for k := j; k <= i; k++ {
				sum += l[i*n+k] * a[k*n+j]
			}
			t[i*n+j] = sum
		}
	}
	w := make([]float64, n*n)
	for i := range n {
		for j := 0; j <= i; j++ {
			sum := 0.0
			for k := 0; k <= j; k++ {
				sum += t[i*n+k] * t[j*n+k]
			}
			w[i*n+j], w[j*n+i] = sum, sum
		}
	}
	return w, nil
}

// StudentT returns the least-squares coefficients of a Gaussian sketch of k rows,
//
//	θ = Σ_xx⁻¹ Σ_xy + √(v/χ) L_xx⁻ᵀ g,  v = Σ_yy − Σ_yx Σ_xx⁻¹ Σ_xy,
//
// for the lower Cholesky factor L of the n×n matrix Σ of d = n − 1 features and, last, the target: L_xx is its leading
// block, the last row of L has L_xx⁻¹ Σ_xy and √v, so that v is positive without a guard. With g of d independent
// standard normal numbers and χ of the χ² law with k − d + 1 degrees of freedom θ has the multivariate t law of the
// regression on the sketch, k ≥ d + 1. The caller draws g and χ. Errors wrap [ErrShape].
func StudentT(l, g []float64, chi float64, n int) ([]float64, error) {
	if err := square("student t: factor", l, n); err != nil {
		return nil, err
	}
	d := n - 1
	if d < 1 || len(g) != d {
		return nil, fmt.Errorf("linalg: student t: draw: got %d numbers for n = %d, want n - 1 and at least one: %w", len(g), n, ErrShape)
	}
	if !(chi > 0) || math.IsInf(chi, 1) {
		return nil, fmt.Errorf("linalg: student t: draw: got a χ² variable that is not positive and finite, want one that is: %w", ErrShape)
	}
	features, right := make([]float64, d*d), make([]float64, d)
	scale := l[d*n+d] / math.Sqrt(chi)
	for i := range d {
		copy(features[i*d:(i+1)*d], l[i*n:i*n+d])
		right[i] = l[d*n+i] + scale*g[i]
	}
	return SolveLowerTransposed(features, right, d)
}
