package noise

import (
	"fmt"
	"math"
	"math/bits"
)

// maxNoise bounds the magnitude of every discrete sample, so that a sum of magnitude at most
// 2^62 plus a sample fits in an int64.
const maxNoise = 1<<62 - 1

// MaxLaplaceScale is the largest scale of [Source.DiscreteLaplace].
const MaxLaplaceScale = 1 << 53

// DiscreteLaplace returns X with P(X = x) ∝ exp(-|x|/t), t = num/den (Canonne, Kamath, Steinke
// 2020, Algorithm 2); beyond ±(2^62-1) it returns that end. It panics unless num, den ≥ 1 and
// num/den ≤ [MaxLaplaceScale].
//
// The mass at the ends is at most [TruncationTV]: P(|X| ≥ m) = 2·exp(-m/t)/(1+exp(-1/t)), which
// at m = 2^62, t = 2^53 is below exp(-512)·(1+2^-53), and grows with t.
func (s *Source) DiscreteLaplace(num, den uint64) int64 {
	if num == 0 || den == 0 || (num-1)/den >= MaxLaplaceScale {
		panic(fmt.Sprintf("noise: DiscreteLaplace: got scale %d/%d, want 0 < num/den ≤ 2^53: take a coarser grid", num, den))
	}
	for {
		// u + num·v is geometric, P(k) ∝ exp(-k/num); its quotient by den is geometric,
		// P(y) ∝ exp(-y·den/num).
		u, v := s.geometric(num)
		hi, lo := bits.Mul64(num, v)
		lo, carry := bits.Add64(lo, u, 0)
		hi += carry
		y := uint64(maxNoise)
		if hi < den { // else y ≥ 2^64
			y, _ = bits.Div64(hi, lo, den)
			y = min(y, maxNoise)
		}
		negative := s.Uint64()&1 == 1
		switch {
		case !negative:
			return int64(y)
		case y != 0: // else reject: zero must not have two chances
			return -int64(y)
		}
	}
}

// geometric returns u in [0, t) and v ≥ 0 such that k = u + t·v has P(k) ∝ exp(-k/t): u has
// P(u) ∝ exp(-u/t) by rejection from the uniform law, v has P(v) ∝ exp(-v), independently.
func (s *Source) geometric(t uint64) (u, v uint64) {
	u = s.Uint64n(t)
	for !s.bernoulliExpFraction(u, t) {
		u = s.Uint64n(t)
	}
	for s.bernoulliExp1() {
		v++
	}
	return u, v
}

// AddLaplace adds independent [Source.DiscreteLaplace] noise of scale t steps to every sum, in place,
// from freshly keyed bits ([Source.Rekey]). It panics unless 1 ≤ t ≤ [MaxLaplaceScale], before it
// changes anything.
//
// The release is exactly (Δ/t, 0)-DP for sums of L1 sensitivity Δ steps: sums are first clamped to
// ±2^60, which moves no two of them further apart, and results to ±2^61 after the noise, so that
// whatever noise the sampler holds at its ends comes out at ±2^61 whether it was cut or not. Sums on a
// grid from [NewLaplaceGrid] are far inside.
func AddLaplace(s *Source, sums []int64, t uint64) {
	if t == 0 || t > MaxLaplaceScale {
		panic(fmt.Sprintf("noise: AddLaplace: got scale %d, want 1 ≤ t ≤ 2^53: take the grid and the scale from NewLaplaceGrid", t))
	}
	s.note("Laplace", t, len(sums))
	s.addLaplace(sums, t, 1)
}

func (s *Source) addLaplace(sums []int64, num, den uint64) {
	s.Rekey()
	for i, sum := range sums {
		x := s.DiscreteLaplace(num, den)
		sums[i] = min(max(min(max(sum, -1<<60), 1<<60)+x, -1<<61), 1<<61)
	}
}

// GeometricUnit is a scale of 1 of [AddGeometric].
const GeometricUnit = 1 << 32

// AddGeometric adds independent two-sided geometric noise, P(x) ∝ exp(−|x|/t), t = num/[GeometricUnit], to every sum of integers in units
// of 1, in place, as [AddLaplace] does on a grid: exactly (Δ/t, 0)-DP for an L1 sensitivity Δ (Ghosh, Roughgarden, Sundararajan 2012). It
// panics unless 1 ≤ num ≤ 2^53, before it changes anything.
func AddGeometric(s *Source, sums []int64, num uint64) {
	if num == 0 || num > 1<<53 {
		panic(fmt.Sprintf("noise: AddGeometric: got scale %d/2^32, want at most 2^21: add Laplace noise on a grid", num))
	}
	s.note("geometric", num, len(sums))
	s.addLaplace(sums, num, GeometricUnit)
}

// NewLaplaceGrid is [NewGrid] for [AddLaplace]: the finest grid on which a sum of magnitude maxAbsSum
// stays within 2^59 steps and the scale within 2^53, with the scale in steps, rounded up.
// Errors wrap [ErrGrid].
func NewLaplaceGrid(scale, maxAbsSum float64) (Grid, uint64, error) {
	g, _, err := NewGrid(8*scale, 4*maxAbsSum)
	if err != nil {
		return g, 0, err
	}
	return g, uint64(max(math.Ceil(math.Ldexp(scale, -g.Exp)), 1)), nil
}
