package linalg

import (
	"cmp"
	"math"
	"slices"
)

// Spectrum is the decomposition A = Σ_k Values[k]·v_k·v_kᵀ of a symmetric n×n matrix.
type Spectrum struct {
	Values  []float64 // descending
	Vectors []float64 // row-major n×n: v_k is row k; rows have length 1 and are orthogonal
}

// In units of a matrix's scale: entries below negligible count as 0, and on the way what is below vanishing, which is far less than
// rounding does to whatever entries are left. Their squares, and the squares of these, are normal numbers.
const negligible, vanishing = 0x1p-100, 0x1p-200

// Symmetric decomposes the symmetric matrix whose row-major upper triangle it reads. It ends on every matrix, with the accuracy that
// follows and without an error that would tell of its entries; one that is not finite counts as 0. The result has the same bits on
// every machine, for any number of processors.
//
// bound is a public bound on the size of entries. The matrix is scaled by the power of two above it, which is exact, and entries below
// 2^-100 of that count as 0, so that no block of the matrix, however small, decides how another is treated. A larger entry
// raises the scale; a bound of 0 leaves it to the largest one, which is right where the matrix itself is public.
//
// There are an orthonormal basis u_k and a symmetric E with A + E = Σ Values[k]·u_k·u_kᵀ and
//
//	‖E‖_F ≤ e = EigenRounding(n)·‖A‖_F + 2^-99·n·(bound or the largest entry),
//
// and Vectors are u_k to within EigenRounding(n), all together. So every eigenvalue is off by at most e (Weyl 1912), all together
// by as much in Euclidean norm (Hoffman, Wielandt 1953), and their sum by √n·e of the trace. This is no promise of an analysis: A·V
// against V·Λ and V·Vᵀ against 1 are computed, and what fails is decomposed by Jacobi's method.
//
// The error wraps [ErrShape].
func Symmetric(a []float64, n int, bound float64) (Spectrum, error) {
	if err := square("eigenvalues: matrix", a, n); err != nil {
		return Spectrum{}, err
	}
	return decompose(a, n, bound, mostSweeps), nil
}

// EigenRounding is the part of the Frobenius norm of an n×n matrix that [Symmetric] may be off by.
func EigenRounding(n int) float64 { return residualPart(n) + orthogonalPart(n) }

// residualPart bounds ‖AV − VΛ‖_F/‖A‖_F, orthogonalPart ‖VVᵀ − 1‖_F. With V = U(1 + S), U orthogonal and S symmetric, S is half of VᵀV − 1
// to first order, and AU − UΛ is AV − VΛ less U(ΛS − SΛ), of which no entry exceeds 2‖A‖·|S_ij|: their sum is e of [Symmetric]. QL
// comes to a twentieth of the one and a quarter of the other: its rotations, whose c² + s² is not quite 1, leave 2n roundings in V·Vᵀ.
func residualPart(n int) float64   { return float64(float64(n+64) * 0x1p-51) }
func orthogonalPart(n int) float64 { return float64(float64(n+64) * 0x1p-50) }

func decompose(a []float64, n int, bound float64, sweeps int) Spectrum {
	full, exponent := scaled(a, n, bound)
	t := tridiagonalise(full, n)
	z := t.basis()
	t.diagonalise(z, sweeps)
	s := ordered(t.d, z.row)
	if !s.accurate(full) {
		s = jacobi(full, n)
	}
	for k, v := range s.Values {
		s.Values[k] = math.Ldexp(v, exponent)
	}
	return s
}

// scaled returns the whole matrix times 2^-exponent: entries at most 1, negligible ones 0.
func scaled(a []float64, n int, bound float64) (full []float64, exponent int) {
	largest := 0.0
	if bound > 0 && bound <= math.MaxFloat64 {
		largest = bound
	}
	for i := range n {
		for _, v := range a[i*n+i : (i+1)*n] {
			if v = math.Abs(v); v > largest && v <= math.MaxFloat64 {
				largest = v
			}
		}
	}
	_, exponent = math.Frexp(largest)
	exponent = max(exponent, -1000) // so that its inverse is a number
	unit := math.Ldexp(1, -exponent)
	full = make([]float64, n*n)
	for i := range n {
		for j := i; j < n; j++ {
			v := float64(a[i*n+j] * unit)
			if !(math.Abs(v) >= negligible && math.Abs(v) <= 1) {
				v = 0
			}
			full[i*n+j], full[j*n+i] = v, v
		}
	}
	return full, exponent
}

// ordered sorts by descending eigenvalues, equal ones as they come, and gives rows the length 1 again, which thousands of rotations
// wear off.
func ordered(values []float64, row func(to []float64, i int)) Spectrum {
	n := len(values)
	order := make([]int, n)
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(values[j], values[i]) })
	s := Spectrum{make([]float64, n), make([]float64, n*n)}
	for k, at := range order {
		s.Values[k] = values[at]
		to := s.Vectors[k*n : (k+1)*n]
		row(to, at)
		f := 1 / math.Sqrt(sumSquares(to))
		for j, v := range to {
			to[j] = float64(f * v)
		}
	}
	return s
}

// sumSquares is off by little more than a rounding, however many numbers there are (Neumaier 1974): what a reflection or a row is off
// from length 1 by stays.
func sumSquares(x []float64) float64 {
	sum, rest := 0.0, 0.0
	for _, v := range x {
		v = float64(v * v)
		t := sum + v
		if sum >= v {
			rest += (sum - t) + v
		} else {
			rest += (v - t) + sum
		}
		sum = t
	}
	return sum + rest
}
