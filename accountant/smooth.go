package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// WeakTriangle bounds the divergence of a pair that is a pair of neighbours and a displacement apart, from a
// curve of each: at every order the least over c > 1 and over both paths of
//
//	(αc−1)/(c(α−1)) shift(αc) + free((αc−1)/(c−1)),   (αc−1)/(c(α−1)) free(αc) + shift((αc−1)/(c−1))
//
// (weak triangle inequality, Mironov 2017, Proposition 11; Hu, Sanyal, Schölkopf 2024, Theorem 2, without its
// fixed c, and with both paths open to every pair; docs/theory/preprocessing.md#theorem-2-the-weak-triangle). Both curves must hold on the whole domain, and up to the orders that are
// asked for. For two Gaussians it is exact. It is for curves of black boxes: where one hop can be bounded
// directly that is never looser.
func WeakTriangle(free, shift Curve) Curve {
	return func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		if math.IsInf(alpha, 1) {
			return quad.AddUp(free(alpha), shift(alpha))
		}
		return min(weakPath(alpha, shift, free), weakPath(alpha, free, shift))
	}
}

// weakPath is the best bound of the path by first, then second.
func weakPath(alpha float64, first, second Curve) float64 {
	at := func(u float64) float64 { return weakBound(alpha, math.Exp(u), first, second) }
	// The ends c → 1 and c → ∞: one leg at α, the other a max-divergence.
	const span, step = 28.0, 2.0
	best := quad.AddUp(first(alpha), second(math.Inf(1)))
	best = min(best, weakBound(alpha, math.Inf(1), first, second))
	bestU, bestAt := 0.0, math.Inf(1)
	for u := -span; u <= span; u += step {
		if v := at(u); v < bestAt {
			bestU, bestAt = u, v
		}
	}
	if math.IsInf(bestAt, 1) {
		return best
	}
	_, v := quad.Minimize(at, bestU-step, bestU+step)
	return min(best, bestAt, v)
}

// weakBound is the bound of one path at c = 1 + over, rounded up; over = +Inf is the limit.
func weakBound(alpha, over float64, first, second Curve) float64 {
	if math.IsInf(over, 1) {
		return quad.AddUp(quad.MulUp(quad.DivUp(alpha, alpha-1), first(over)), second(alpha))
	}
	// Orders are rounded up, as a curve rises with its order.
	long := alpha * (1 + over) * (1 + 0x1p-51)
	short := (alpha + (alpha-1)/over) * (1 + 0x1p-51)
	factor := (alpha - 1 + alpha*over) / ((1 + over) * (alpha - 1)) * (1 + 0x1p-49)
	return quad.AddUp(quad.MulUp(factor, first(long)), second(short))
}

// PaperTheorem2 is the bound of Hu, Sanyal, Schölkopf 2024, Theorem 2, as their tables use it: c = 2 on both
// paths, and the larger of the two. It is valid, for comparison; [WeakTriangle] is never above it.
func PaperTheorem2(free, shift Curve) Curve {
	return func(alpha float64) float64 {
		if !(alpha > 1) || math.IsInf(alpha, 1) {
			return math.Inf(1)
		}
		return max(weakBound(alpha, 1, shift, free), weakBound(alpha, 1, free, shift))
	}
}
