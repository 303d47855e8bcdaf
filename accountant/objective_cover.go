package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// gaussianCover is the least μ, rounded up, of a Gaussian pair whose profile is nowhere below that of the release, by which
// ledgers and compositions may count it; for other losses than the logistic one see [GLMPerturbation].
//
// With s = C/σ and c = C²/Λ the profile is below that of s-GDP from ε₀ = c − s²/2 on ([ObjectivePerturbation.Profile]):
// at c ≤ s²/2 everywhere, so that the release is s-GDP. Below ε₀ it is at most the lesser of that bound and of the one on a row that goes
// (docs/theory/mechanisms.md#a-row-that-goes), at single ε with chords between; intervals are halved until they are below tangents of the
// Gaussian pair's. ε ≥ 0 suffices: both bound the losses of both directions, and the Gaussian pair is symmetric. Under [ReplaceOne] it is
// twice that of one row (Dong, Roth, Su 2022, Theorem 3: groups).
func (o ObjectivePerturbation) gaussianCover(rel Neighbours) (float64, error) {
	l, err := o.loss(rel)
	if err != nil {
		return math.NaN(), err
	}
	if !l.logistic {
		mu, _, err := GLMPerturbation{
			C: o.C, Sigma: o.Sigma, Lambda: o.Lambda, Slope: o.Slope, Curvature: o.Curvature,
			OneSign: o.Loss == MonotoneGLM, Neighbours: o.Neighbours,
		}.GDP(rel)
		return mu, err
	}
	mu := l.cover()
	if rel == ReplaceOne {
		mu *= 2
	}
	return mu, nil
}

// coverTolerance of the quadrature, whose error is added, is far below the room between profiles.
const coverTolerance = 1e-8

var logisticCovers memo.Memo[objectiveLoss, float64]

// cover is gaussianCover for one row added or removed.
func (l objectiveLoss) cover() float64 { return logisticCovers.Of(l, l.leastCover) }

func (l objectiveLoss) leastCover() float64 {
	if math.IsInf(l.s, 1) || l.dominatedBy(l.s) {
		return l.s
	}
	total := gaussianDelta(0, l.s)
	if !(total < 1-0x1p-20) {
		return math.Inf(1) // of no use, and where profiles near 1 cannot be told apart
	}
	// At 0 there must be room for intervals to fit in.
	return leastCover(raiseTo(l.s, 0, total), l.dominatedBy)
}

// leastCover is the least μ from lo on, rounded up, for which dominated holds; +Inf where none below 1000 does.
func leastCover(lo float64, dominated func(mu float64) bool) float64 {
	hi := lo * (1 + 0x1p-16)
	for !dominated(hi) {
		if lo, hi = hi, hi+4*(hi-lo); !(hi < 1e3) {
			return math.Inf(1)
		}
	}
	for hi > lo*(1+0x1p-16) {
		if mid := (lo + hi) / 2; dominated(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}

// dominatedBy reports that the profile of μ-GDP, μ ≥ s, is certainly nowhere below that of l. It may fail to see it where
// the two all but touch.
func (l objectiveLoss) dominatedBy(mu float64) bool {
	half := l.s * l.s / 2 * (1 - 0x1p-50)
	if l.bend <= half*(1-0x1p-50) {
		return true
	}
	end := (l.bend - half) * (1 + 0x1p-40)
	first, last := gaussianDelta(0, l.s), gaussianDelta(end, l.s)
	return below(first, 0, mu) && below(last, end, mu) && l.chordBelow(mu, 0, end, first, last, 14)
}

// chordBelow reports that the profile of μ-GDP is certainly nowhere below that of l on [a, b], of which it is given bounds at a and b that
// are below it there. As a profile is convex in w = e^ε, it is at most the chord of bounds, and at least a tangent; [a, b] is halved so
// many times until one is below the other.
func (l objectiveLoss) chordBelow(mu, a, b, atA, atB float64, halvings int) bool {
	m := a + (b-a)/2
	if belowTangent(mu, m, a, atA) && belowTangent(mu, m, b, atB) {
		return true
	}
	if halvings == 0 {
		return false
	}
	atM := min(l.fall(m), atA) // it falls
	if !below(atM, m, mu) {
		if atM = min(atM, l.logisticDeltaTo(m, coverTolerance)); !below(atM, m, mu) {
			return false
		}
	}
	return l.chordBelow(mu, a, m, atA, atM, halvings-1) && l.chordBelow(mu, m, b, atM, atB, halvings-1)
}

// belowTangent reports that the tangent of the profile of μ-GDP in e^ε at m is certainly at least delta at ε; its slope is
// −Φ(−m/μ − μ/2), and e^ε − e^m = e^m (e^(ε−m) − 1). With x = m/μ − μ/2 and M the Mills ratio e^m Φ(−x−μ) = φ(x) M(x+μ).
func belowTangent(mu, m, epsilon, delta float64) bool {
	level := gaussianDelta(m, mu) * (1 - 0x1p-40)
	x, rest := gaussianOffset(m, mu)
	rise := quad.NormalPDF(x, rest) * quad.Mills(x+mu) * math.Expm1(epsilon-m)
	return delta <= level-rise-0x1p-40*math.Abs(rise)
}

// dominatedOn reports that the profile of μ-GDP is certainly nowhere below delta, which falls, on [a, b], halved down to least.
func dominatedOn(delta Profile, mu, a, b, least float64) bool {
	d := delta(a)
	if below(d, b, mu) {
		return true
	}
	if b-a <= least || !below(d, a, mu) {
		return false
	}
	mid := (a + b) / 2
	return dominatedOn(delta, mu, a, mid, least) && dominatedOn(delta, mu, mid, b, least)
}

// below reports that the profile of μ-GDP at ε is certainly at least delta.
func below(delta, epsilon, mu float64) bool { return delta <= gaussianDelta(epsilon, mu)*(1-0x1p-40) }

// raiseTo returns the least number from mu on, rounded up, whose profile is at least delta at ε.
func raiseTo(mu, epsilon, delta float64) float64 {
	if below(delta, epsilon, mu) {
		return mu
	}
	lo, hi := mu, 2*mu+epsilon+1
	for !below(delta, epsilon, hi) {
		if lo, hi = hi, 2*hi; !(hi < 1e300) {
			return math.Inf(1)
		}
	}
	for range 60 {
		if mid := (lo + hi) / 2; below(delta, epsilon, mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
