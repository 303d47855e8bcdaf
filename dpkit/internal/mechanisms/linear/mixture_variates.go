package linear

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// normalSigma is 1 in steps of the grid on which normal draws.
const normalSigma = 1 << 56

// Bounds of what lies between normal and a standard normal variate, see there.
const (
	normalSlip  = 0x1p-180
	normalError = 0x1p-50 * (1 + 0x1p-40)
)

// normal is X/σ, rounded to float64, for a discrete Gaussian X of σ = 2^56 steps. There is a variate V such that, given V and whatever it is
// up to 2^50, X/σ is within normalError of it but for a probability of normalSlip; and the law of V is in a ratio of at most e^±(e^−312)
// of the standard normal law.
//
// Proof. Let Y ~ N(0, s²), s = 4 steps, be independent of X, and V = (X + Y)/√(σ² + s²). Completing the square, the density of X + Y
// at y is that of N(0, σ² + s²) times
//
//	Σ_j exp(−(j−c)²/2τ²)/(τ√2π) over Σ_j exp(−j²/2σ²)/(σ√2π),  τ² = σ²s²/(σ² + s²) > 15.9,  c = yσ²/(σ² + s²),
//
// sums over the integers. By Poisson summation they are 1 up to 2Σ_{k≥1} exp(−2π²k²τ²) < e^−313, wherever c lies. Given X + Y = y, X is an
// integer j with a probability in proportion to exp(−(j−c)²/2τ²): it is more than 63.5 steps from c with a probability below 2^-180. Else, as
// V = y/√(σ² + s²), |X/σ − V| ≤ 63.5/σ + |V|s²/2σ² ≤ 2^-50. ∎
//
// Y is not drawn: V is what the exact mechanism draws, and its distance from X/σ is one more rounding that noise covers.
func normal(rng *noise.Source) float64 {
	return math.Ldexp(float64(rng.DiscreteGaussian(normalSigma)), -56)
}

// chi is the norm of k normal variates: a number of them, not a rejection sampler, because the error of a norm is known.
func chi(rng *noise.Source, k int) float64 {
	var s rows.Neumaier
	for range k {
		g := normal(rng)
		s.Add(g * g)
	}
	return math.Sqrt(s.Sum())
}

// Where norm takes the product: see there.
const (
	productFreedom = 256
	productColumns = 12
)

// norm is chi, in a sketch's draw. Of many degrees of freedom it is the root of −2 ln ∏U, which takes a tenth of the time:
// what the arithmetic sets aside covers both. Rounding, with u = 2⁻⁵³: a factor is off by 2u and a product by u, so that
// −2 ln ∏U over ν/2 variates is off by 3νu; the logarithm of the product is off by 4u of itself. A χ² variate with ν ≥ 256
// degrees of freedom is below ν/8 with probability exp(−ν/2·(1/8 − 1 + ln 8)) < e^(−0.6ν) at most (Chernoff 1952), e^−s where the product is
// taken ([arithmetic]). Outside of that it is off by a relative
// 28u, and its root by 15u. In A·Aᵀ that counts twice, 15 units of 2⁻⁵²: with 2m + 2 for the products and the 8 of normal variates
// ([arithmetic]) there is room for it in 3m + 16, m being at least productColumns.
func (x *mixture) norm(rng *noise.Source, freedom int) float64 {
	if freedom < productFreedom || 0.6*float64(freedom) < x.tail || x.M < productColumns {
		return chi(rng, freedom)
	}
	return chiByProduct(rng, freedom)
}

func chiByProduct(rng *noise.Source, freedom int) float64 {
	product, exponent := 1.0, 0
	for range freedom / 2 {
		u, e := uniform(rng)
		product *= u
		exponent += e
		if product < 0x1p-500 { // u is at least 2⁻⁸
			product *= 0x1p500
			exponent -= 500
		}
	}
	s := -2 * (math.Log(product) + float64(exponent)*math.Ln2)
	if freedom%2 == 1 {
		g := normal(rng)
		s += g * g
	}
	return math.Sqrt(s)
}

// uniform is a uniform variate u·2^e from (0, 1), u ≥ 2⁻⁸, rounded to float64 from at least 56 bits behind its leading zeros: it
// is within 2⁻⁵² of itself of the variate of which it has these bits.
func uniform(rng *noise.Source) (u float64, e int) {
	w := rng.Uint64()
	for w == 0 {
		w, e = rng.Uint64(), e-64
	}
	if z := bits.LeadingZeros64(w); z >= 8 {
		w = w<<z | rng.Uint64()>>(64-z)
		e -= z
	}
	return float64(w|1) * 0x1p-64, e
}
