package pld

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestSpectrum compares with a direct cyclic convolution in 200 bits: the L2 error is within its bound.
func TestSpectrum(t *testing.T) {
	single.Goroutine(t)
	rng := rand.New(rand.NewPCG(3, 4))
	newBig := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	convolve := func(a, b []*big.Float) []*big.Float {
		n := len(a)
		c := make([]*big.Float, n)
		for i := range c {
			c[i] = newBig(0)
		}
		for i := range a {
			for j := range b {
				k := (i + j) % n
				c[k].Add(c[k], new(big.Float).SetPrec(200).Mul(a[i], b[j]))
			}
		}
		return c
	}
	worst := 0.0
	for _, n := range []int{16, 24, 40, 64} {
		for range 6 {
			s := newSpectrum(n)
			s.reset()
			exact := make([]*big.Float, n)
			for i := range exact {
				exact[i] = newBig(0)
			}
			exact[0] = newBig(1)
			for range 1 + rng.IntN(3) {
				node, mass := make([]int64, n), make([]float64, n)
				direct := make([]*big.Float, n)
				sum := 0.0
				for i := range n {
					node[i] = int64(i) - int64(n)*int64(rng.IntN(5)-2)
					mass[i] = math.Exp(-20 * rng.Float64())
					sum += mass[i]
				}
				for i := range n {
					mass[i] /= sum
					direct[i] = newBig(mass[i])
				}
				count := 1 + rng.IntN(40)
				s.multiply(node, mass, count)
				for range count {
					exact = convolve(exact, direct)
				}
			}
			got, bound := s.invert()
			square := 0.0
			for i := range got {
				d, _ := new(big.Float).Sub(exact[i], newBig(got[i])).Float64()
				square += d * d
			}
			err := math.Sqrt(square)
			worst = max(worst, err/bound)
			if !(err <= bound) {
				t.Errorf("n = %d: L2 error %g, bound %g", n, err, bound)
			}
		}
	}
	t.Logf("worst error is %.2g of its bound", worst)
}

func TestFastLength(t *testing.T) {
	for n := 1; n < 5000; n += 7 {
		m := fastLength(n)
		if m < n || m%2 != 0 || (n > 64 && m > n*4/3) {
			t.Errorf("fastLength(%d) = %d", n, m)
		}
	}
}
