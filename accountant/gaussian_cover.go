package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A covered leaf knows the least μ of a Gaussian pair that dominates it: the pair with the same total
// variation. A ledger that adds up μ² admits it by that. It is no route of [EpsilonOf]: alone, its own
// profile is better (docs/theory/mechanisms.md#events-as-gaussian-pairs).
type covered interface {
	gaussianCover(rel Neighbours) (float64, error)
}

// gaussianCover of a shift by t scales. Claim: δ(ε) = (1 − e^{(ε−t)/2})₊ is below the profile of μ-GDP for
// 2Φ(−m) = e^{−t/2}, m = μ/2. Proof. With ε = 2mu, u ≥ 0, that reads h(u) ≤ h(0) = 2Φ(−m) for
//
//	h(u) = e^{−mu} Φ(u−m) + e^{mu} Φ(−m−u), h′(u) = m φ(0) e^{−(u²+m²)/2} (M(m+u) − M(m−u)) ≤ 0,
//
// as Mills' ratio M = Φ(−x)/φ(x) falls. Both pairs are symmetric, so that ε ≥ 0 suffices; products of
// coordinates were dominated by one already ([Laplace.Profile]). ∎
func (l Laplace) gaussianCover(rel Neighbours) (float64, error) {
	t, err := l.shift(rel)
	if err != nil {
		return math.NaN(), err
	}
	return coverOf(-math.Expm1(-t/2), math.Exp(-t/2)), nil
}

// gaussianCover of pure ε-DP: its worst pair is the randomized response (Kairouz, Oh, Viswanath
// 2015), and that is a threshold test of the Gaussian pair with Φ(μ/2) = e^ε/(1+e^ε).
func (p PureDP) gaussianCover(rel Neighbours) (float64, error) {
	if err := p.validate(rel); err != nil {
		return math.NaN(), err
	}
	return coverOf(math.Tanh(p.Epsilon/2), 2/(1+math.Exp(p.Epsilon))), nil
}

// gaussianCover of range ε: each value of the profile is that of a pair of laws on two points with the
// log odds ratio ε (Dong, Durfee, Rogers 2020), a threshold test of the Gaussian pair with
// μ = ψ(x+ε) − ψ(x), where ψ = Φ⁻¹∘σ, σ the logistic function. ψ is odd and concave on x > 0
// (van Zwet 1964: the logistic law has heavier tails than the normal one), so that x = −ε/2 is the worst.
func (e Exponential) gaussianCover(rel Neighbours) (float64, error) {
	if err := e.validate(rel); err != nil {
		return math.NaN(), err
	}
	return coverOf(math.Tanh(e.Epsilon/4), 2/(1+math.Exp(e.Epsilon/2))), nil
}

// coverOf is the μ of the Gaussian pair at the total variation tv = 1 − rest, rounded up.
func coverOf(tv, rest float64) float64 {
	mu := 2 * math.Sqrt2 * math.Erfinv(tv)
	if tv > 0.5 {
		mu = -2 * quad.NormalQuantile(rest/2)
	}
	return quad.Inflate(mu, 0x1p-36) // far above the error of the quantiles
}
