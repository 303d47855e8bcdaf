package noise

import (
	"math"
	"math/big"
	"testing"
)

// TestAddFineGaussian: a sum becomes ⌊(sum·2^finer + noise)/2^finer⌋, with the noise that the same bits give.
func TestAddFineGaussian(t *testing.T) {
	for _, finer := range []int{0, 1, 17, 56} {
		sums := []int64{0, 1, -1, 12345, -98765, 1 << 61, -1 << 61, math.MaxInt64, math.MinInt64}
		got := append([]int64(nil), sums...)
		AddFineGaussian(NewDemo(7), got, MaxSigma-3, finer)
		again := NewDemo(7)
		for i, sum := range sums {
			exact := big.NewInt(min(max(sum, -1<<62), 1<<62))
			exact.Lsh(exact, uint(finer))
			exact.Add(exact, big.NewInt(again.DiscreteGaussian(MaxSigma-3)))
			if exact.Rsh(exact, uint(finer)).CmpAbs(big.NewInt(maxSum)) > 0 {
				exact.SetInt64(maxSum * int64(exact.Sign()))
			}
			if got[i] != exact.Int64() {
				t.Errorf("finer by %d, sum %d: got %d, want %v", finer, sum, got[i], exact)
			}
		}
	}
	plain, fine := []int64{5, -6, 7}, []int64{5, -6, 7}
	AddGaussian(NewDemo(3), plain, 1000)
	AddFineGaussian(NewDemo(3), fine, 1000, 0)
	for i := range plain {
		if plain[i] != fine[i] {
			t.Errorf("sum %d: %d with noise of the same grid, %d by AddGaussian", i, fine[i], plain[i])
		}
	}
}

// TestAddFineGaussianLaw: at σ of two coarse steps the values have the masses of a normal variate rounded down.
func TestAddFineGaussianLaw(t *testing.T) {
	const finer, m = 40, 7
	s := New()
	below := func(x float64) float64 { return math.Erfc(-x/2/math.Sqrt2) / 2 }
	probs := make([]float64, 2*m+3)
	for x := -m; x <= m; x++ {
		probs[x+m+1] = below(float64(x+1)) - below(float64(x))
	}
	probs[0], probs[2*m+2] = below(-m), 1-below(m+1)
	checkLaw(t, cells(m, 200_000, func() int64 {
		x := []int64{0}
		AddFineGaussian(s, x, 2<<finer, finer)
		return x[0]
	}), probs)
}
