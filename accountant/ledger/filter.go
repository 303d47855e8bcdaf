package ledger

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dpkit-go/dpnb/accountant"
)

// cost is one way to charge a release: see accountant.Charge. It is μ-GDP beside pure of ε, outside a failure of probability fail, up
// to the total variation tv.
type cost struct{ mu, tv, fail, pure float64 }

// filter decides whether a cost fits. It passes iff
//
//	Σ μ_i² ≤ μ*²  and  Σ ε_i ≤ ε_p  and  (1 + e^ε) Σ tv_i ≤ δ' − δ*,  and  Σ fail_i ≤ δ − δ',
//
// ε_p = Config.Pure, δ − δ' = Config.Reserve, with μ* that of (ε − ε_p, δ_μ), δ_μ = (1 − s) δ', s = accountant.SamplerShare, and gridRoom
// more, and δ* = δ_μ + gridDelta·s δ' above its profile at ε − ε_p, fixed beforehand, each by itself: what one sum leaves is never another's. Sums are rounded up, and are those of a person (see splits).
//
// Why they hold together, however each release, and the way in which it is charged, follows from what came out before: let
// H_w(P, Q) = sup over S of P(S) − w Q(S), for measures, and h(w, μ) = H_w(N(μ, 1), N(0, 1)), which rises with μ and falls with w. A
// release with the charge (μ, ε, f) has H_w(P, e^ε Q) ≤ f + h(w, μ) for all w > 0. Claim: where Σμ_i² ≤ m², Σε_i ≤ E and
// Σf_i ≤ F on every path, all outputs together have H_w(P, e^E Q) ≤ F + h(w, m). Proof by induction from the last
// release: with none left, H_w is (1 − w)₊ ≤ h. A first one (μ, ε, f), after whose output x the others have P_x, Q_x with room m'² = m² − μ²,
// E' = E − ε, F' = F − f:
//
//	H_w(P P_x, e^E Q Q_x) = ∫ P(dx) H at w e^ε dQ/dP(x) of (P_x, e^E' Q_x) ≤ F' + ∫ P(dx) h(w e^ε dQ/dP(x), m')
//	= F' + H_w(P × N(m', 1), e^ε Q × N(0, 1)) = F' + ∫ N(m', 1)(dy) H at w r(y) of (P, e^ε Q), r the ratio of the two densities,
//	≤ F' + f + ∫ N(m', 1)(dy) h(w r(y), μ) = F + h(w, √(m'² + μ²)) = F + h(w, m). ∎
//
// At w = e^(ε−ε_p) that is P(S) ≤ e^ε Q(S) + (δ − δ') + δ*, as h(w, μ*) ≤ δ*. The claim is that of Smith and Thakurta (2022) where E and F
// are 0, and that of Rogers, Roth, Ullman and Vadhan (2016) where m is. The third condition is the triangle
// inequality: two laws within tv of ε-δ-indistinguishable ones differ by at most δ + (1 + e^ε) tv. Noise on a grid has no such
// distance (accountant.DiscreteGaussian), and none of the mechanisms that there are: it stands in older ledgers.
type filter struct {
	budget  accountant.Budget
	deltaMu float64    // δ_μ
	reserve float64    // δ' − δ*
	muStar2 *big.Float // μ*², exact
	kept    float64    // δ − δ'
	pureMax float64    // ε_p

	totals        // of the person for whom they are largest, or more: what is held against the budget
	whole  totals // of releases that read everybody
	splits splits // of those that read a part of a split alone
}

func newFilter(c Config, muStar float64) *filter {
	rest := c.noise().Delta
	f := &filter{budget: c.Budget, deltaMu: rest * (1 - accountant.SamplerShare), muStar2: square(muStar), kept: c.Reserve, pureMax: c.Pure, totals: noTotals(), whole: noTotals()}
	f.reserve = (rest - f.deltaMu) * (1 - gridDelta)
	return f
}

// noise is the budget (ε − ε_p, δ') of the Gaussian sum, rounded down.
func (c Config) noise() accountant.Budget {
	b := c.Budget
	if c.Pure > 0 {
		b.Epsilon = math.Nextafter(b.Epsilon-c.Pure, 0)
	}
	if c.Reserve > 0 {
		b.Delta = math.Nextafter(b.Delta-c.Reserve, 0)
	}
	return b
}

// gridRoom is by how much μ* is above that of accountant.CalibrateShared, relatively. A release calibrated to the same budget is on a grid, whose
// discrete noise costs a little more than continuous noise, and each price is rounded up: without room it would not fit the
// budget that it was calibrated to. gridDelta of the share of δ that is kept back pays for it.
const (
	gridRoom  = 0x1p-46
	gridDelta = 0x1p-6
)

// calibrate returns μ* for a configuration, and checks that its profile is within δ*.
func calibrate(c Config) (float64, error) {
	b := c.noise()
	mu, err := accountant.CalibrateShared(b)
	if err != nil {
		return 0, err
	}
	if !(mu > 0) {
		return 0, fmt.Errorf("ledger: config: budget: no Gaussian mechanism is (%v, %v)-DP: want a larger budget", b.Epsilon, b.Delta)
	}
	kept := b.Delta * accountant.SamplerShare
	if mu *= 1 + gridRoom; !(deltaUp(mu, b.Epsilon) <= b.Delta-kept*(1-gridDelta)) {
		return 0, fmt.Errorf("ledger: config: budget: at (%v, %v) float64 cannot tell μ from the next number: want a smaller ε or a larger δ", b.Epsilon, b.Delta)
	}
	return mu, nil
}

// tooMuch is the refusal that the numbers beside it explain: Σ μ² would pass μ*².
const tooMuch = "more than is left"

// route is the first of the ways that fits, else the first of them.
func (f *filter) route(ways ...cost) cost {
	for _, c := range ways {
		if f.amiss(c) == "" {
			return c
		}
	}
	return ways[0]
}

// refusal says why none of the ways fits; "" if one does.
func (f *filter) refusal(ways ...cost) string {
	why := ""
	for _, c := range ways {
		switch amiss := f.amiss(c); {
		case amiss == "":
			return ""
		case why == "" || amiss == tooMuch:
			why = amiss
		}
	}
	return why
}

// amiss says why c does not fit; "" if it does.
func (f *filter) amiss(c cost) string {
	if c.mu > 0 && f.sumWith(c).Cmp(f.muStar2) > 0 {
		return tooMuch
	}
	if c.pure > 0 && f.pureWith(c).Cmp(big.NewFloat(f.pureMax)) > 0 {
		return tooMuch
	}
	if f.samplerDelta(c.tv) > f.reserve {
		return fmt.Sprintf("the samplers' total variation would cost δ = %.3g of the %.3g kept for it", f.samplerDelta(c.tv), f.reserve)
	}
	if fail := addUp(f.fail, c.fail); fail > f.kept {
		if f.kept == 0 {
			return fmt.Sprintf("it may fail with probability %s, for which this ledger keeps nothing: %s", roundedUp(c.fail), f.needs(fail))
		}
		return fmt.Sprintf("failures would cost δ = %s of the %s kept for them: %s", roundedUp(fail), roundedDown(f.kept), f.needs(fail))
	}
	return ""
}

// needs names a reserve that is enough for failures of that probability together, where some part of the budget is. Covers may take less of it.
func (f *filter) needs(fail float64) string {
	if !(f.budget.Delta-fail >= minDelta) { // no part of it is
		return fmt.Sprintf("that is not below the budget's δ = %v, so ask for a smaller δ in the release", f.budget.Delta)
	}
	return fmt.Sprintf("a %s of %s is enough", reserveName, accountant.FormatUp(fail))
}

// reserveName is how refusals name [Config.Reserve].
const reserveName = "Reserve"

// spent is the ε at the budget's δ of what was charged, rounded up. Where the filter held it
// never exceeds the budget, because Σ μ² ≤ μ*² is what the budget means.
func (f *filter) spent() float64 {
	eps := addUp(f.epsilonUp(f.sum), f.pureSpent())
	if f.sum.Cmp(f.muStar2) <= 0 && f.pureSpent() <= f.pureMax {
		eps = min(eps, f.budget.Epsilon)
	}
	return eps
}

// left is the ε at the budget's δ of the largest single Gaussian release that still fits, rounded down.
func (f *filter) left() float64 {
	most := f.budget.Epsilon
	if f.pureMax > 0 {
		most = math.Nextafter(most-f.pureMax, 0)
	}
	if f.sum.Sign() == 0 {
		return most
	}
	rest := new(big.Float).SetPrec(512).SetMode(big.ToNegativeInf).Sub(f.muStar2, f.sum)
	if rest.Sign() <= 0 {
		return 0
	}
	r, _ := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(rest).Float64()
	mu := math.Nextafter(math.Sqrt(r), 0)
	return min(epsilonDown(mu, f.deltaMu), most)
}

// pureLeft is the largest ε of a release that the part for pure ones still takes, rounded down.
func (f *filter) pureLeft() float64 {
	rest := new(big.Float).SetPrec(53).SetMode(big.ToNegativeInf).Sub(big.NewFloat(f.pureMax), f.pure)
	left, _ := rest.Float64()
	return max(0, left)
}

// pureSpent is Σ ε_i of the part for pure releases, rounded up.
func (f *filter) pureSpent() float64 {
	spent, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(f.pure).Float64()
	return spent
}

func (f *filter) pureWith(c cost) *big.Float { return f.with(c).pure }

// asked is the ε at the budget's δ that the first of the ways that a fresh ledger has room for takes of it, rounded up.
func (f *filter) asked(ways []cost) float64 { return f.worth(f.fresh(ways)) }

// fresh is the first of the ways that a fresh ledger has room for, else the first of them.
func (f *filter) fresh(ways []cost) cost {
	for _, c := range ways {
		if c.pure <= f.pureMax && c.fail <= f.kept && square(c.mu).Cmp(f.muStar2) <= 0 {
			return c
		}
	}
	return ways[0]
}

// worth is the ε at the budget's δ of c alone, rounded up.
func (f *filter) worth(c cost) float64 { return addUp(f.epsilonUp(square(c.mu)), c.pure) }

func (f *filter) epsilonUp(mu2 *big.Float) float64 {
	if mu2.Sign() <= 0 {
		return 0
	}
	v, _ := new(big.Float).SetPrec(53).SetMode(big.ToPositiveInf).Set(mu2).Float64()
	mu := math.Nextafter(math.Sqrt(v), math.Inf(1))
	if !(mu < 1e3) {
		return math.Inf(1) // far beyond any budget; the profile's error bound ends here
	}
	return epsilonUp(mu, f.deltaMu)
}

func (f *filter) sumWith(c cost) *big.Float { return f.with(c).sum }

// samplerDelta is (1 + e^ε)(Σ tv + tv), rounded up.
func (f *filter) samplerDelta(tv float64) float64 {
	t := addUp(f.tv, tv)
	if t == 0 {
		return 0
	}
	return math.Nextafter((1+math.Exp(f.budget.Epsilon))*(1+0x1p-50)*t, math.Inf(1))
}

func addUp(a, b float64) float64 {
	if b == 0 {
		return a
	}
	if a == 0 {
		return b
	}
	return math.Nextafter(a+b, math.Inf(1))
}

// square is exact: 106 bits.
func square(x float64) *big.Float {
	v := roundUp().SetFloat64(x)
	return v.Mul(v, v)
}

func roundUp() *big.Float { return new(big.Float).SetPrec(512).SetMode(big.ToPositiveInf) }
