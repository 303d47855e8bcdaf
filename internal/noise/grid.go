package noise

import (
	"errors"
	"fmt"
	"math"
)

// ErrGrid says that no grid can hold the values asked for.
var ErrGrid = errors.New("no such grid")

const (
	minGridExp = -1074 // h is the smallest float64
	maxGridExp = 960   // 2^63·h is a float64
)

// Grid is the public power-of-two grid h·Z, h = 2^Exp, -1074 ≤ Exp ≤ 960. Values are rounded to
// it row by row, summed as integers, noised, and scaled back last, so that no rounding of a
// private value happens after the noise.
type Grid struct {
	Exp int
}

// NewGrid returns the finest grid on which a sum of magnitude maxAbsSum stays within 2^61 steps
// and σ within 2^56 steps, together with σ in steps, rounded up: the noise is never below sigma.
//
// Rounding a row moves each coordinate by up to h/2, which the caller adds to the sensitivity;
// the sum of n rounded rows is within 2^61 + n/2 steps. When maxAbsSum/sigma exceeds 2^61, h
// exceeds sigma and the rounding up shows: the noise is then larger than asked for.
// Errors wrap [ErrGrid].
func NewGrid(sigma, maxAbsSum float64) (Grid, uint64, error) {
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return Grid{}, 0, fmt.Errorf("noise: NewGrid: sigma: got %v, want a finite sigma > 0: %w", sigma, ErrGrid)
	}
	if !(maxAbsSum >= 0) || math.IsInf(maxAbsSum, 1) {
		return Grid{}, 0, fmt.Errorf("noise: NewGrid: maxAbsSum: got %v, want a finite public bound ≥ 0: %w", maxAbsSum, ErrGrid)
	}
	exp := max(ceilLog2(sigma)-56, minGridExp)
	if maxAbsSum > 0 {
		exp = max(exp, ceilLog2(maxAbsSum)-61)
	}
	if exp > maxGridExp {
		return Grid{}, 0, fmt.Errorf("noise: NewGrid: got sigma %v and maxAbsSum %v, want them below 2^1016 and 2^1021: scale the data: %w", sigma, maxAbsSum, ErrGrid)
	}
	// The scaling is exact, or the quotient is so small that it underflows and σ is one step.
	steps := math.Ceil(math.Ldexp(sigma, -exp))
	return Grid{Exp: exp}, uint64(max(steps, 1)), nil
}

// Step returns h.
func (g Grid) Step() float64 { return math.Ldexp(1, g.Exp) }

// Round returns the integer nearest to x/h, ties to even, computed exactly. It reports false
// for NaN, for |x/h| > 2^62 and for a Grid out of range.
func (g Grid) Round(x float64) (int64, bool) {
	if g.Exp < minGridExp || g.Exp > maxGridExp {
		return 0, false
	}
	// Scaling by a power of two is exact, but for quotients below 2^-1022, which round to 0 anyway.
	k := math.RoundToEven(math.Ldexp(x, -g.Exp))
	if !(math.Abs(k) <= 1<<62) {
		return 0, false
	}
	return int64(k), true
}

// Value returns the float64 nearest to k·h: k·h itself when |k| ≤ 2^53.
func (g Grid) Value(k int64) float64 {
	// One rounding only: a result in the subnormal range has |k| < 2^52.
	return math.Ldexp(float64(k), g.Exp)
}

// ceilLog2 returns the least e with x ≤ 2^e, for finite x > 0.
func ceilLog2(x float64) int {
	frac, exp := math.Frexp(x) // x = frac·2^exp, 1/2 ≤ frac < 1
	if frac == 0.5 {
		exp--
	}
	return exp
}
