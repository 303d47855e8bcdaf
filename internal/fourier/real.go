package fourier

import (
	"fmt"
	"math"
)

// Real transforms real sequences of one length. It is not safe for concurrent use.
type Real struct {
	passes []pass
	a, b   []float64 // a pass reads one and writes the other
}

// A pass goes between rows of size numbers and ones that are radix times as long; there are count of the latter.
type pass struct {
	radix, size, count int
	twiddle            [][]float64 // of each row but the first: cosines and sines
}

// NewReal prepares transforms of length n: an even number that is a power of two, or 3, 5 or 9 times one.
func NewReal(n int) *Real {
	radices := factors(n)
	t := &Real{a: make([]float64, n), b: make([]float64, n)}
	step := 2 * math.Pi / float64(n)
	count := 1
	for _, radix := range radices {
		p := pass{radix: radix, size: n / (count * radix), count: count}
		for j := 1; j < radix; j++ {
			w := make([]float64, p.size)
			angle := float64(j*count) * step
			for k := 1; 2*k < p.size; k++ {
				arg := float64(k) * angle
				w[2*k-2], w[2*k-1] = math.Cos(arg), math.Sin(arg)
			}
			p.twiddle = append(p.twiddle, w)
		}
		t.passes = append(t.passes, p)
		count *= radix
	}
	return t
}

// factors are the radices of the passes: 2 first, if it is one, then 4, 3 and 5.
func factors(n int) (radices []int) {
	rest := max(n, 0)
	for rest > 0 && rest%4 == 0 {
		radices, rest = append(radices, 4), rest/4
	}
	if rest%2 == 0 {
		radices, rest = append([]int{2}, radices...), rest/2
	}
	switch rest {
	case 1:
	case 3, 5:
		radices = append(radices, rest)
	case 9:
		radices = append(radices, 3, 3)
	default:
		rest = 0
	}
	if rest == 0 || n%2 != 0 {
		panic(fmt.Sprintf("fourier: length: got %d, want an even number that is a power of two, or 3, 5 or 9 times one", n))
	}
	return radices
}

// Coefficients puts Σ seq[j] e^{−2πijk/n}, for k from 0 to n/2, into dst.
func (t *Real) Coefficients(dst []complex128, seq []float64) {
	t.mustFit(len(seq), len(dst))
	from, to := t.a, t.b
	copy(from, seq)
	for i := len(t.passes) - 1; i >= 0; i-- {
		t.passes[i].forward(to, from)
		from, to = to, from
	}
	last := len(dst) - 1
	dst[0], dst[last] = complex(from[0], 0), complex(from[len(from)-1], 0)
	for i := 1; i < last; i++ {
		dst[i] = complex(from[2*i-1], from[2*i])
	}
}

// Sequence puts n times the sequence that has the coefficients into dst.
func (t *Real) Sequence(dst []float64, coefficients []complex128) {
	t.mustFit(len(dst), len(coefficients))
	from, to := t.a, t.b
	last := len(coefficients) - 1
	from[0], from[len(from)-1] = real(coefficients[0]), real(coefficients[last])
	for i := 1; i < last; i++ {
		from[2*i-1], from[2*i] = real(coefficients[i]), imag(coefficients[i])
	}
	for i := range t.passes {
		if i == len(t.passes)-1 {
			to = dst
		}
		t.passes[i].backward(to, from)
		from, to = to, from
	}
}

func (t *Real) mustFit(seq, coefficients int) {
	if n := len(t.a); seq != n || coefficients != n/2+1 {
		panic(fmt.Sprintf("fourier: a transform of length %d: got %d numbers and %d coefficients, want %d and %d", n, seq, coefficients, n, n/2+1))
	}
}

// apart is the k-th row of the j-th sequence, where the rows of a sequence follow each other.
func (p *pass) apart(x []float64, j, k int) []float64 {
	at := (k + p.count*j) * p.size
	return x[at : at+p.size : at+p.size]
}

// beside is the same row where the k-th rows of all sequences follow each other.
func (p *pass) beside(x []float64, j, k int) []float64 {
	at := (j + p.radix*k) * p.size
	return x[at : at+p.size : at+p.size]
}
