package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// fall is the theorem's bound on a row that goes, ℓ' of one sign (docs/theory/mechanisms.md#a-row-that-goes): ∫ M over [0, s], which the sum
// at right ends is not below where M rises. No price goes by it yet.
func (t transport) fall(epsilon float64) float64 {
	const cells = 64
	w, rises := math.Exp(epsilon), min(t.s, math.Sqrt(2*epsilon))
	sum := 0.0
	for i := range cells {
		sum += t.highest(rises*float64(i+1)/cells, epsilon, w) * rises / cells
	}
	if rises < t.s {
		sum += gaussianDelta(epsilon, t.s) - gaussianDelta(epsilon, rises)
	}
	return sum
}

// highest is M(g), g² ≤ 2ε: its b is where ln(1 − g/b) + bg rises through g²/2 + ε − ln(1 + r), or z.
func (t transport) highest(g, epsilon, w float64) float64 {
	z := epsilon/g + g/2
	lo, hi := g, z
	for range 60 {
		if b := lo + (hi-lo)/2; math.Log1p(-g/b)+b*g < g*g/2+epsilon-math.Log1p(t.r) {
			lo = b
		} else {
			hi = b
		}
	}
	with := quad.NormalPDF(hi-g, 0)
	return with - max(w*quad.NormalPDF(hi, 0)-with, 0)/t.r
}

// profileOf is ∫ (φ(b − g)(1 − g′) − e^ε φ(b))₊ of a g that falls by a part of what it may in each cell.
func (t transport) profileOf(epsilon float64, part func(b, g float64) float64) float64 {
	const step = 1. / 512
	w, g, sum := math.Exp(epsilon), t.s, 0.0
	for b := -7.0; b < 7; b += step {
		next := max(g-part(b, g)*t.r*step, 0)
		with := quad.NormalCDF(b+step-next) - quad.NormalCDF(b-g)
		sum += max(with-w*(quad.NormalCDF(b+step)-quad.NormalCDF(b)), 0)
		g = next
	}
	return sum
}

// worstProfile is the largest profile of those that fall by nothing or all that they may in each of many cells, by dynamic programming.
func (t transport) worstProfile(epsilon float64) float64 {
	levels := max(24, int(t.s/t.r/0.1))
	step := t.s / t.r / float64(levels)
	w, worth := math.Exp(epsilon), make([]float64, levels+1)
	for b := 7.0; b > -7; b -= step {
		without := w * (quad.NormalCDF(b+step) - quad.NormalCDF(b))
		gain := func(from, to int) float64 {
			g := t.s / float64(levels)
			return max(quad.NormalCDF(b+step-g*float64(to))-quad.NormalCDF(b-g*float64(from))-without, 0) + worth[to]
		}
		for i := levels; i >= 0; i-- { // worth of lower levels is still that behind the cell
			best := gain(i, i)
			if i > 0 {
				best = max(best, gain(i, i-1))
			}
			worth[i] = best
		}
	}
	return worth[levels]
}

// TestTransportFall: no noise that falls along a row tells more than the bound, wherever it falls, at once or in parts; the worst one
// attains most of it; and it is below what prices go by where those are not tight.
func TestTransportFall(t *testing.T) {
	random := rand.New(rand.NewPCG(19, 7))
	for _, c := range []struct{ s, r float64 }{{0.1, 0.13}, {0.1, 0.03}, {0.28, 0.35}, {1, 0.5}, {1, 2}, {2, 0.3}, {0.5, 0.01}} {
		t.Run(fmt.Sprint(c.s, c.r), func(t *testing.T) {
			l := transport{s: c.s, r: c.r, det: math.Log1p(c.r), oneSign: true}
			for _, times := range []float64{0.05, 0.2, 0.5, 1, 2} {
				epsilon := times * max(l.s, l.det)
				bound := l.fall(epsilon)
				if worst := l.worstProfile(epsilon); !(worst <= bound*(1+1e-9)) || worst > 1e-6 && !(worst > 0.85*bound) {
					t.Errorf("ε = %g: the worst has %g, the bound is %g", epsilon, worst, bound)
				}
				if prices := l.removed(epsilon); times < 1 && l.s < 1 && !(bound < prices) {
					t.Errorf("ε = %g: the bound is %g, prices go by %g", epsilon, bound, prices)
				}
				starts := [4]float64{}
				for k := range starts {
					starts[k] = 3*random.Float64() - 1.5
				}
				for name, part := range map[string]func(b, g float64) float64{
					"never":      func(float64, float64) float64 { return 0 },
					"at once":    func(b, _ float64) float64 { return step(b - starts[0]) },
					"in parts":   func(b, _ float64) float64 { return step(b-starts[0]) * step(math.Sin(9*b+starts[1])) },
					"half, late": func(b, g float64) float64 { return step(b-starts[2]) * step(g-l.s/2) },
					"slowly":     func(b, _ float64) float64 { return step(b-starts[3]) / 3 },
					"logistic":   func(b, _ float64) float64 { p := 1 / (1 + math.Exp(-b-starts[1])); return 4 * p * (1 - p) },
				} {
					if got := l.profileOf(epsilon, part); !(got <= bound*(1+1e-9)+1e-12) {
						t.Errorf("ε = %g, falling %s: %g, the bound is %g", epsilon, name, got, bound)
					}
				}
			}
		})
	}
}

func step(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}
