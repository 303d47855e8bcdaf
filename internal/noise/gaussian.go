package noise

import (
	"fmt"
	"math/bits"
)

// MaxSigma is the largest σ of [Source.DiscreteGaussian].
const MaxSigma = 1 << 57

// TruncationTV bounds the probability, for each sample, that [Source.DiscreteGaussian] or [Source.DiscreteLaplace] returns one of the
// ends ±(2^62 − 1) of its range, where it holds all that lies beyond.
//
// For the discrete Gaussian the sum of exp(-x²/(2σ²)) over x ≥ m ≥ 1 is below its integral over x ≥ m-1, and the sum over
// all x is above √(2π)σ (Poisson summation), so P(X ≥ m) ≤ P(N(0,σ²) ≥ m-1). With σ ≤ 2^57,
// z = (2^62-2)/2^57 = 32 - 2^-56 and Mills' ratio
//
//	P(|X| ≥ 2^62-1) ≤ 2 P(N(0,1) ≥ z) ≤ 2 φ(z)/z < 0.03 exp(-512) < 2^-738.
//
// For the discrete Laplace see [Source.DiscreteLaplace]. [AddGaussian] and [AddLaplace] return values of a common support, on which
// these ends cannot be seen: their law is exact, and no privacy is lost in tails.
const TruncationTV = 0x1p-738

// DiscreteGaussian returns X with P(X = x) ∝ exp(-x²/(2σ²)) for a public integer 1 ≤ σ ≤ [MaxSigma];
// beyond ±(2^62-1) it returns that end. It panics outside of these σ.
//
// It is Algorithm 3 of Canonne, Kamath and Steinke (2020) with the proposal scale t = σ in
// place of floor(σ)+1. Any t > 0 is correct: the proposal has P(Y = y) ∝ exp(-|y|/t) and is
// accepted with probability exp(-(|y|-σ²/t)²/(2σ²)), and
//
//	exp(-|y|/t) · exp(-(|y|-σ²/t)²/(2σ²)) = exp(-y²/(2σ²)) · exp(-σ²/(2t²)),
//
// where the last factor does not depend on y. At t = σ the exponent is the rational
// (|y|-σ)²/(2σ²), whose numerator and denominator fit in 128 bits up to y = 2^62, and the acceptance rate
// tends to sqrt(π/2e) = 0.76. Beyond, with |y| = u + σ(w + 1), the exponent is w²/2 + wu/σ + u²/(2σ²), of which each
// term is a product of probabilities by itself.
//
// Added to integer sums of L2 sensitivity Δ it has D_α ≤ αΔ²/(2σ²), as the continuous Gaussian
// does, at every σ (the paper's main theorem): completing the square in
// Σ P^α Q^(1-α) leaves the sum of a shifted Gaussian over the integers, at most the centred one.
func (s *Source) DiscreteGaussian(sigma uint64) int64 {
	size, negative := s.discreteGaussian(sigma)
	x := int64(maxNoise)
	if size.hi == 0 {
		x = int64(min(size.lo, maxNoise))
	}
	if negative {
		return -x
	}
	return x
}

// discreteGaussian is DiscreteGaussian without ends, by size and sign.
func (s *Source) discreteGaussian(sigma uint64) (size uint128, negative bool) {
	checkSigma(sigma)
	twoVar := square(sigma).double() // 2σ² ≤ 2^115
	for {
		u, v := s.geometric(sigma)
		hi, lo := bits.Mul64(v, sigma)
		lo, carry := bits.Add64(lo, u, 0)
		size := uint128{hi + carry, lo}
		negative := s.Uint64()&1 == 1
		if negative && size.isZero() {
			continue // zero must not have two chances
		}
		if size.hi != 0 || size.lo > maxNoise { // v ≥ 32, as u < σ ≤ 2^57
			if s.acceptFar(u, v-1, sigma, twoVar) {
				return size, negative
			}
			continue
		}
		d := int64(size.lo - sigma) // |d| < 2^62
		if s.bernoulliExp128(square(uint64(max(d, -d))), twoVar) {
			return size, negative
		}
	}
}

// acceptFar is true with probability exp(-(u + σw)²/(2σ²)) = exp(-w/2)^w · exp(-u/σ)^w · exp(-u²/(2σ²)), for u < σ.
func (s *Source) acceptFar(u, w, sigma uint64, twoVar uint128) bool {
	for range w {
		if !s.BernoulliExp(w, 2) || !s.BernoulliExp(u, sigma) {
			return false
		}
	}
	return s.bernoulliExp128(square(u), twoVar)
}

// AddGaussian adds independent [Source.DiscreteGaussian] noise to every sum, in place, from
// freshly keyed bits ([Source.Rekey]). σ is in grid steps; out of range it panics before it
// changes anything.
//
// It cannot overflow, and fails on no data: every sum is first clamped to ±2^62, which moves no
// two vectors of sums further apart and so costs no privacy. Results are clamped to ±(2^62 − 1): what comes out is a function of
// sums with the exact noise on all integers, so that all that is proved of that law holds, at every ε. Sums on a grid from
// [NewGrid] are far inside.
func AddGaussian(s *Source, sums []int64, sigma uint64) { AddFineGaussian(s, sums, sigma, 0) }

func checkSigma(sigma uint64) {
	if sigma == 0 || sigma > MaxSigma {
		panic(fmt.Sprintf("noise: got σ = %d, want 1 ≤ σ ≤ 2^57: take the grid and σ from NewGrid", sigma))
	}
}

// GaussianTV bounds the total-variation distance between the law of one
// [Source.DiscreteGaussian] sample and N(0, σ²) rounded to the nearest integer, its ends
// included. It says how near a sample is to a normal variate, as a simulation or an interval needs it. It is no price:
// a total variation tv counts (1+e^ε)·tv in δ, and the discrete law has a price of its own without it
// (accountant.DiscreteGaussian; [RatioTau] for other mechanisms). It is about 0.02/σ², and 1 for σ = 0.
//
// Proof. Let f be the density of N(0, σ²), p(x) = f(x)/Σf, q(x) the integral of f over
// [x-1/2, x+1/2]. By Taylor q(x) - f(x) = ∫ w(v) f″(x+v) dv with w(v) = (1/2-|v|)²/2 on
// [-1/2, 1/2], ∫w = 1/24. A sum of |f″| over a shifted lattice exceeds its integral by no more
// than its variation. With z = x/σ and f″ = φ(z)(z²-1)/σ³,
//
//	∫|f″| = 4φ(1)/σ² ≤ 0.9679/σ²,  Var|f″| = 2(φ(0)+4φ(√3))/σ³ ≤ 1.5101/σ³,
//
// and Σ|p-f| = |1-Σf| = 2Σ_k exp(-2π²σ²k²) by Poisson summation. Hence
//
//	TV ≤ (0.9679/σ² + 1.5101/σ³)/48 + 1.0001·exp(-2π²σ²) ≤ (0.0202 + 0.0316/σ)/σ².
func GaussianTV(sigma uint64) float64 {
	if sigma == 0 {
		return 1
	}
	x := float64(sigma)
	tv := (0.0202+0.0316/x)/(x*x) + TruncationTV
	return tv * (1 + 0x1p-48) // the margin covers the rounding of seven operations
}
