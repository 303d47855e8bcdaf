package linalg

import "math"

// tridiagonal is T = QᵀAQ with Q = H_{n-1}·…·H_1, H_i = 1 − tau_i·v_i·v_iᵀ (Householder 1958). A product is never fused into a
// sum here, and the order of sums is fixed: every machine has the same bits.
type tridiagonal struct {
	n    int
	d, e []float64 // diagonal, and beside it: e[i] is in row i and column i+1
	v    []float64 // row i of n: v_i, of i numbers
	tau  []float64
}

// tridiagonalise reduces a matrix, entries at most 1, from its last row on. In one pass over the rows of what is left the
// step before is taken off, A − v·wᵀ − w·vᵀ, and multiplied by the v of this one.
func tridiagonalise(full []float64, n int) *tridiagonal {
	t := &tridiagonal{n: n, d: make([]float64, n), e: make([]float64, n), v: make([]float64, n*n), tau: make([]float64, n)}
	copy(t.v, full)
	v, w, next := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := n - 1; i > 0; i-- {
		row := t.v[i*n : i*n+i]
		t.d[i] = subtract(t.v[i*n:i*n+i+1], v, w, i)
		t.e[i-1], t.tau[i] = reflector(row)
		p := next[:i]
		clear(p)
		for j := range i {
			p[j] += t.pass(j, v, w, row, p)
		}
		k := 0.0
		for j, x := range row {
			p[j] = float64(t.tau[i] * p[j])
			k += float64(p[j] * x)
		}
		k = float64(float64(k*t.tau[i]) / 2)
		for j, x := range row {
			p[j] -= float64(k * x)
		}
		copy(v, row)
		w, next = next, w
	}
	t.d[0] = subtract(t.v[:1], v, w, 0)
	return t
}

// subtract takes the step before off a row up to the diagonal, and returns what is there.
func subtract(row, v, w []float64, i int) float64 {
	x, y := v[i], w[i]
	for k := range row {
		row[k] -= float64(x*w[k]) + float64(y*v[k])
	}
	return row[i]
}

// pass takes the step before off row j, adds its share of A·x to p for what is left of the diagonal, and returns that of the
// row itself.
func (t *tridiagonal) pass(j int, v, w, x, p []float64) float64 {
	row := t.v[j*t.n : j*t.n+j]
	a, b, f := v[j], w[j], x[j]
	v, w, x, p = v[:len(row)], w[:len(row)], x[:len(row)], p[:len(row)]
	var s0, s1, s2, s3 float64
	k := 0
	for ; k+4 <= len(row); k += 4 {
		r, v, w, x, p := (*[4]float64)(row[k:]), (*[4]float64)(v[k:]), (*[4]float64)(w[k:]), (*[4]float64)(x[k:]), (*[4]float64)(p[k:])
		y0 := r[0] - (float64(a*w[0]) + float64(b*v[0]))
		y1 := r[1] - (float64(a*w[1]) + float64(b*v[1]))
		y2 := r[2] - (float64(a*w[2]) + float64(b*v[2]))
		y3 := r[3] - (float64(a*w[3]) + float64(b*v[3]))
		r[0], r[1], r[2], r[3] = y0, y1, y2, y3
		s0 += float64(y0 * x[0])
		s1 += float64(y1 * x[1])
		s2 += float64(y2 * x[2])
		s3 += float64(y3 * x[3])
		p[0] += float64(y0 * f)
		p[1] += float64(y1 * f)
		p[2] += float64(y2 * f)
		p[3] += float64(y3 * f)
	}
	for ; k < len(row); k++ {
		y := row[k] - (float64(a*w[k]) + float64(b*v[k]))
		row[k] = y
		s0 += float64(y * x[k])
		p[k] += float64(y * f)
	}
	at := &t.v[j*t.n+j]
	*at -= float64(a*b) + float64(b*a)
	return (s0 + s1) + (s2 + s3) + float64(*at*f)
}

// reflector replaces x, not empty, by the v of H = 1 − tau·v·vᵀ that leaves its last number alone, and returns that number of Hx and tau. The
// last number of v is 1; where the others of x are vanishing, v and tau are 0.
func reflector(x []float64) (last, tau float64) {
	end := len(x) - 1
	alpha, largest := x[end], 0.0
	for _, v := range x[:end] {
		largest = max(largest, math.Abs(v))
	}
	if !(largest >= vanishing) {
		clear(x)
		return alpha, 0
	}
	beta := -math.Copysign(math.Sqrt(sumSquares(x)), alpha)
	f := 1 / (alpha - beta)
	for k := range x[:end] {
		x[k] = float64(x[k] * f)
	}
	x[end] = 1
	return beta, 2 / sumSquares(x)
}

// basis returns Qᵀ = H_1·…·H_{n-1}, eight rows at a time. Row r is that of the identity until H_{r+1}.
func (t *tridiagonal) basis() *panelled {
	n := t.n
	z := newPanelled(n)
	share(z.panels(), z.workers(), 1, func(part int) {
		rows := make([]float64, n*strip) // column k of the eight rows is rows[8k:8k+8]
		first := part * strip
		for q := first; q < min(first+strip, n); q++ {
			rows[q*strip+q-first] = 1
		}
		for i := first + 1; i < n; i++ {
			if t.tau[i] != 0 {
				active.reflect(t.tau[i], t.v[i*n:i*n+i], rows[:i*strip])
			}
		}
		for q := first; q < min(first+strip, n); q++ {
			for k := range n {
				z.panel(k / strip)[q*strip+k%strip] = rows[k*strip+q-first]
			}
		}
	})
	return z
}
