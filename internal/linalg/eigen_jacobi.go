package linalg

import "math"

// jacobi decomposes by plane rotations (Jacobi 1846), in a time of which more can be said than of its length: of the sum of squares off the
// diagonal, S, a rotation takes 2a² for the entry a that it makes 0. In a stage all entries with n²a² ≥ S/4 are rotated, of which
// there can be 2n², and after it S is a quarter of what it was; some forty stages lead to where S is rounding.
// It is the second opinion of [Symmetric]: QL ends on every matrix in theory (Wilkinson 1968) and on every one that was tried.
func jacobi(full []float64, n int) Spectrum {
	v := make([]float64, n*n)
	for i := range n {
		v[i*n+i] = 1
	}
	enough := float64(float64(residualPart(n)/16) * math.Sqrt(sumSquares(full)))
	for {
		off := 0.0
		for i := range n {
			off += sumSquares(full[i*n : i*n+i])
		}
		off = math.Sqrt(float64(2 * off))
		if off <= enough {
			break
		}
		least := off / float64(2*n)
		for rotated := true; rotated; {
			rotated = false
			for p := 1; p < n; p++ {
				for q := range p {
					if math.Abs(full[p*n+q]) >= least {
						annihilate(full, v, n, p, q)
						rotated = true
					}
				}
			}
		}
	}
	values := make([]float64, n)
	for i := range values {
		values[i] = full[i*n+i]
	}
	return ordered(values, func(to []float64, i int) { copy(to, v[i*n:]) })
}

// annihilate rotates rows and columns p and q so that entry (p, q) is 0, by at most 45 degrees (Rutishauser 1966), and the rows of v.
func annihilate(a, v []float64, n, p, q int) {
	theta := (a[q*n+q] - a[p*n+p]) / float64(2*a[p*n+q])
	tan := 1 / (math.Abs(theta) + math.Sqrt(float64(theta*theta)+1))
	if theta < 0 {
		tan = -tan
	}
	move := float64(tan * a[p*n+q])
	c := 1 / math.Sqrt(float64(tan*tan)+1)
	s := float64(tan * c)
	for k := range n {
		x, y := a[p*n+k], a[q*n+k]
		x, y = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
		if k == p || k == q {
			continue
		}
		a[p*n+k], a[k*n+p], a[q*n+k], a[k*n+q] = x, x, y, y
	}
	a[p*n+p] -= move
	a[q*n+q] += move
	a[p*n+q], a[q*n+p] = 0, 0
	for k := range n {
		x, y := v[p*n+k], v[q*n+k]
		v[p*n+k], v[q*n+k] = float64(c*x)-float64(s*y), float64(s*x)+float64(c*y)
	}
}
