package noise

import (
	"fmt"
	"math/bits"
)

// MaxSigma is the largest σ of [Source.DiscreteGaussian].
const MaxSigma = 1 << 57

// TruncationTV bounds the total-variation distance, for each sample, between the exact law on
// all integers and the law of [Source.DiscreteGaussian], which is the exact law conditioned on
// |x| < 2^62, or of [Source.DiscreteLaplace], which holds it at its ends. An accountant adds it (d times for d samples) to
// the total-variation slack of an event.
//
// Conditioning on an event costs the probability of its complement. For the discrete Gaussian
// the sum of exp(-x²/(2σ²)) over x ≥ m ≥ 1 is below its integral over x ≥ m-1, and the sum over
// all x is above √(2π)σ (Poisson summation), so P(X ≥ m) ≤ P(N(0,σ²) ≥ m-1). With σ ≤ 2^57,
// z = (2^62-1)/2^57 = 32 - 2^-57 and Mills' ratio
//
//	P(|X| ≥ 2^62) ≤ 2 P(N(0,1) ≥ z) ≤ 2 φ(z)/z < 0.03 exp(-512) < 2^-738.
//
// For the discrete Laplace see [Source.DiscreteLaplace]. The cut-off support moves with the sum
// that the noise is added to, so this mass belongs in δ: no Rényi curve can absorb it. [AddLaplace]
// clamps to a common support and has none.
const TruncationTV = 0x1p-738

// DiscreteGaussian returns X with P(X = x) ∝ exp(-x²/(2σ²)), |x| < 2^62, for a public integer
// 1 ≤ σ ≤ [MaxSigma]; it panics outside. The mass left out beyond 2^62 is at most
// [TruncationTV].
//
// It is Algorithm 3 of Canonne, Kamath and Steinke (2020) with the proposal scale t = σ in
// place of floor(σ)+1. Any t > 0 is correct: the proposal has P(Y = y) ∝ exp(-|y|/t) and is
// accepted with probability exp(-(|y|-σ²/t)²/(2σ²)), and
//
//	exp(-|y|/t) · exp(-(|y|-σ²/t)²/(2σ²)) = exp(-y²/(2σ²)) · exp(-σ²/(2t²)),
//
// where the last factor does not depend on y. At t = σ the exponent is the rational
// (|y|-σ)²/(2σ²), whose numerator and denominator fit in 128 bits, and the acceptance rate
// tends to sqrt(π/2e) = 0.76.
//
// Added to integer sums of L2 sensitivity Δ it has D_α ≤ αΔ²/(2σ²), as the continuous Gaussian
// does, at every σ and up to TruncationTV (the paper's main theorem): completing the square in
// Σ P^α Q^(1-α) leaves the sum of a shifted Gaussian over the integers, at most the centred one.
func (s *Source) DiscreteGaussian(sigma uint64) int64 {
	checkSigma(sigma)
	twoVar := square(sigma).double() // 2σ² ≤ 2^115
	for {
		u, v := s.geometric(sigma)
		if v >= 32 { // implied by u + σv ≥ 2^62, as u < σ ≤ 2^57
			if hi, lo := bits.Mul64(v, sigma); hi != 0 || lo > maxNoise || lo+u > maxNoise {
				continue // truncated
			}
		}
		y := u + sigma*v
		negative := s.Uint64()&1 == 1
		if negative && y == 0 {
			continue // zero must not have two chances
		}
		d := int64(y - sigma) // |d| < 2^62
		if !s.bernoulliExp128(square(uint64(max(d, -d))), twoVar) {
			continue
		}
		if negative {
			return -int64(y)
		}
		return int64(y)
	}
}

// AddGaussian adds independent [Source.DiscreteGaussian] noise to every sum, in place, from
// freshly keyed bits ([Source.Rekey]). σ is in grid steps; out of range it panics before it
// changes anything.
//
// It cannot overflow, and fails on no data: every sum is first clamped to ±2^62, which moves no
// two vectors of sums further apart and so costs no privacy. Sums on a grid from [NewGrid] are
// far inside.
func AddGaussian(s *Source, sums []int64, sigma uint64) { AddFineGaussian(s, sums, sigma, 0) }

func checkSigma(sigma uint64) {
	if sigma == 0 || sigma > MaxSigma {
		panic(fmt.Sprintf("noise: got σ = %d, want 1 ≤ σ ≤ 2^57: take the grid and σ from NewGrid", sigma))
	}
}

// GaussianTV bounds the total-variation distance between the law of one
// [Source.DiscreteGaussian] sample and N(0, σ²) rounded to the nearest integer, truncation
// included. Adding the latter to an integer is post-processing of the continuous Gaussian
// mechanism, so the discrete one is (Δ/σ)-GDP up to this distance per coordinate: a total of tv
// raises δ(ε) by at most (1+e^ε)·tv. It is about 0.02/σ², and 1 for σ = 0.
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
