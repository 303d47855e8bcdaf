package rows

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A symmetric d×d matrix is released as its upper triangle, row by row, √2 times off the diagonal: the ℓ2 norm of that
// vector is the Frobenius norm, and equal noise on its coordinates is σ times (Z + Zᵀ)/2 for a matrix Z of independent
// standard normal entries, σ/√2 of the Gaussian orthogonal ensemble of [quad.GOETail] (docs/theory/mechanisms.md#symmetric-noise). "Analyze Gauss" (Dwork, Talwar,
// Thakurta, Zhang 2014) has twice the variance off the diagonal (Redberg, Wang 2021, Algorithm 6).

// PackSymmetric appends the leading d×d block of a row-major matrix, whose rows are stride numbers apart.
func PackSymmetric(to, a []float64, d, stride int) []float64 {
	for i := range d {
		to = append(to, a[i*stride+i])
		for _, v := range a[i*stride+i+1 : i*stride+d] {
			to = append(to, math.Sqrt2*v)
		}
	}
	return to
}

// UnpackSymmetric is the d×d matrix of its packed form.
func UnpackSymmetric(packed []float64, d int) []float64 {
	a := make([]float64, d*d)
	for i := range d {
		for j := i; j < d; j++ {
			v := packed[0]
			if packed = packed[1:]; j > i {
				v /= math.Sqrt2
			}
			a[i*d+j], a[j*d+i] = v, v
		}
	}
	return a
}

// SymmetricCover bounds the largest eigenvalue of noise of deviation sigma on the packed form of a d×d matrix: it is exceeded
// with a probability of at most q.
func SymmetricCover(d int, sigma, q float64) float64 {
	return quad.GOEQuantile(d, q) * sigma / math.Sqrt2
}
