package linear

import (
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// normalSigma is 1 in steps of the grid on which normal draws.
const normalSigma = 1 << 56

// Bounds of normal's distance from the standard normal law, see there.
const (
	normalTV    = 0x1p-188
	normalError = 0x1p-50 * (1 + 0x1p-40)
)

// normal is X/σ, rounded to float64, for a discrete Gaussian X of σ = 2^56 steps. Outside an event of probability normalTV, X/σ is
// within normalError of a variate V that has the standard normal law exactly. The distance of the two laws themselves, which is
// [noise.GaussianTV], is 2^70 times larger: e^ε as much of it would outgrow any δ from ε ≈ 25 on.
//
// Proof. Let Y ~ N(0, s²), s = 4 steps, be independent of X, and V = (X + Y)/√(σ² + s²). Completing the square, the density of X + Y
// at y is that of N(0, σ² + s²) times
//
//	Σ_j exp(−(j−c)²/2τ²)/(τ√2π) over Σ_j exp(−j²/2σ²)/(σ√2π),  τ² = σ²s²/(σ² + s²) > 15.9,  c = yσ²/(σ² + s²),
//
// sums over the integers. By Poisson summation they are 1 up to 2Σ_{k≥1} exp(−2π²k²τ²) < e^−313, wherever c lies; so that X + Y is
// within that of N(0, σ² + s²), and V can be taken from the normal law outside an event of that probability. Next, |Y| ≤ 16s = 64 steps
// but for 2Φ(−16) ≤ 2φ(16)/16 < 1.3e-57. There |X/σ − V| ≤ 64/σ + |X|·s²/2σ³ ≤ 2^-50 + 2^-103, as |X| < 2^62 but for
// [noise.TruncationTV]. All three sum up to less than 2^-188 = 2.5e-57. ∎
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
// degrees of freedom is below ν/8 with probability exp(−ν/2·(1/8 − 1 + ln 8)) < e⁻¹⁵⁴ at most (Chernoff 1952), less than
// the total variation that is counted for the normal variates which are not drawn. Outside of that it is off by a relative
// 28u, and its root by 15u. In A·Aᵀ that counts twice, 15 units of 2⁻⁵²: with 2m + 2 for the products and the 8 of normal variates
// ([arithmetic]) there is room for it in 3m + 16, m being at least productColumns.
func (x *mixture) norm(rng *noise.Source, freedom int) float64 {
	if freedom < productFreedom || x.M < productColumns {
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
