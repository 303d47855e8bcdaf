package pld

import (
	"math"
	"math/bits"
	"sync"

	"github.com/dpkit-go/dpnb/internal/fourier"
)

// A spectrum convolves tilted laws on the integers modulo its length.
type spectrum struct {
	fft   *fourier.Real
	seq   []float64
	coef  []complex128
	total []complex128
	err   float64 // bound on the L2 distance of the product, over √N, from the exact one
	count float64
}

func newSpectrum(n int) *spectrum {
	return &spectrum{
		fft: fourier.NewReal(n), seq: make([]float64, n),
		coef: make([]complex128, n/2+1), total: make([]complex128, n/2+1),
	}
}

// atRest holds spectra between queries, by their length: the tables of a transform take as long to make as a transform.
var atRest sync.Map // int → *sync.Pool

// takeSpectrum is a spectrum of length n, with what was in it: reset it.
func takeSpectrum(n int) *spectrum {
	if s, ok := restOf(n).Get().(*spectrum); ok {
		return s
	}
	return newSpectrum(n)
}

// rest hands s back, which nobody reads any more.
func (s *spectrum) rest() {
	if s != nil {
		restOf(len(s.seq)).Put(s)
	}
}

func restOf(n int) *sync.Pool {
	p, _ := atRest.LoadOrStore(n, new(sync.Pool))
	return p.(*sync.Pool)
}

func (s *spectrum) reset() {
	for i := range s.total {
		s.total[i] = 1
	}
	s.err, s.count = 0, 0
}

// fftError bounds the relative L2 error of one transform (Higham 2002, Theorem 24.2).
func (s *spectrum) fftError() float64 {
	return float64(bits.Len(uint(len(s.seq)))) * 0x1p-50
}

// multiply takes the count-fold convolution of the masses at the given indices. All transforms are at
// most 1 in absolute value, so that errors add: count times that of one factor, and of the powering.
func (s *spectrum) multiply(node []int64, mass []float64, count int) {
	n := int64(len(s.seq))
	clear(s.seq)
	for i, k := range node {
		if k %= n; k < 0 {
			k += n
		}
		s.seq[k] += mass[i]
	}
	square := 0.0
	for _, t := range s.seq {
		square += t * t
	}
	s.fft.Coefficients(s.coef, s.seq)
	s.err += float64(count) * s.fftError() * math.Sqrt(square)
	s.count += float64(count)
	// Below floor a power is less than 1e-26.
	floor := math.Exp(-120 / float64(count))
	for i, z := range s.coef {
		if real(z)*real(z)+imag(z)*imag(z) < floor {
			s.total[i] = 0
			continue
		}
		if s.total[i] != 0 {
			s.total[i] *= power(z, count)
		}
	}
}

// power is z^n by squaring; its relative error is below 8 n ulp.
func power(z complex128, n int) complex128 {
	r := complex(1, 0)
	for {
		if n&1 == 1 {
			r = mul(r, z)
		}
		if n >>= 1; n == 0 {
			return r
		}
		z = mul(z, z)
	}
}

// mul skips the language's care for infinities.
func mul(a, b complex128) complex128 {
	return complex(real(a)*real(b)-imag(a)*imag(b), real(a)*imag(b)+imag(a)*real(b))
}

// invert returns the convolution at 0 … N−1, cut at 0, and a bound on its L2 error.
func (s *spectrum) invert() (p []float64, err float64) {
	s.fft.Sequence(s.seq, s.total)
	scale := 1 / float64(len(s.seq))
	square := 0.0
	for i, v := range s.seq {
		v = max(0, v*scale)
		s.seq[i] = v
		square += v * v
	}
	// 1e-26 stands for the powers that were cut.
	return s.seq, 1.0001*s.err + (s.fftError()+s.count*0x1p-49)*math.Sqrt(square) + 1e-26
}

// fastLength returns a length of at least n that the transform is quick for.
func fastLength(n int) int {
	best := 1 << bits.Len(uint(max(n, 16)-1))
	for _, f := range []int{3, 5, 9} {
		m := f
		for m < n || m%4 != 0 {
			m *= 2
		}
		best = min(best, m)
	}
	return best
}
