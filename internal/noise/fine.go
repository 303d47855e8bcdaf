package noise

import "math"

// maxSum bounds what [AddGaussian] returns.
const maxSum = 1<<62 - 1

// AddFineGaussian is [AddGaussian] with noise of a grid that is 2^finer times finer than that of the sums, 0 ≤ finer < 64: σ is in
// steps of the fine grid. Sums are clamped to ±2^62 of their own steps, and become ⌊sum + noise·2^-finer⌋, clamped to ±(2^62 − 1).
//
// That is a function of sum·2^finer + noise, an integer that no word need hold, so that privacy is that of the fine grid, on all integers. The mean is half a step of the sums' grid below the sum.
func AddFineGaussian(s *Source, sums []int64, sigma uint64, finer int) {
	checkSigma(sigma)
	s.note("Gaussian", sigma, len(sums))
	s.Rekey()
	for i, sum := range sums {
		size, negative := s.discreteGaussian(sigma)
		sums[i] = addHeld(min(max(sum, -1<<62), 1<<62), size.floored(negative, finer))
	}
}

// floored is ⌊±a·2^-finer⌋, held at ±(2^63 − 1).
func (a uint128) floored(negative bool, finer int) int64 {
	whole := uint128{a.hi >> finer, a.lo>>finer | a.hi<<(64-finer)}
	x := int64(math.MaxInt64)
	if whole.hi == 0 && whole.lo < math.MaxInt64 {
		x = int64(whole.lo)
		if negative && a.lo&(1<<finer-1) != 0 {
			x++
		}
	}
	if negative {
		return -x
	}
	return x
}

// addHeld is sum + x, clamped to ±maxSum, for |sum| ≤ 2^62. Where x is held at ±(2^63 − 1) that is ±maxSum for every sum.
func addHeld(sum, x int64) int64 {
	switch { // no difference overflows
	case x > maxSum-sum:
		return maxSum
	case x < -maxSum-sum:
		return -maxSum
	default:
		return sum + x
	}
}
