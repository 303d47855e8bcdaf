package linear

import (
	"math"
	"math/big"
	"math/bits"
	"testing"

	"github.com/dpkit-go/dpnb/internal/noise"
)

// TestNormByProduct draws norms in both ways and compares their laws.
func TestNormByProduct(t *testing.T) {
	const n = 4000
	rng := noise.NewDemo(1)
	for _, freedom := range []int{2, 3, 256, 301} {
		var product, direct, other []float64
		for range n {
			product, direct = append(product, chiByProduct(rng, freedom)), append(direct, chi(rng, freedom))
			other = append(other, chiByProduct(rng, freedom+max(1, freedom/20)))
		}
		// Two samples of n: a distance above 3.6√(2/n) has probability below 2e-11 (Kolmogorov's limit law).
		limit := 3.6 * math.Sqrt(2.0/n)
		if d := kolmogorov(product, direct); d > limit {
			t.Errorf("%d degrees of freedom: distance %v, want at most %v", freedom, d, limit)
		}
		if d := kolmogorov(other, direct); d <= limit {
			t.Errorf("%d degrees of freedom: more of them are not seen", freedom)
		}
	}
}

// TestNormRounding computes the same norms from the same bits with many digits: they are off by 28u at most,
// the logarithm here by 4u of that, where u = 2^-53.
func TestNormRounding(t *testing.T) {
	worst := 0.0
	for seed := range uint64(200) {
		freedom := productFreedom + 2*int(seed)
		rng, again := noise.NewDemo(seed), noise.NewDemo(seed)
		got := chiByProduct(rng, freedom)
		product := big.NewFloat(1).SetPrec(4000)
		for range freedom / 2 {
			product.Mul(product, exactUniform(again))
		}
		mantissa := new(big.Float)
		e := product.MantExp(mantissa)
		m, _ := mantissa.Float64()
		want := -2 * (math.Log(m) + float64(e)*math.Ln2)
		worst = max(worst, math.Abs(got*got-want)/want*0x1p53)
	}
	t.Logf("worst error of a square: %.2f of 32 u", worst)
	if !(worst <= 32) || worst == 0 {
		t.Errorf("a square is off by %v u, want at most 32", worst)
	}
}

// exactUniform is the middle of the numbers whose bits begin as those that uniform reads.
func exactUniform(rng *noise.Source) *big.Float {
	w, e := rng.Uint64(), 0
	if z := bits.LeadingZeros64(w); z >= 8 {
		w, e = w<<z|rng.Uint64()>>(64-z), -z
	}
	v := new(big.Float).SetPrec(80).SetUint64(w)
	v.Add(v, big.NewFloat(0.5))
	return v.SetMantExp(v, e-64)
}

// TestUniform: leading zeros are counted over words, and the bits behind them are full.
func TestUniform(t *testing.T) {
	const n = 1 << 16
	rng := noise.NewDemo(5)
	sum, small := 0.0, 0
	for range n {
		u, e := uniform(rng)
		if !(u >= 0x1p-8 && u <= 1) || e > 0 {
			t.Fatalf("got %v·2^%d", u, e)
		}
		if e < 0 {
			small++
		}
		sum += math.Ldexp(u, e)
	}
	if d := math.Abs(sum/n-0.5) * math.Sqrt(12*n); d > 7 { // 2.6e-12
		t.Errorf("the mean is %v standard deviations off ½", d)
	}
	if want := n / 256.0; math.Abs(float64(small)-want) > 7*math.Sqrt(want)+7 {
		t.Errorf("%d variates with 8 leading zeros, want about %v", small, want)
	}
}

// TestProductIsCovered: what the product leaves out is less than what is counted for normal variates not drawn.
func TestProductIsCovered(t *testing.T) {
	tail := math.Exp(-productFreedom / 2.0 * (1.0/8 - 1 + math.Log(8)))
	if spared := (productFreedom - 1) * noise.GaussianTV(normalSigma); !(tail < spared) {
		t.Errorf("tail %v, total variation of the variates not drawn %v", tail, spared)
	}
	// In units of 2^-52: the products L·A and T·Tᵀ, and twice the error of an entry of A.
	if got, budget := 2*productColumns+2+15, 3*productColumns+16; got > budget {
		t.Errorf("errors %d above the budget %d", got, budget)
	}
}
