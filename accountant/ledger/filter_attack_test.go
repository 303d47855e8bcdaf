package ledger

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// admits is a filter as an adversary meets it, who asks for one release after another and looks at each before the next: what is charged,
// or ok = false. It leaves its receiver as it is.
type admits interface {
	charged(ways ...cost) (after admits, ok bool)
	leftMu() float64   // the largest μ that is admitted
	leftPure() float64 // the largest ε of a pure release that is, by whatever sum
	leftFail() float64 // the largest failure that is
}

// ours is the ledger's filter.
type ours struct{ *filter }

func (o ours) charged(ways ...cost) (admits, bool) {
	if o.refusal(ways...) != "" {
		return nil, false
	}
	after := *o.filter // its sums are replaced, never changed
	after.add(after.route(ways...), "", "")
	return ours{&after}, true
}

func (o ours) leftMu() float64 {
	rest := new(big.Float).SetPrec(512).SetMode(big.ToNegativeInf).Sub(o.muStar2, o.sum)
	if rest.Sign() <= 0 {
		return 0
	}
	v, _ := rest.Float64()
	return math.Sqrt(v) * (1 - 0x1p-40)
}

func (o ours) leftFail() float64 { return max(0, o.kept-o.fail) * (1 - 0x1p-40) }

func (o ours) leftPure() float64 {
	if o.pureMax > 0 {
		return o.pureLeft()
	}
	return 0
}

// traded is what looks like a filter and is none: ε(√Σμ²) + Σε_i ≤ ε, with the split left open.
type traded struct {
	budget    accountant.Budget
	mu2, pure float64
}

func (f traded) spent() float64 { return epsilonOfMu(math.Sqrt(f.mu2), f.budget.Delta) + f.pure }

func (f traded) leftFail() float64 { return 0 }

func (f traded) charged(ways ...cost) (admits, bool) {
	c := ways[0]
	if c.pure > 0 {
		f.pure += c.pure
	} else {
		f.mu2 += c.mu * c.mu
	}
	return f, f.spent() <= f.budget.Epsilon*(1+1e-9)
}

func (f traded) leftMu() float64 {
	lo, hi := 0.0, 10.0
	for range 60 {
		mid := (lo + hi) / 2
		if _, ok := f.charged(cost{mu: mid}); ok {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

func (f traded) leftPure() float64 { return max(0, f.budget.Epsilon-f.spent()) }

// gaussianDelta is the profile of μ-GDP (Balle, Wang 2018).
func gaussianDelta(e, mu float64) float64 {
	if mu == 0 {
		return max(0, -math.Expm1(e))
	}
	return max(0, quad.NormalCDF(-e/mu+mu/2)-math.Exp(e)*quad.NormalCDF(-e/mu-mu/2))
}

func epsilonOfMu(mu, delta float64) float64 {
	lo, hi := 0.0, 50.0
	for range 80 {
		if mid := (lo + hi) / 2; gaussianDelta(mid, mu) > delta {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// responseDelta is the profile of randomised response of ε, which no pure release exceeds (Kairouz, Oh, Viswanath 2015).
func responseDelta(e, epsilon float64) float64 {
	switch {
	case e >= epsilon:
		return 0
	case e <= -epsilon:
		return -math.Expm1(e)
	}
	return (math.Exp(epsilon) - math.Exp(e)) / (1 + math.Exp(epsilon))
}

// pureMu is the μ of the Gaussian that covers randomised response of ε.
func pureMu(epsilon float64) float64 {
	return -2 * quad.NormalQuantile(1/(1+math.Exp(epsilon)))
}

// epsilonOfPure is the ε of the randomised response whose cover has that μ.
func epsilonOfPure(mu float64) float64 {
	q := quad.NormalCDF(-mu / 2)
	return math.Log((1-q)/q) * (1 - 0x1p-40)
}

// attained is δ(e) of the best of the adversary's strategies of so many releases, each chosen by what came out before: the privacy loss of
// what came out moves e (backward induction). Choices are parts of what the filter still admits, tiny ones among them. Noise is summed
// over on a grid of that step.
func attained(t *testing.T, f admits, e float64, releases int, step float64) float64 {
	return standing(f).attained(t, e, releases, step)
}

// A stand is a filter with what is left in it, which does not depend on what comes out.
type stand struct {
	admits
	mu, pure, fail float64
	covered        float64 // ε of the pure release that all of mu covers
}

func standing(f admits) stand {
	mu := f.leftMu()
	return stand{f, mu, f.leftPure(), f.leftFail(), epsilonOfPure(mu)}
}

func (f stand) attained(t *testing.T, e float64, releases int, step float64) float64 {
	mu, pure, fail := f.mu, f.pure, f.fail
	best := max(0, -math.Expm1(e), gaussianDelta(e, mu), responseDelta(e, pure), responseDelta(e, f.covered))
	if _, both := f.admits.(ours); both { // all that is left in one release: see the extremal pair below
		best = max(best, fail+(1-fail)*gaussianDelta(e-pure, mu))
	}
	if releases == 1 {
		return best
	}
	parts := []float64{0.004, 0.02, 0.3, 0.7, 1}
	coarse := step > 0.06 // where there are many
	if coarse {
		parts = []float64{0.02, 0.7}
	}
	for _, part := range parts {
		if m := part * mu; m > 0 {
			after, ok := f.charged(cost{mu: m})
			if !ok {
				t.Fatalf("a Gaussian release of μ = %g, a part of what is left, is refused", m)
			}
			then := standing(after)
			best = max(best, overNormal(step, func(z float64) float64 { return then.attained(t, e-m*z-m*m/2, releases-1, step) }))
		}
		// One release that takes of all three sums. The pair that a charge allows at most, for this direction: with the failure it tells all,
		// else P = N(m, 1), of which Q has N(0, 1) with the weight e^−p, and the rest where P has nothing.
		for _, other := range []float64{0.3, 1} {
			p, fails := other*pure, part*fail
			if p+fails == 0 || coarse && other != 1 {
				continue
			}
			m := part * mu
			after, ok := f.charged(cost{mu: m, pure: p, fail: fails})
			if !ok {
				t.Fatalf("a release of μ = %g beside ε = %g with a failure of %g, parts of what is left, is refused", m, p, fails)
			}
			then := standing(after)
			rest := overNormal(step, func(z float64) float64 { return then.attained(t, e-p-m*z-m*m/2, releases-1, step) })
			best = max(best, fails+(1-fails)*rest)
		}
		// Pure releases: in the part for them, and beyond it, where they are charged as the Gaussians that cover them.
		for _, p := range []float64{part * pure, epsilonOfPure(part * mu), pure + epsilonOfPure(part*mu), 2*pure + 0.01} {
			if p == 0 {
				continue
			}
			if after, ok := f.charged(cost{pure: p}, cost{mu: pureMu(p)}); ok {
				q := 1 / (1 + math.Exp(-p))
				then := standing(after)
				best = max(best, q*then.attained(t, e-p, releases-1, step)+(1-q)*then.attained(t, e+p, releases-1, step))
			}
		}
	}
	return best
}

// overNormal is the mean of g over a standard normal variable, by the rule of the middle: where g has a kink in a tail at z it is off by
// about (step·z)²/24 of it.
func overNormal(step float64, g func(z float64) float64) float64 {
	const reach = 9
	sum, weight := 0.0, 0.0
	for z := -reach + step/2; z < reach; z += step {
		w := math.Exp(-z * z / 2)
		sum, weight = sum+w*g(z), weight+w
	}
	return sum / weight
}

// TestAttackFilter: no adversary who mixes Gaussian and pure releases, those that fail, and such that are charged to all three sums, each
// chosen by what came out before, gets past the budget of a ledger with a part for pure ones and a reserve; against the filter that trades one part for the other the same search finds one who does.
func TestAttackFilter(t *testing.T) {
	if testing.Short() {
		t.Skip("searches")
	}
	worst := 0.0
	for _, budget := range []accountant.Budget{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 0.3, Delta: 1e-3}, {Epsilon: 3, Delta: 1e-5}} {
		for _, share := range []float64{0, 0.02, 0.3, 0.9} {
			t.Run(fmt.Sprintf("%v, %g of ε for pure releases", budget, share), func(t *testing.T) {
				c := Config{Budget: budget, Pure: share * budget.Epsilon, Reserve: share * budget.Delta / 2}
				mu, err := calibrate(c)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []struct {
					releases  int
					step, off float64 // off is (step·z)²/24 at z = 6, and more
				}{{1, 0, 1e-9}, {2, 0.004, 3e-5}, {3, 0.12, 0.03}} {
					got := attained(t, ours{newFilter(c, mu)}, budget.Epsilon, s.releases, s.step)
					if !(got <= budget.Delta*(1+s.off)) {
						t.Errorf("%d releases attain δ = %g, want at most %g", s.releases, got, budget.Delta)
					}
					worst = max(worst, got/budget.Delta)
				}
			})
		}
	}
	t.Logf("the best attains %.4g of δ", worst)
	if worst < 0.99 {
		t.Errorf("the best adversary attains %g of δ: the search sees nothing, or the filter wastes", worst)
	}
	budget := accountant.Budget{Epsilon: 1, Delta: 1e-6}
	if got := attained(t, traded{budget: budget}, budget.Epsilon, 2, 0.05); !(got > 1.3*budget.Delta) {
		t.Errorf("the filter that trades its parts gives δ = %g: the search does not find what breaks it", got)
	}
}
