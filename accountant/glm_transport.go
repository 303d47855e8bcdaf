package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/memo"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// transport bounds what one row x changes in the law of the minimiser θ of
//
//	F(θ) + ℓ(xᵀθ) + bᵀθ,  b ~ N(0, σ² I),
//
// F Λ-strongly convex, ℓ convex with |ℓ'| ≤ L/‖x‖ and an ℓ' that is β/‖x‖²-Lipschitz. Nothing is asked of second
// derivatives: ℓ may be a Huber loss or a squared hinge.
//
// Theorem (docs/theory/mechanisms.md#transport-of-the-noise-along-a-row). Let b' be the noise with the row, and b = b' + ℓ'(xᵀθ(b')) x. Without the row the noise b gives the same θ,
// so that θ is one function of b on both sides, and no test of θ is better than the best of b: N(0, σ²I) without the row,
// T(b'), b' ~ N(0, σ²I), with it. T moves along x alone. On a line in that direction, in units of σ, it is
// T(v) = v + h(v) with |h| ≤ s = L/σ, and its inverse U(v) = v + G(v), where G rises with a slope in [0, r], r = β/Λ, and
// stays in [−s, s].
//
// Proof. Let θ₁, θ₂ be the minimisers at b'₁ − b'₂ = a'x, and b₁ − b₂ = ax. Then a = a' + ℓ'₁ − ℓ'₂. F is strongly convex
// and −b its gradient: −a xᵀ(θ₁−θ₂) ≥ Λ‖θ₁−θ₂‖² ≥ Λ (xᵀ(θ₁−θ₂))²/‖x‖². So ℓ'₁ − ℓ'₂ has the sign of xᵀ(θ₁−θ₂),
// that of −a, and is at most |a|β/Λ large: |a'| = |a| + |ℓ'₁ − ℓ'₂| is in [|a|, (1+r)|a|]. ∎
//
// Profiles for a row that is removed (the laws with it against those without), ε ≥ 0. With D = ln(1+r), T' ≥ 1/(1+r) gives
// δ(ε) ≤ ∫ (φ(v) − e^(ε−D) φ(Tv))₊ dv. Say h(0) ≥ 0; else reflect v. h falls and T rises: for v < 0, T(v) is in [v, v+s], for
// v > 0 in [0, v+s]. So |T(v)| ≤ max(|v|, |v+s|), and for ε ≥ D the integrand is at most (φ(v) − e^(ε−D) φ(v+s))₊:
//
//	δ(ε) ≤ δ_G(ε − D, s),  ε ≥ D.
//
// Below D: δ is convex in w = e^ε, hence at most its chord from w = 1 to e^D. At e^D it is at most δ_G(0, s). At 1 it is the total
// variation, which is that of the added row; and with c = e^−D the integrand is at most (1−c) φ + c (φ(v) − φ(Tv))₊, so that
// δ(0) ≤ 1 − c + c δ_G(0, s). Where ℓ' has one sign, δ(ε) ≤ δ(0) = δ_G(0, s) ≤ δ_G(ε − D, s).
//
// For one that is added, ε ≥ 0: U′ ≥ 1 and δ(ε) ≤ ∫ (φ(v) − e^ε φ(U(v)))₊ dv. Where ℓ' has one sign, so has G, say G ≥ 0:
// |U(v)| ≤ max(|v|, |v+s|), and δ(ε) ≤ δ_G(ε, s). In general, with g = |G(0)|, |U(v)| is on one side of 0 at most
// |v| + min(s, g + r|v|), on the other at most |v| + min(s, r|v| − g), or g − |v| beyond 0, hence
// δ(ε) ≤ max over g in [0, s] of I₁(g) + I₂(g),
//
//	I₁ = ∫_{v<0} (φ(v) − e^ε φ(v+g))₊ dv + ∫_{v>0} (φ(v) − e^ε φ(v + min(s, g+rv)))₊ dv, which rises with g,
//	I₂ = ∫_{v>0} (φ(v) − e^ε φ(v + min(s, (rv−g)₊)))₊ dv, which falls;
//
// for ε ≥ s²/2 it is at most 2 δ_G(ε, s). Both bounds are attained but for ln T′ and ln U′ (d = 1, one row).
//
// This sharpens the bounds that go by |X| (see [ObjectivePerturbation.Profile]): half of δ, and a Gaussian pair that covers it
// at a μ little above s in place of 2s.
type transport struct {
	s       float64 // L/σ
	r       float64 // β/Λ, rounded up
	det     float64 // ln(1 + r), rounded up
	oneSign bool
}

// delta is the larger profile of both directions, rounded up.
func (t transport) delta(epsilon float64) float64 {
	switch {
	case math.IsNaN(epsilon) || math.IsInf(t.s, 1):
		return 1
	case epsilon < 0: // P(S) − e^ε Q(S) = P(S) − Q(S) + (1 − e^ε) Q(S)
		return min(1, quad.AddUp(t.delta(0), quad.Inflate(-math.Expm1(epsilon), 0x1p-50)))
	}
	return max(t.removed(epsilon), t.added(epsilon))
}

// removed is the profile of a row that is removed, for ε ≥ 0, rounded up: ε − D is lowered by more than its rounding.
func (t transport) removed(epsilon float64) float64 {
	over := epsilon - t.det - 0x1p-50*(math.Abs(epsilon)+t.det)
	if t.oneSign || over >= 0 {
		return gaussianDelta(over, t.s)
	}
	atD := gaussianDelta(-0x1p-49*t.det, t.s)
	at0 := min(t.added(0), quad.Inflate(-math.Expm1(-t.det)+atD, 0x1p-49))
	// From w = 1 to e^D; a share that is too small takes more of the larger end.
	share := math.Expm1(epsilon) / math.Expm1(t.det) * (1 - 0x1p-40)
	if at0 < atD {
		return atD
	}
	return min(1, quad.Inflate(at0+(atD-at0)*min(1, max(0, share)), 0x1p-49))
}

// transportCells is the number of cells of g, in each of which I₁ is taken at one end and I₂ at the other.
const transportCells = 32

// added is the profile of a row that is added, for ε ≥ 0, rounded up.
func (t transport) added(epsilon float64) float64 {
	if t.oneSign {
		return gaussianDelta(epsilon, t.s)
	}
	worst := 0.0
	for k := range transportCells {
		lo, hi := t.s*float64(k)/transportCells, t.s*float64(k+1)/transportCells
		worst = max(worst, t.pushed(epsilon, hi)+t.pulled(epsilon, lo))
	}
	if epsilon >= t.s*t.s/2*(1+0x1p-50) {
		worst = min(worst, 2*gaussianDelta(epsilon, t.s))
	}
	return min(1, quad.Inflate(worst, 0x1p-50))
}

// pushed is I₁(g), rounded up.
func (t transport) pushed(epsilon, g float64) float64 {
	behind := 0.0
	if square := g * g / 2; epsilon < square {
		from := epsilon/g - g/2
		behind = drop(epsilon, 0.5-quad.NormalCDF(from), quad.NormalCDF(g)-quad.NormalCDF(from+g))
		behind += 0x1p-46
	}
	return behind + t.ahead(epsilon, g)
}

// pulled is I₂(g), rounded up.
func (t transport) pulled(epsilon, g float64) float64 { return t.ahead(epsilon, -g) }

// ahead is ∫ (φ(v) − e^ε φ(v + min(s, (g + rv)₊)))₊ over v > 0, for −s ≤ g ≤ s, rounded up. The loss U²/2 − v²/2 rises with v:
// it is ε at v₁ on the part where U = (1+r)v + g, up to v = (s−g)/r, or behind that where U = v + s.
func (t transport) ahead(epsilon, g float64) float64 {
	capped := (t.s - g) / t.r
	a := t.r * (2 + t.r)
	root := math.Sqrt(g*g + 2*epsilon*a)
	// a v²/2 + (1+r) g v + g²/2 − ε = 0: the larger solution, without cancellation.
	first := (root - (1+t.r)*g) / a
	if g > 0 {
		first = max(0, (2*epsilon-g*g)/(root+(1+t.r)*g))
	}
	if first > capped || epsilon > 700 {
		return gaussianDelta(epsilon, t.s) // no more than all of that of U = v + s
	}
	mine := quad.NormalCDF(-first)
	theirs := quad.NormalCDF(-(1+t.r)*first-g)/(1+t.r) + t.r/(1+t.r)*quad.NormalCDF(-capped-t.s)
	return drop(epsilon, mine, theirs)
}

// drop is max(0, p − e^ε q) for computed probabilities, and what their rounding may add: of values, and of arguments x below 40
// by φ(x) 2^-51 x.
func drop(epsilon, p, q float64) float64 {
	return max(0, p-math.Exp(epsilon)*q) + 0x1p-38*p
}

// dominatedBy reports that the profile of μ-GDP is certainly nowhere below t's.
//
// Beyond a point no ε need be looked at. Removed: at the best test a of δ_G(ε − D, s) that of μ is at least as good where
// Φ̄(a+μ) ≤ e^−D Φ̄(a+s), and then for all larger a and ε, as the hazard rate of the normal law rises. Added:
// ln δ_G(ε, μ) − ln δ_G(ε, s) rises with ε for μ > s, so that 2δ_G(ε, s) ≤ δ_G(ε, μ) holds from one ε on. Proof. With
// x = ε/s − s/2 the derivative of ln δ_G in ε is −1/(M(x)/M(x+s) − 1), M the Mills ratio, and M(x)/M(x+s) rises with s at
// fixed ε: its logarithm has the derivative q(x)(ε/s² + ½) − q(x+s)(ε/s² − ½) ≥ q(x+s) > 0, q = −(ln M)' = 1/M − x
// positive and falling. ∎
func (t transport) dominatedBy(mu float64) bool {
	if !(mu >= t.s) || math.IsInf(mu, 1) {
		return false
	}
	gap := func(a float64) bool {
		return quad.LogNormalCDF(-a-t.s)-quad.LogNormalCDF(-a-mu) >= t.det+0x1p-44*(1+a*a+mu*mu)
	}
	const largest = 8
	start := -t.s/2 - t.det/t.s
	for a := start; !gap(a); a = 2 * max(a, 0.25) {
		if start = 2 * max(a, 0.25); start > largest {
			return false
		}
	}
	end := (t.s*start + t.s*t.s/2 + t.det) * (1 + 0x1p-40)
	if !t.oneSign { // below D the profile is another
		end = max(end, t.det*(1+0x1p-40))
	}
	if end > 0 && !dominatedOn(t.removed, mu, 0, end, end*0x1p-16) {
		return false
	}
	if t.oneSign {
		return true // δ_G(ε, s) ≤ δ_G(ε, μ)
	}
	end = max(t.s*t.s/2*(1+0x1p-40), t.s/2)
	for !below(2*gaussianDelta(end, t.s), end, mu) {
		if end *= 1.25; end > 40*t.s+t.s*t.s {
			return false
		}
	}
	return dominatedOn(t.added, mu, 0, end, end*0x1p-12)
}

// cover is the least μ, rounded up, of a Gaussian pair that dominates t; +Inf where none of use does.
func (t transport) cover() float64 { return transportCovers.Of(t, t.leastCover) }

var transportCovers memo.Memo[transport, float64]

func (t transport) leastCover() float64 {
	if math.IsInf(t.s, 1) {
		return t.s
	}
	total := t.delta(0)
	if !(total < 1-0x1p-20) {
		return math.Inf(1)
	}
	return leastCover(raiseTo(t.s, 0, total), t.dominatedBy)
}
