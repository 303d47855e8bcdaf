package linalg

import "math"

// mostSweeps for one eigenvalue. QL with Wilkinson's shift takes two as a rule. It converges on every tridiagonal matrix, as β_1²β_2 of
// its first entries off the diagonal falls by √2 a sweep at least (Hoffmann, Parlett 1978): one of them is below 2^-53 of the norm
// after 6·53 sweeps of exact arithmetic.
const mostSweeps = 400

// diagonalise is the implicit QL algorithm (Dubrulle, Martin, Wilkinson 1968): rotations turn T into diagonal form, which is left in d, and
// the rows of z into eigenvectors. It is T itself that is rotated, bulge and all, so that every rotation is as exact as
// arithmetic on entries of T is. Entries beside the diagonal count as 0 from 2^-53 of the largest one of T on, in whatever block.
func (t *tridiagonal) diagonalise(z *panelled, most int) {
	norm := 0.0
	for i := range t.d {
		norm = max(norm, math.Abs(t.d[i]), math.Abs(t.e[i]))
	}
	small := float64(0x1p-53 * norm)
	var pending []sweep
	count := 0
	for l := range t.n {
		for range most {
			m := l
			for m < t.n-1 && math.Abs(t.e[m]) > small {
				m++
			}
			if m == l {
				break
			}
			pending = append(pending, t.sweep(l, m))
			// So few that they stay in a cache while panels go by.
			if count += m - l; count >= 16*t.n {
				z.rotate(pending)
				pending, count = pending[:0], 0
			}
		}
		t.e[l] = 0
	}
	z.rotate(pending)
}

// sweep is a run of rotations: the i-th of rows first+1−i and first−i.
type sweep struct {
	first int
	c, s  []float64
}

// sweep makes one step on rows l to m. The shift is the eigenvalue of the first 2×2 block that is nearer to its first entry
// (Wilkinson 1968).
func (t *tridiagonal) sweep(l, m int) sweep {
	d, e := t.d, t.e
	run := sweep{m - 1, make([]float64, 0, m-l), make([]float64, 0, m-l)}
	half, square := float64((d[l+1]-d[l])/2), float64(e[l]*e[l])
	root := math.Sqrt(float64(half*half) + square)
	x, z := d[m]-(d[l]-square/(half+math.Copysign(root, half))), e[m-1]
	for k := m - 1; k >= l; k-- {
		c, s, r := rotation(x, z)
		run.c, run.s = append(run.c, c), append(run.s, s)
		if k < m-1 {
			e[k+1] = r
		}
		// The block [p b; b q] becomes [p−sw x; x q+sw]. Where p and q are close x is off by a rounding of b alone: it converges.
		p, q, b := d[k], d[k+1], e[k]
		w := float64(s*(p-q)) + float64(2*float64(c*b))
		x = float64(c*w) - b
		d[k], d[k+1], e[k] = p-float64(s*w), q+float64(s*w), x
		if k > l { // the bulge is beside e[k−1]
			z, e[k-1] = float64(s*e[k-1]), float64(c*e[k-1])
		}
	}
	return run
}

// rotation returns c² + s² = 1 and r with c·x + s·z = r and c·z = s·x.
func rotation(x, z float64) (c, s, r float64) {
	if math.Abs(z) < vanishing {
		return 1, 0, x
	}
	r = math.Sqrt(float64(x*x) + float64(z*z))
	return x / r, z / r, r
}
