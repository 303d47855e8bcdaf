package glm

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// marginLosses are losses with the labels that they may meet, as they are stored.
func marginLosses() map[string]struct {
	loss   marginLoss
	labels []float64
	usual  bool // a default
} {
	return map[string]struct {
		loss   marginLoss
		labels []float64
		usual  bool
	}{
		"logistic":        {LogisticLoss{Positive: 1}, []float64{0, 1}, true},
		"third class":     {LogisticLoss{Positive: 2}, []float64{0, 1, 2}, false},
		"hinge":           {smoothedHinge{width: 2}, []float64{0, 1}, true},
		"sharp hinge":     {smoothedHinge{width: 0.01}, []float64{0, 1}, false},
		"wide hinge":      {smoothedHinge{width: 100}, []float64{0, 1}, false},
		"Huber":           {scaledHuber{mid: 5, half: 2, knee: 0.5}, []float64{3, 4, 5.5, 7, -100, 1e300, math.Inf(1)}, true},
		"sharp Huber":     {scaledHuber{mid: 0, half: 1, knee: 0.01}, []float64{-1, 0, 1}, false},
		"wide Huber":      {scaledHuber{mid: 0, half: 1, knee: 100}, []float64{-1, 0, 1}, false},
		"Poisson":         {cappedPoisson{most: 20, rate: 1}, []float64{0, 1, 3, 20, 1e9, -1}, true},
		"Poisson at most": {cappedPoisson{most: 3, rate: 3}, []float64{0, 1, 3}, false},
		"Poisson, rare":   {cappedPoisson{most: 1e6, rate: 1e-3}, []float64{0, 5, 1e6}, false},
	}
}

// TestLossesKeepTheirBounds: slopes rise, stay within 1 and within the curvature of each other, have one sign where that is said,
// agree with the curvature inside, and the integral of the slope from 0 to the minimum is within the gap.
func TestLossesKeepTheirBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	all := marginLosses()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		b := c.loss.Bounds()
		var widest, steepest, deepest float64
		for _, y := range c.labels {
			signs := map[float64]bool{}
			last, before := math.Inf(-1), 0.0
			m := -130.0
			for m < 130 {
				slope, curvature := c.loss.At(y, m)
				if !(math.Abs(slope) <= 1) || !(curvature >= 0 && curvature <= b.Curvature*(1+1e-15)) {
					t.Fatalf("%s, y = %g, m = %g: slope %g, curvature %g of %g", name, y, m, slope, curvature, b.Curvature)
				}
				if rise := slope - last; !math.IsInf(last, -1) && (rise < -1e-15 || rise > b.Curvature*(m-before)*(1+1e-9)+1e-15) {
					t.Fatalf("%s, y = %g: slope from %g at %g to %g at %g", name, y, last, before, slope, m)
				}
				if slope != 0 {
					signs[math.Copysign(1, slope)] = true
				}
				h := 1e-6
				up, _ := c.loss.At(y, m+h)
				down, _ := c.loss.At(y, m-h)
				if seen := (up - down) / (2 * h); math.Abs(seen-curvature) > 1e-3*(1+curvature) && math.Abs(seen-curvature) > b.Curvature*1.001 {
					t.Fatalf("%s, y = %g, m = %g: curvature %g, seen %g", name, y, m, curvature, seen)
				}
				widest, steepest = max(widest, math.Abs(slope)), max(steepest, curvature)
				last, before = slope, m
				m += 0.01 * r.Float64()
			}
			if b.OneSign && len(signs) > 1 {
				t.Errorf("%s, y = %g: slopes of both signs", name, y)
			}
			// ℓ(0) − inf ℓ is the integral of the slope's part that points down from 0.
			gap := 0.0
			const step = 1e-3
			for k := range 40000 {
				forth, _ := c.loss.At(y, step*(float64(k)+0.5))
				back, _ := c.loss.At(y, -step*(float64(k)+0.5))
				gap += step * (math.Max(0, -forth) + math.Max(0, back))
			}
			deepest = max(deepest, gap)
		}
		if deepest > b.Gap*(1+1e-3) || deepest < 0.99*b.Gap {
			t.Errorf("%s: ℓ(0) − inf ℓ = %g, bound %g", name, deepest, b.Gap)
		}
		if widest < 0.98 || steepest < 0.95*b.Curvature {
			t.Errorf("%s: slopes up to %g and curvatures up to %g, bounds 1 and %g: not attained", name, widest, steepest, b.Curvature)
		}
	}
}

// exactSlopeSum is ∇F with compensated sums over rows and plain dot products.
func exactSlopeSum(f Objective, x *rows.Matrix, w, b []float64) []float64 {
	sums := make([]rows.Neumaier, f.D+1)
	for i := range x.Rows() {
		row := append(append([]float64{}, x.Row(i)...), f.C)
		slope, _ := f.Loss.At(x.Y[i], Dot(row, w))
		for j, v := range row {
			sums[j].Add(slope * v)
		}
	}
	out := make([]float64, f.D+1)
	for j := range out {
		out[j] = sums[j].Sum() + f.Lambda*w[j] + b[j]
	}
	return out
}

// counted counts how often rows are read.
type counted struct {
	*rows.Matrix
	reads int
}

func (c *counted) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	c.reads++
	return c.Matrix.Scan(ctx, fn)
}

// TestEveryMinimiserIsCertified: for every loss, on rows and ridges that make Newton's method hard, the gradient ends within the public
// bound and the coefficients within theirs, after few readings of the rows.
func TestEveryMinimiserIsCertified(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 600
	table := map[string]func(i int) []float64{
		"random":      func(int) []float64 { return []float64{r.Float64() / 2, r.Float64() / 2, r.Float64() - 0.5} },
		"one axis":    func(i int) []float64 { return []float64{float64(2*(i%2) - 1), 0, 0} },
		"zeros":       func(int) []float64 { return make([]float64, 3) },
		"collinear":   func(int) []float64 { v := r.Float64() / 2; return []float64{v, v, v} },
		"tiny, large": func(int) []float64 { return []float64{1e-160, r.Float64(), 1e-9} },
		"one of a kind": func(i int) []float64 {
			return []float64{float64(i / (n - 1)), 0, 0}
		},
	}
	most, usual, anew, approached := 0, 0, 0, 0
	all := marginLosses()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := all[name]
		for _, kind := range slices.Sorted(maps.Keys(table)) {
			row := table[kind]
			for _, pure := range []bool{true, false} {
				x, y := make([][]float64, n), make([]float64, n)
				for i := range x {
					x[i] = row(i)
					if y[i] = c.labels[0]; !pure {
						y[i] = c.labels[r.IntN(len(c.labels))]
					}
				}
				in := &counted{Matrix: rowsOf(t, x, y)}
				for _, lambda := range []float64{1e-4, 1, 1e6} {
					for _, size := range []float64{0, 5, 1e4} {
						f := NewObjective(3, 1, n, c.loss)
						f.Lambda = lambda
						b := make([]float64, 4)
						for j := range b {
							b[j] = size * r.NormFloat64()
						}
						f.Bound(num.Norm2(b))
						f.Steps = min(f.Steps, 300)
						ways := []func(context.Context, rows.Driver, []float64) ([]float64, error){f.Minimise}
						if f.logistic {
							ways = append(ways, f.MinimiseLogistic)
							w, err := f.approach(t.Context(), rows.InProcess{In: in}, b)
							if err != nil {
								t.Fatal(err)
							}
							if w == nil {
								anew++
							}
							approached++
						}
						for way, minimise := range ways {
							in.reads = 0
							w, err := minimise(t.Context(), rows.InProcess{In: in}, b)
							if err != nil {
								t.Fatal(err)
							}
							most = max(most, in.reads)
							if lambda >= 1 && c.usual {
								usual = max(usual, in.reads)
							}
							if g := num.Norm2(exactSlopeSum(f, in.Matrix, w, b)); !(g <= 2*f.Tolerance) || !(num.Norm2(w) <= f.MaxNorm) {
								t.Errorf("%s, %s, way %d, one label %v, Λ = %g, noise %g: ‖∇F‖ = %g, want at most %g; ‖w‖ = %g of %g; %d readings",
									name, kind, way, pure, lambda, size, g, 2*f.Tolerance, num.Norm2(w), f.MaxNorm, in.reads)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d approaches began anew", anew, approached)
	if anew == 0 || 4*anew > approached {
		t.Errorf("%d of %d approaches began anew, want some, and few", anew, approached)
	}
	t.Logf("at most %d readings, %d at the defaults", most, usual)
	if most > 1000 || usual > 60 {
		t.Errorf("%d readings of the rows, %d at the defaults, want at most 1000 and 60", most, usual)
	}
}
