// Package pld composes privacy-loss distributions numerically.
//
// A [Law] is the law of the privacy loss L = ln dP/dQ under P, for one pair (P, Q) that dominates a
// mechanism in one direction: the hockey-stick divergence
//
//	δ(ε) = E_P[(1 − e^{ε−L})₊]
//
// of the pair is at least that of every pair of neighbours, for every real ε. Domination survives
// adaptive composition (Zhu, Dong, Wang 2022, Theorem 10; docs/theory/mechanisms.md#loss-distributions), so that the profile of a [Composition],
// the product of the pairs, bounds that of the composed mechanism.
//
// Every number is an [Interval]: an upper bound from a pessimistic discretisation, which is a pair
// that the true one can be computed from, and a lower bound from an optimistic one, which can be
// computed from the true one. Both are exact to second order in the mesh, which is refined until they are near. The
// convolution runs by FFT on an exponentially tilted law, so that δ = 1e-15 has as many digits as δ = 0.1;
// rounding, aliasing and truncation are bounded and charged. Laws are cut at quantiles relative to δ before a tilt is
// chosen, so that the far end of a heavy tail does not outweigh what counts. Where no tilt shows δ (sampling rates of 1e-9
// at δ = 1e-100) the upper bound is Chernoff's, and finite.
package pld
