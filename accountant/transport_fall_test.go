package accountant

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// fall is the bound on a row that goes where no more is known of ℓ than its slopes.
func (t transport) fall(epsilon float64) float64 {
	return fall(epsilon, t.s, func(float64, float64) float64 { return t.r })
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
			single.Goroutine(t)
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

// worstLogistic is the largest profile of falls by nothing or all that a logistic loss allows in each of many cells: on levels even in the
// log-odds of p = g/s, which move by C²/(Λs) a unit of b.
func (l objectiveLoss) worstLogistic(epsilon float64) float64 {
	const each, reach = 6, 8
	levels := make([]float64, 2*reach*each+1)
	for i := range levels {
		levels[i] = l.s / (1 + math.Exp(reach-float64(i)/each))
	}
	step := l.s / l.bend / each
	w, worth, last := math.Exp(epsilon), make([]float64, len(levels)), make([]float64, len(levels))
	for i, g := range levels {
		last[i] = quad.NormalCDF(8 - g)
	}
	for b := 8.0; b > -8; b -= step {
		without := w * (quad.NormalCDF(b) - quad.NormalCDF(b-step))
		above, below := 0.0, last[0] // of the level below at the end of the cell
		for i, g := range levels {
			at := quad.NormalCDF(b - step - g)
			best := max(last[i]-at-without, 0) + worth[i]
			if i > 0 {
				best = max(best, max(below-at-without, 0)+above)
			}
			above, below = worth[i], last[i]
			worth[i], last[i] = best, at
		}
	}
	return worth[len(worth)-1]
}

// TestLogisticFall: no noise that falls as a logistic loss lets it fall tells more than the bound, and the worst one attains most of it.
func TestLogisticFall(t *testing.T) {
	for _, c := range []struct{ s, bend float64 }{{0.05, 0.2}, {0.1, 0.5}, {0.1, 0.1}, {0.3, 2}, {1, 4}, {1, 20}, {2, 8}} {
		t.Run(fmt.Sprint(c.s, c.bend), func(t *testing.T) {
			l := objectiveLoss{s: c.s, bend: c.bend, det: math.Log1p(c.bend / 4), oneSign: true, logistic: true}
			for _, times := range []float64{0.01, 0.2, 0.7, 1.2, 2} {
				epsilon := times * max(l.s, l.det)
				bound := min(l.fall(epsilon), l.logisticDeltaTo(epsilon, coverTolerance))
				worst := l.worstLogistic(epsilon)
				if !(worst <= bound*(1+1e-9)) || worst > 1e-6 && !(worst > 0.6*bound) {
					t.Errorf("ε = %g: the worst has %g, the bound is %g", epsilon, worst, bound)
				}
			}
		})
	}
}

// TestAttackLogisticPerturbation searches for one-dimensional problems whose exact profile is above the bound or that of the Gaussian
// pair, at the Λ that calibrations propose and far below: rows of any size and label, alone and among others, pushed by a
// public regulariser to where the row's slope falls.
func TestAttackLogisticPerturbation(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(19, 8))
	worst, cover := 0.0, 0.0
	for range 20 {
		mu := math.Exp(2*r.Float64() - 2.5)
		e := must[LogisticPerturbation](t)(CalibrateLogisticPerturbation(mu, LogisticPerturbation{C: 1, Neighbours: AddRemove}))
		if r.IntN(3) == 0 {
			e.Lambda *= math.Exp(-2 * r.Float64())
			mu, _, _ = e.GDP(AddRemove)
		}
		l := must[objectiveLoss](t)(e.objective().loss(AddRemove))
		var back []record
		x := []record{1, 1, -1, 0.7}[r.IntN(4)]
		for range r.IntN(2) * r.IntN(4) {
			size := []float64{1, 1, -1, r.Float64(), -r.Float64() / 16}[r.IntN(5)]
			for range 1 + r.IntN(2)*r.IntN(12) {
				back = append(back, size)
			}
		}
		with := append([]record{x}, back...)
		// θ without noise is at −push/Λ where nothing else pulls.
		push := 3 * r.NormFloat64() * max(e.Lambda, e.Sigma/2)
		for _, times := range []float64{0.1, 0.6, 1.2, 2} {
			epsilon := times * mu
			bound, pair := min(l.fall(epsilon), l.logisticDeltaTo(epsilon, coverTolerance)), gaussianDelta(epsilon, mu)
			for _, sides := range [2][2][]record{{with, back}, {back, with}} {
				exact := trueDelta(e.objective(), sides[0], sides[1], epsilon, push)
				if exact > bound*(1+1e-5)+1e-10 || exact > pair*(1+1e-5)+1e-10 {
					t.Fatalf("%v, ε = %g: exact δ = %g, bound %g, of the pair with μ = %g: %g, row %g among %v, pushed by %g",
						e, epsilon, exact, bound, mu, pair, x, back, push)
				}
				if pair > 1e-6 {
					worst, cover = max(worst, exact/bound), max(cover, exact/pair)
				}
			}
		}
	}
	t.Logf("exact δ is at most %.4f of the bound, %.4f of the Gaussian pair's", worst, cover)
	if worst < 0.9 || cover < 0.8 {
		t.Errorf("exact δ is at most %g of the bound and %g of the pair's: the attack has lost its teeth", worst, cover)
	}
}

func step(x float64) float64 {
	if x > 0 {
		return 1
	}
	return 0
}
