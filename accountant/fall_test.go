package accountant

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestHighest: M is at least what it is the maximum of at every b, up to rounding, wherever it is looked for from, at ε from subnormal to
// 600, at g all but 0 and all but √2ε, and where densities are subnormal.
func TestHighest(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 9))
	for i := range 12_000 {
		epsilon := math.Exp(random.Float64()*39.3 - 33)
		if i%7 == 0 {
			epsilon = math.Exp(-random.Float64() * 740)
		}
		g := math.Sqrt(2*epsilon) * (1 - 0x1p-50)
		switch i % 3 {
		case 0:
			g *= random.Float64()
		case 1:
			g *= math.Exp(-20 * random.Float64())
		case 2:
			g *= 1 - math.Exp(-30*random.Float64())
		}
		r, near := math.Exp(60*random.Float64()-40), 0.0
		if i%2 == 0 {
			near = g * (1 + math.Exp(20*random.Float64()-10))
		}
		m, _ := highest(g, r, epsilon, math.Exp(epsilon), near)
		z, best := epsilon/g+g/2, 0.0
		for lo, hi, turn := g, z, 0; turn < 6; turn++ { // ever closer around the best
			at := z
			for k := range 101 {
				b := lo + (hi-lo)*float64(k)/100
				if v := math.Exp(-(b-g)*(b-g)/2) * 0.3989422804014327 * (1 - math.Expm1(max(0, (z-b)*g))/r); v > best {
					best, at = v, b
				}
			}
			lo, hi = max(g, at-(hi-lo)/50), min(z, at+(hi-lo)/50)
		}
		if !(best <= (m+0x1p-1000)*(1+1e-12*(1+epsilon))) {
			t.Errorf("g = %g, r = %g, ε = %g, from %g: M = %g, want at least %g", g, r, epsilon, near, m, best)
		}
	}
}

// TestFallExtremes: a bound is a number in (0, 1] whatever it is asked for, and 1 of what it does not know.
func TestFallExtremes(t *testing.T) {
	extremes := []float64{5e-324, 0x1p-1022, 0x1p-499, 1e-100, 1e-12, 1, 30, 1e6, 0x1p499, math.MaxFloat64}
	for _, s := range extremes {
		for _, bend := range extremes {
			l := objectiveLoss{s: s, bend: bend}
			for _, epsilon := range []float64{-1, 0, 5e-324, 1e-300, 1e-20, 1e-3, 1, 40, 599, 601, math.Inf(1)} {
				if delta := l.fall(epsilon); !(delta > 0 && delta <= 1) || !(epsilon > 0 && epsilon < 600) && delta < 1 {
					t.Errorf("s = %g, C²/Λ = %g, ε = %g: δ = %g", s, bend, epsilon, delta)
				}
			}
		}
	}
	if l := (objectiveLoss{s: math.NaN(), bend: 1}); l.fall(1) != 1 {
		t.Error("a NaN has a bound")
	}
}
