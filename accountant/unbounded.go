package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// This file calibrates the releases by which moments of covariates without a public bound are estimated: every round
// clips to a public radius, so that privacy needs no assumption on the data's law, and the estimates of earlier
// rounds choose the next coordinates (docs/theory/mechanisms.md#rounds-of-second-moments). The sensitivities are those of means over a public number n of rows.

// SecondMomentNoise is the least σ, rounded up, at which S + (σ/√2)(Z + Zᵀ), Z of independent standard normal
// numbers, is ρ-zCDP for the mean S of the outer products of n rows of norm at most radius:
//
//	r²/(n √(2ρ)) under ReplaceOne,  r²/(2 n √ρ) under AddRemove, the row zeroed out.
//
// Diagonal entries of the noise have the standard deviation √2 σ and the others σ, so that in the Frobenius norm it is
// round: it is the event Gaussian{Sensitivity: Δ, Sigma: √2 σ}, Δ = √2 r²/n (attained by r e₁ and r e₂) or r²/n.
// (A sensitivity of r²/n under ReplaceOne, as one finds it printed, is too small by √2 and costs twice the ρ.)
// Errors wrap [ErrNeighbours] or [ErrParameter].
func SecondMomentNoise(radius float64, rows int, rho float64, rel Neighbours) (sigma float64, err error) {
	if err := checkMoment("SecondMomentNoise", radius, rows, rho, rel); err != nil {
		return math.NaN(), err
	}
	sigma = quad.DivUp(quad.DivUp(quad.MulUp(radius, radius), float64(rows)), math.Sqrt(2*rho))
	if rel == AddRemove {
		sigma = quad.DivUp(sigma, math.Sqrt2)
	}
	return quad.Inflate(sigma, 0x1p-50), nil
}

// MeanNoise is the least σ, rounded up, at which the mean of n rows that were clipped to a ball of the given radius
// is ρ-zCDP with N(0, σ² I): 2r/(n √(2ρ)) under ReplaceOne and r/(n √(2ρ)) under AddRemove, the row moved
// to the ball's centre. It is the event Gaussian{Sensitivity: 2r/n or r/n, Sigma: σ}.
// Errors wrap [ErrNeighbours] or [ErrParameter].
func MeanNoise(radius float64, rows int, rho float64, rel Neighbours) (sigma float64, err error) {
	if err := checkMoment("MeanNoise", radius, rows, rho, rel); err != nil {
		return math.NaN(), err
	}
	if rel == ReplaceOne {
		radius *= 2
	}
	return quad.Inflate(quad.DivUp(quad.DivUp(radius, float64(rows)), math.Sqrt(2*rho)), 0x1p-50), nil
}

// StabilityHistogram calibrates the histograms that find where the data are: in each of d columns, N(0, σ²) is added to
// the counts of non-empty bins, and those above the threshold are published. Outside a failure of probability δ (the
// event ApproxDP{0, δ}) that is the event Gaussian{Sensitivity: √(2d) or √d, Sigma: σ}, ρ-zCDP:
//
//	σ = √(d/ρ) under ReplaceOne, √(d/(2ρ)) under AddRemove,  threshold = 1 + σ Φ⁻¹(1 − δ'),  1 − (1−δ')^d = δ,
//
// rounded up. Proof: at most d bins are occupied in one dataset alone, with a count of 1 each, so none of them is
// published with probability at least (1−δ')^d; given that, the published counts are of common bins,
// of L2 sensitivity √(2d), or √d. ∎ (Bun, Nissim, Stemmer 2016; Karwa, Vadhan 2018, with Gaussian noise; docs/theory/mechanisms.md#stability-histograms.)
// Errors wrap [ErrNeighbours], [ErrParameter] or [ErrDelta].
func StabilityHistogram(columns int, rho, delta float64, rel Neighbours) (sigma, threshold float64, err error) {
	if err := checkMoment("StabilityHistogram", 1, columns, rho, rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	d := float64(columns)
	square := quad.DivUp(d, rho)
	if rel == AddRemove {
		square /= 2
	}
	sigma = quad.SqrtUp(square)
	// A bit less than 1 − (1−δ)^(1/d).
	each := -math.Expm1(math.Log1p(-delta)/d) * (1 - 0x1p-48)
	if !(delta > 0 && delta < 1) || !(each > 0) {
		return math.NaN(), math.NaN(), fmt.Errorf("accountant: StabilityHistogram: delta: got %g, want a probability strictly between 0 and 1: %w", delta, ErrDelta)
	}
	threshold, err = TestThresholdGaussian(0, 1, sigma, min(0.5, each))
	return sigma, threshold, err
}

// GaussianRadius is the radius that n vectors of the law N(0, I_d) all stay within with probability at least 1 − β:
// the square root of the quantile of the χ² law with d degrees of freedom at 1 − β/n. It is a choice of where to
// clip, on which the accuracy alone rests. (d ln(n/β), as printed for its square, is too small at d = 1.)
// The error wraps [ErrParameter].
func GaussianRadius(dim, rows int, beta float64) (radius float64, err error) {
	if dim < 1 || rows < 1 {
		return math.NaN(), fmt.Errorf("accountant: GaussianRadius: dim and rows: got %d and %d, want at least 1: %w", dim, rows, ErrParameter)
	}
	if !(beta > 0 && beta < 1) {
		return math.NaN(), fmt.Errorf("accountant: GaussianRadius: beta: got %g, want a probability strictly between 0 and 1: %w", beta, ErrParameter)
	}
	logTail := quad.Log(beta) - math.Log(float64(rows))
	// d + 2√(dL) + 2L is above the quantile (Laurent, Massart 2000).
	d, l := float64(dim), -logTail
	br := quad.Bracket{Lo: 0, Hi: d + 2*math.Sqrt(d*l) + 2*l}
	f := func(w float64) float64 { return quad.LogChiSquareSF(w, dim) - logTail }
	br.FLo, br.FHi = f(br.Lo), f(br.Hi)
	if br, err = quad.Brent(f, br); err != nil {
		return math.NaN(), fmt.Errorf("accountant: GaussianRadius: %w: %w", ErrParameter, err)
	}
	return quad.SqrtUp(br.Hi), nil
}

func checkMoment(what string, radius float64, rows int, rho float64, rel Neighbours) error {
	if err := rel.Validate(); err != nil {
		return fmt.Errorf("accountant: %s: %w", what, err)
	}
	switch {
	case !(radius > 1e-100) || radius > 1e100:
		return fmt.Errorf("accountant: %s: radius: got %g, want a positive finite number: %w", what, radius, ErrParameter)
	case rows < 1:
		return fmt.Errorf("accountant: %s: rows or columns: got %d, want at least 1: %w", what, rows, ErrParameter)
	case !(rho > 1e-100) || rho > 1e100:
		return fmt.Errorf("accountant: %s: rho: got %g, want a positive finite number: %w", what, rho, ErrParameter)
	}
	return nil
}
