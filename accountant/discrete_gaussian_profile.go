package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// maxLatticeSigma bounds the sums of latticeDelta to some ten thousand terms. Beyond it the Gaussian
// pair of [DiscreteGaussian.GDP] stands alone.
const maxLatticeSigma = 1000

// latticeFloor is above what lies 37 standard deviations out; no profile is given below it.
const latticeFloor = 1e-290

// repeated is the exact profile of n releases of one coordinate, each shifted by the same k ≥ 1 grid
// steps: smaller shifts are dominated, as the laws have a monotone likelihood ratio. It is exact up
// to rounding for n = 1.
//
// For n > 1 the sum S of the outputs is sufficient. Its noise is within a factor e^{±τ} of
// W = N_Z(0, n s²) at each point, so that δ(ε) ≤ e^τ δ_W(ε − 2τ) for W shifted by n k (compare
// Kairouz, Liu, Steinke 2021, Theorem 1). Proof: for variances a, b and c = ab/(a+b) the convolution
// at x is exp(−x²/(2(a+b))) Σ_j exp(−(j − xa/(a+b))²/(2c)), and by Poisson summation the last sum
// is within a factor 1 ± θ of √(2πc), θ = 2 Σ_{i≥1} exp(−2π²c i²). The normaliser is an average of
// such factors, so each convolution adds at most ln((1+θ)/(1−θ)) to τ; with a = j s² and b = s²,
// c = s² j/(j+1) ≥ s²/2. ∎
func (g DiscreteGaussian) repeated(rel Neighbours, n int) (Profile, error) {
	mu, err := g.nominal(rel)
	if err != nil {
		return nil, err
	}
	// A whole number, whatever the rounding of its factors; a sensitivity between two is that of the larger.
	shift := math.Ceil(quad.MulUp(mu, g.GridSigma) * (1 - 0x1p-40))
	v := g.GridSigma * g.GridSigma * float64(n)
	if g.Coordinates != 1 || !(g.GridSigma >= 0.3) || !(v <= maxLatticeSigma*maxLatticeSigma) || !(shift < 1e9) {
		return nil, ErrNoRoute
	}
	if shift == 0 {
		return func(eps float64) float64 { return gaussianDelta(eps, 0) }, nil
	}
	tau := 0.0
	if n > 1 {
		if g.GridSigma < 1 {
			return nil, ErrNoRoute
		}
		// θ ≤ 2.01 exp(−π²s²), as c ≥ s²/2; ln((1+θ)/(1−θ)) ≤ 2.01 θ. The factor 1.05 covers the rounding of s².
		tau = quad.Inflate(float64(n-1)*2.01*2.01*math.Exp(-math.Pi*math.Pi*g.GridSigma*g.GridSigma), 0.05)
	}
	return func(eps float64) float64 {
		if math.IsNaN(eps) {
			return 1
		}
		if tau == 0 {
			return latticeDelta(eps, v, shift*float64(n))
		}
		return min(1, quad.Inflate(latticeDelta(eps-2*tau-0x1p-52*math.Abs(eps), v, shift*float64(n)), math.Expm1(tau)+0x1p-50))
	}, nil
}

// latticeDelta is the profile of N_Z(0, v) shifted by k ≥ 1, rounded up: with the loss
// L(x) = (k² − 2kx)/(2v), δ(ε) = Σ_x p(x) (1 − e^{ε−L(x)})₊, over x < k/2 − εv/k. The sum is cut where the
// law's ratio of neighbouring terms bounds the rest.
func latticeDelta(eps, v, k float64) float64 {
	switch {
	case math.IsInf(eps, 1):
		return 0
	case math.IsInf(eps, -1):
		return 1
	}
	sd := math.Sqrt(v)
	first := math.Floor(k/2-eps*v/k) + 1 // one term more than rounding can hide
	if first < -37*sd-1 {
		return latticeFloor
	}
	rest := 0.0
	if far := math.Ceil(37*sd) + 1; first > far {
		first, rest = far, latticeFloor
	}
	sum, slack, terms := 0.0, 0.0, 0.0
	for x := first; ; x-- {
		p := math.Exp(-x * x / (2 * v))
		loss := k * (k - 2*x) / (2 * v)
		sum += p * max(0, -math.Expm1(eps-loss))
		slack += p * (math.Abs(eps) + math.Abs(loss))
		terms++
		if x < 0 {
			ratio := math.Exp((2*x - 1) / (2 * v)) // p(x−1)/p(x), falling from here on
			if tail := p * ratio / (1 - ratio); tail <= 0x1p-60*sum {
				rest += tail
				break
			}
		}
	}
	norm := 0.0
	if v >= 0.5 {
		norm = math.Sqrt(2*math.Pi*v) * (1 + 2*math.Exp(-2*math.Pi*math.Pi*v)) // Poisson summation, from below
	} else {
		for x := 8.0; x >= 1; x-- {
			norm += 2 * math.Exp(-x*x/(2*v))
		}
		norm++
	}
	margin := 0x1p-51 * (terms + first*first/(2*v) + 128)
	return min(1, max(latticeFloor, quad.Inflate((sum+0x1p-50*slack+rest)/norm, margin)))
}
