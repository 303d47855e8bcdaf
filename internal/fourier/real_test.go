package fourier

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/dsp/fourier"
)

// TestBitsOfGonum: both directions give the bits of gonum's transform, for all kinds of lengths and sequences.
func TestBitsOfGonum(t *testing.T) {
	t.Parallel()
	if fuses(0.1, 10, -1) {
		t.Skip("the compiler may round a product and a sum once, as it sees fit")
	}
	rng := rand.New(rand.NewPCG(7, 1))
	eachLength(func(n int) {
		ours, theirs := NewReal(n), fourier.NewFFT(n)
		got, want := make([]complex128, n/2+1), make([]complex128, n/2+1)
		back, wantBack := make([]float64, n), make([]float64, n)
		for _, density := range []float64{0, 0.1, 1} {
			seq := sequence(rng, n, density)
			ours.Coefficients(got, seq)
			theirs.Coefficients(want, seq)
			for i, w := range want {
				if !sameBits(real(got[i]), real(w)) || !sameBits(imag(got[i]), imag(w)) {
					t.Fatalf("n = %d: coefficient %d: got %v, want %v", n, i, got[i], w)
				}
			}
			ours.Sequence(back, got)
			theirs.Sequence(wantBack, want)
			for i, w := range wantBack {
				if !sameBits(back[i], w) {
					t.Fatalf("n = %d: number %d: got %v, want %v", n, i, back[i], w)
				}
			}
		}
	})
}

// TestThereAndBack: both directions together multiply by the length, to the accuracy of the algorithm (Higham 2002, Theorem 24.2).
func TestThereAndBack(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(7, 2))
	eachLength(func(n int) {
		transform := NewReal(n)
		seq, coefficients, back := sequence(rng, n, 1), make([]complex128, n/2+1), make([]float64, n)
		transform.Coefficients(coefficients, seq)
		transform.Sequence(back, coefficients)
		size, off := 0.0, 0.0
		for i, v := range seq {
			size, off = math.Hypot(size, v), math.Hypot(off, back[i]/float64(n)-v)
		}
		if !(off <= 0x1p-50*math.Log2(float64(n))*size) {
			t.Errorf("n = %d: off by %g of %g", n, off, size)
		}
	})
}

// TestLengths: what is no length is told.
func TestLengths(t *testing.T) {
	t.Parallel()
	for _, n := range []int{-4, 0, 1, 3, 9, 7 * 8, 15 * 4, 25 * 4, 27 * 4} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("length %d: got a transform, want a panic", n)
				}
			}()
			NewReal(n)
		}()
	}
}

func eachLength(f func(n int)) {
	for _, part := range []int{1, 3, 5, 9} {
		for n := 2 * part; n <= 1<<15; n *= 2 {
			f(n)
		}
	}
}

// sequence has numbers of all sizes in a share of its places.
func sequence(rng *rand.Rand, n int, share float64) []float64 {
	seq := make([]float64, n)
	for i := range seq {
		if rng.Float64() < share {
			seq[i] = rng.NormFloat64() * math.Exp(20*rng.NormFloat64())
		}
	}
	return seq
}

func sameBits(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }

func BenchmarkReal(b *testing.B) {
	for _, n := range []int{1 << 12, 5 << 14, 1 << 20} {
		seq, back, coefficients := make([]float64, n), make([]float64, n), make([]complex128, n/2+1)
		for i := range seq {
			seq[i] = 1 / float64(1+i)
		}
		ours, theirs := NewReal(n), fourier.NewFFT(n)
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				ours.Coefficients(coefficients, seq)
				ours.Sequence(back, coefficients)
			}
		})
		b.Run(strconv.Itoa(n)+"/gonum", func(b *testing.B) {
			for b.Loop() {
				theirs.Coefficients(coefficients, seq)
				theirs.Sequence(back, coefficients)
			}
		})
	}
}

// fuses reports whether the compiler rounds a product and a sum once.
//
//go:noinline
func fuses(a, b, c float64) bool { return a*b+c != float64(a*b)+c }
