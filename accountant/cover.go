package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussianCover returns the least μ, rounded up, of a Gaussian pair that dominates the event outside a failure of
// probability δ₀: the event is a function of a release that tells all with probability δ₀ and is μ-GDP otherwise. It
// is for a currency in which an event without a μ of its own, as [GaussMix], is to be added to Gaussian releases:
// μ² and δ₀ add. Alone, the event's own profile is better.
//
// Proof. Laws are ordered by their profiles (Blackwell; Dong, Roth, Su 2022, Theorem 2.10), and that of the
// cover is δ₀ + (1 − δ₀) δ_μ(ε). The order is symmetric in the two datasets, as the prices here are, so that ε ≥ 0
// suffices. Profiles are convex in e^ε: between two points of a grid the event's is below its chord, and that of the
// cover above its tangent at a point between them. Beyond the grid the event's is below δ₀. ∎
//
// Errors wrap [ErrDelta], [ErrNeighbours] or [ErrParameter], and [ErrNoRoute] where there is no such μ.
func GaussianCover(e Event, rel Neighbours, delta0 float64) (mu float64, err error) {
	if !(delta0 > 0 && delta0 < 1) {
		return math.NaN(), fmt.Errorf("accountant: Gaussian cover: failure: got %g, want a probability in (0, 1): %w", delta0, ErrDelta)
	}
	c, err := newCover(e, delta0, func(epsilon float64) (float64, error) {
		g, err := DeltaOf(e, rel, epsilon)
		return g.Delta, err
	})
	if err != nil {
		return math.NaN(), fmt.Errorf("accountant: Gaussian cover: %w", err)
	}
	if mu = c.least(0, 1e-6); math.IsInf(mu, 1) {
		return math.NaN(), fmt.Errorf("accountant: Gaussian cover: %v: no μ up to %g: %w", e, float64(mostMu), ErrNoRoute)
	}
	return mu, nil
}

// newCover asks for the profile of e on the grid.
func newCover(e Event, delta0 float64, at func(epsilon float64) (float64, error)) (cover, error) {
	c := cover{delta0: delta0}
	const cells, largest = 128, 600
	last := 0x1p-20
	for {
		d, err := at(last)
		if err != nil {
			return c, err
		}
		if d <= delta0 {
			break
		}
		if last *= 1.25; last > largest {
			return c, fmt.Errorf("%v: δ is above the failure %g up to ε = %g: %w", e, delta0, float64(largest), ErrNoRoute)
		}
	}
	for i := range cells + 1 {
		epsilon := last * float64(i) / cells
		d, err := at(epsilon)
		if err != nil {
			return c, err
		}
		c.epsilon, c.delta = append(c.epsilon, epsilon), append(c.delta, d)
	}
	return c, nil
}

// mostMu is beyond all that a Gaussian cover is of use for.
const mostMu = 1e3

// least is the least μ, to that relative tolerance and rounded up, whose Gaussian pair covers the profile beside pure of ε; +Inf
// where none of use does.
func (c cover) least(pure, tolerance float64) float64 {
	lo, hi := 0.0, 0x1p-20
	for !c.holds(hi, pure) {
		if lo, hi = hi, 2*hi; hi > mostMu {
			return math.Inf(1)
		}
	}
	for hi-lo > tolerance*hi { // hi holds at every step
		if mid := lo + (hi-lo)/2; c.holds(mid, pure) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// cover is a profile, rounded up, on a grid of ε from 0 to where it is below δ₀.
type cover struct {
	delta0         float64
	epsilon, delta []float64
}

// holds reports whether the Gaussian pair of μ covers the profile beside pure of ε: whether δ(ε) ≤ δ₀ + (1 − δ₀) δ_μ(ε − pure) for
// every ε ≥ 0, which is the inequality of [Charge] for w ≥ e^−pure. For smaller w = e^(−u−pure) it reads, by the symmetry of the
// profile and of the Gaussian pair, 1 − δ(u) ≥ (1 − δ₀) e^−pure (1 − δ_μ(u + pure)), u ≥ 0: it holds where 1 − δ(0) ≥ e^−pure, as δ falls.
func (c cover) holds(mu, pure float64) bool {
	if pure > 0 && !(c.delta[0] <= -math.Expm1(-pure)*(1-0x1p-50)) {
		return false
	}
	for i := range len(c.epsilon) - 1 {
		a, b := c.epsilon[i], c.epsilon[i+1]
		if c.delta[i] <= c.delta0 {
			return true // from here on
		}
		// The tangent in w = e^ε at the middle of the cell, where the slope is −Φ(−m/μ − μ/2), lowered by more than
		// its rounding. With w − w_m = e^m (e^{ε−m} − 1).
		m := a + (b-a)/2
		level := gaussianDelta(m-pure, mu) * (1 - 0x1p-30)
		slope := quad.LogNormalCDF(-(m-pure)/mu-mu/2) + m - pure
		for _, end := range []struct{ epsilon, delta float64 }{{a, c.delta[i]}, {b, c.delta[i+1]}} {
			rise := math.Exp(slope) * math.Expm1(end.epsilon-m)
			below := level - rise - 0x1p-30*math.Abs(rise)
			below -= 0x1p-40 * math.Abs(below)
			if !(end.delta <= c.delta0+(1-c.delta0)*below) {
				return false
			}
		}
	}
	return true
}
