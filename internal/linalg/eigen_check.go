package linalg

import "math"

// accurate computes what [Symmetric] promises of a matrix that was scaled.
func (s Spectrum) accurate(full []float64) bool {
	n := len(s.Values)
	size := math.Sqrt(sumSquares(full))
	residual := eachProduct(s.Vectors, full, n, func(k int, high, low []float64) (sum float64) {
		v := s.Values[k]
		for j, x := range s.Vectors[k*n : (k+1)*n] {
			d := (high[j] - float64(v*x)) + low[j]
			sum += float64(d * d)
		}
		return sum
	})
	if !(math.Sqrt(residual) <= float64(residualPart(n)*size)) {
		return false
	}
	off := eachProduct(s.Vectors, s.Vectors, n, func(k int, high, low []float64) (sum float64) {
		high[k]--
		for j, x := range high {
			d := x + low[j]
			sum += float64(d * d)
		}
		return sum
	})
	return math.Sqrt(off) <= orthogonalPart(n)
}

// eachProduct adds up f of the rows of X·Yᵀ, for matrices of entries at most 1. A row is high + low to within 2^-20 of what rounding does
// to an ordinary product, as worst cases of n·2^-53 an entry would hide what is to be seen: numbers are parted in those on a grid
// whose products can be summed exactly and rests (Ozaki, Ogita, Oishi, Rump 2012).
func eachProduct(x, y []float64, n int, f func(row int, high, low []float64) float64) (sum float64) {
	const height = 128
	workers := processors()
	grid := productGrid(n)
	y1, y2 := parted(y, grid)
	high, low := make([]float64, min(n, height)*n), make([]float64, min(n, height)*n)
	for from := 0; from < n; from += height {
		rows := min(height, n-from)
		block := x[from*n : (from+rows)*n]
		x1, x2 := parted(block, grid)
		h, l := high[:rows*n], low[:rows*n]
		clear(h)
		clear(l)
		for _, p := range []struct{ x, y, to []float64 }{{x1, y1, h}, {x1, y2, l}, {x2, y, l}} {
			multiply(active, rows, n, n, operand{p.x, n, false}, operand{p.y, n, true}, p.to, n, workers)
		}
		for i := range rows {
			sum += f(from+i, h[i*n:(i+1)*n], l[i*n:(i+1)*n])
		}
	}
	return sum
}

// productGrid is 3·2^(51−q) for the largest q such that n products of numbers in [-1, 1] on the grid 2^-q are summed exactly: a number
// added to it and taken off again is rounded to that grid.
func productGrid(n int) float64 {
	_, bits := math.Frexp(float64(n))
	return math.Ldexp(3, 51-(53-bits)/2)
}

func parted(x []float64, grid float64) (coarse, rest []float64) {
	coarse, rest = make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		c := v + grid - grid
		coarse[i], rest[i] = c, v-c
	}
	return coarse, rest
}
