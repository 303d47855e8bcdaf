package linear

import (
	"math"
	"math/big"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/linalg"
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
	if most := math.Exp(-0.6 * productFreedom); !(tail < most) {
		t.Errorf("tail %v, counted %v", tail, most)
	}
	// In units of 2^-52: the products L·A and T·Tᵀ, twice the error of an entry of A, and the variates' distance from exact ones.
	if got, budget := 2*productColumns+2+15+8, 3*productColumns+16; got > budget {
		t.Errorf("errors %d above the budget %d", got, budget)
	}
}

// TestNormalIsNearANormal checks the numbers in the proof of normal: the sum over integers that Poisson summation makes flat, which at
// τ = 1 is seen to wave by as much as it may, and what is left out.
func TestNormalIsNearANormal(t *testing.T) {
	wave := func(tau float64) float64 { return 2 * math.Exp(-2*math.Pi*math.Pi*tau*tau) * (1 + 0x1p-40) }
	for _, tau := range []float64{0.8, 1, 1.2} {
		worst := 0.0
		for i := range 41 {
			c, sum := float64(i)/40-0.5, 0.0
			for j := -60; j <= 60; j++ {
				x := (float64(j) - c) / tau
				sum += math.Exp(-x * x / 2)
			}
			worst = max(worst, math.Abs(sum/(tau*math.Sqrt(2*math.Pi))-1))
		}
		if bound := wave(tau); !(worst <= bound+0x1p-45) || worst < 0.99*bound-0x1p-45 {
			t.Errorf("τ = %v: the sum waves by %v, the bound is %v", tau, worst, bound)
		}
	}
	const s, sigma = 4.0, 0x1p56
	tau := s / math.Sqrt(1+s*s/sigma/sigma)
	outside := math.Erfc(62.5 / tau / math.Sqrt2) // of the sum over integers beyond 63.5, by an integral
	if !(outside*1.01 <= normalSlip) || normalSlip > 1e3*outside {
		t.Errorf("beyond: %v, counted %v", outside, normalSlip)
	}
	if off := 63.5/sigma + 0x1p50*s*s/(2*sigma*sigma); !(off <= normalError) {
		t.Errorf("off by %v, counted %v", off, normalError)
	}
}

// TestVariatesMoveInnerProducts: variates that are t off move the inner products by (2t + t²)·T·S at most, as the noise that covers
// them takes it; the part in units of 2^-52 is linear in t, so that a large t shows it.
func TestVariatesMoveInnerProducts(t *testing.T) {
	const m, k, off = 4, 9, 0x1p-20
	rng := noise.NewDemo(9)
	r := rand.New(rand.NewPCG(2, 2))
	worst := 0.0
	for range 200 {
		l := make([]float64, m*m)
		trace := 0.0
		for i := range m {
			for j := range i + 1 {
				l[i*m+j] = r.NormFloat64() * math.Pow(10, -3*r.Float64())
				trace += l[i*m+j] * l[i*m+j]
			}
		}
		a, b := make([]float64, m*m), make([]float64, m*m)
		spread := 0.0
		for i := range m {
			for j := range i {
				a[i*m+j] = normal(rng)
				b[i*m+j] = a[i*m+j] + math.Copysign(off, a[i*m+j])
				spread += a[i*m+j] * a[i*m+j]
			}
			var of, by float64
			for range k - i {
				g := normal(rng)
				of += g * g
				g += math.Copysign(off, g)
				by += g * g
			}
			a[i*m+i], b[i*m+i] = math.Sqrt(of), math.Sqrt(by)
			spread += of
		}
		spread = max(spread, m*k)
		v, w := must(linalg.Wishart(l, a, m)), must(linalg.Wishart(l, b, m))
		moved := 0.0
		for i := range v {
			moved = math.Hypot(moved, v[i]-w[i])
		}
		worst = max(worst, moved/((2*off+off*off)*trace*spread))
	}
	if !(worst <= 1) || worst < 0.05 {
		t.Errorf("moved by %v of the bound", worst)
	}
}
