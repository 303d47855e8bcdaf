package ledger

import (
	"fmt"
	"math"
	"math/big"

	"github.com/dpkit-go/dpnb/accountant"
)

// cost is what one release adds: outside a failure of probability fail it is μ-GDP up to the total
// variation tv.
type cost struct{ mu, tv, fail float64 }

// filter decides whether a cost fits. It passes iff
//
//	Σ μ_i² ≤ μ*²  and  (1 + e^ε) Σ tv_i ≤ δ' − δ_μ,  δ_μ = (1 − s) δ',  and  Σ fail_i ≤ δ − δ',
//
// δ − δ' = Config.Reserve, s = accountant.SamplerShare,
//
// with μ* fixed beforehand (see the package documentation for the theorem). The second condition
// is the triangle inequality: two laws within tv of ε-δ_μ-indistinguishable ones differ by at most
// δ_μ + (1 + e^ε) tv. The third is the union bound: outside the failures, which are decided by draws of
// their own, the first two hold. Sums are rounded up.
type filter struct {
	budget  accountant.Budget
	deltaMu float64    // δ_μ
	reserve float64    // δ − δ_μ, exact: δ_μ ≥ δ/2 (Sterbenz)
	muStar2 *big.Float // μ*², exact
	sum     *big.Float // Σ μ_i², rounded up; 512 bits hold it exactly unless the μ_i differ by 2²⁰⁰
	tv      float64    // Σ tv_i, rounded up
	kept    float64    // δ − δ'
	fail    float64    // Σ fail_i, rounded up
}

func newFilter(c Config, muStar float64) *filter {
	rest := c.noise().Delta
	f := &filter{budget: c.Budget, deltaMu: rest * (1 - accountant.SamplerShare), muStar2: square(muStar), sum: roundUp(), kept: c.Reserve}
	f.reserve = rest - f.deltaMu
	return f
}

// noise is the budget (ε, δ') without the reserve, rounded down.
func (c Config) noise() accountant.Budget {
	b := c.Budget
	if c.Reserve > 0 {
		b.Delta = math.Nextafter(b.Delta-c.Reserve, 0)
	}
	return b
}

// calibrate returns μ* for a configuration, rounded down.
func calibrate(c Config) (float64, error) {
	b := c.noise()
	mu, err := accountant.CalibrateShared(b)
	if err != nil {
		return 0, err
	}
	if !(mu > 0) {
		return 0, fmt.Errorf("ledger: config: budget: no Gaussian mechanism is (%v, %v)-DP: want a larger budget", b.Epsilon, b.Delta)
	}
	return mu, nil
}

// tooMuch is the refusal that the numbers beside it explain: Σ μ² would pass μ*².
const tooMuch = "more than is left"

// refusal says why c does not fit; "" if it does.
func (f *filter) refusal(c cost) string {
	if f.sumWith(c).Cmp(f.muStar2) > 0 {
		return tooMuch
	}
	if f.samplerDelta(c.tv) > f.reserve {
		return fmt.Sprintf("the samplers' total variation would cost δ = %.3g of the %.3g kept for it", f.samplerDelta(c.tv), f.reserve)
	}
	if fail := addUp(f.fail, c.fail); fail > f.kept {
		if f.kept == 0 {
			return fmt.Sprintf("it may fail with probability %.3g, for which this ledger keeps nothing: create one with a Reserve", c.fail)
		}
		return fmt.Sprintf("the failures would cost δ = %.3g of the %.3g kept for them", fail, f.kept)
	}
	return ""
}

// add counts c, whether or not it fits: what is in the file has happened.
func (f *filter) add(c cost) {
	f.sum = f.sumWith(c)
	f.tv = addUp(f.tv, c.tv)
	f.fail = addUp(f.fail, c.fail)
}

// spent is the ε at the budget's δ of what was charged, rounded up. Where the filter held it
// never exceeds the budget, because Σ μ² ≤ μ*² is what the budget means.
func (f *filter) spent() float64 {
	eps := f.epsilonUp(f.sum)
	if f.sum.Cmp(f.muStar2) <= 0 {
		eps = min(eps, f.budget.Epsilon)
	}
	return eps
}

// left is the ε at the budget's δ of the largest single release that still fits, rounded down.
func (f *filter) left() float64 {
	if f.sum.Sign() == 0 {
		return f.budget.Epsilon
	}
	rest := new(big.Float).SetPrec(512).SetMode(big.ToNegativeInf).Sub(f.muStar2, f.sum)
	if rest.Sign() <= 0 {
		return 0
	}
	r, _ := new(big.Float).SetPrec(53).SetMode(big.ToZero).Set(rest).Float64()
	mu := math.Nextafter(math.Sqrt(r), 0)
	return min(epsilonDown(mu, f.deltaMu), f.budget.Epsilon)
}

// asked is the ε at the budget's δ of c alone, rounded up.
func (f *filter) asked(c cost) float64 { return f.epsilonUp(square(c.mu)) }

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

func (f *filter) sumWith(c cost) *big.Float { return roundUp().Add(f.sum, square(c.mu)) }

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
