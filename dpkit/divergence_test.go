package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// The tests below measure whole chains: the exact Rényi divergence of what two neighbouring datasets release,
// found by adversarial search, against the curve of the event that the plan is charged by.

// laplaceDivergence is exactly D_α of discrete Laplace noise of t steps on integers k apart. With r = e^{−1/t}
// the sum of p(x)^α p(x−k)^{1−α} has geometric parts x ≤ 0, 0 < x < k and x ≥ k.
func laplaceDivergence(alpha, k, t float64) float64 {
	if k == 0 {
		return 0
	}
	u, w := 1/t, 2*alpha-1
	inner := math.Expm1(-u) / math.Expm1(-w*u) * math.Exp(-w*u) * -math.Expm1(-w*(k-1)*u)
	left := (alpha-1)*k*u + math.Log1p(inner)
	right := -alpha * k * u
	return (left + math.Log1p(math.Exp(right-left)) - math.Log1p(math.Exp(-u))) / (alpha - 1)
}

// TestLaplaceDivergence compares the closed form with the sum.
func TestLaplaceDivergence(t *testing.T) {
	for _, alpha := range []float64{1.5, 2, 7} {
		for _, scale := range []float64{1, 3.5} {
			for k := range 5 {
				r := math.Exp(-1 / scale)
				sum := 0.0
				for x := -400; x <= 400; x++ {
					p := math.Log((1-r)/(1+r)) - math.Abs(float64(x))/scale
					q := math.Log((1-r)/(1+r)) - math.Abs(float64(x-k))/scale
					sum += math.Exp(alpha*p + (1-alpha)*q)
				}
				want := math.Log(sum) / (alpha - 1)
				if got := laplaceDivergence(alpha, float64(k), scale); math.Abs(got-want) > 1e-12*(1+want) {
					t.Errorf("α = %g, k = %d, t = %g: got %v, want %v", alpha, k, scale, got, want)
				}
				// The domination that sums.LaplaceSum proves: one more step of the real-valued noise.
				if k > 0 {
					e := accountant.Laplace{Sensitivity: float64(k + 1), Scale: scale, Neighbours: ReplaceOne}
					if bound := must(e.RDP(ReplaceOne))(alpha); !(want <= bound) {
						t.Errorf("α = %g, k = %d, t = %g: %v above that of k + 1, %v", alpha, k, scale, want, bound)
					}
				}
			}
		}
	}
}

// divergence is exactly D_α of the noisy sums of two datasets. For discrete Gaussian noise it is α‖k‖²/2σ²
// at integer orders, and below it between them (Canonne, Kamath, Steinke 2020, Proposition 5).
func divergence(alpha float64, g sums.SumNoise, x, y []int64) float64 {
	var sum float64
	for j := range x {
		k := math.Abs(float64(x[j] - y[j]))
		switch g := g.(type) {
		case *sums.GaussianSum:
			d := k / float64(g.GridSD)
			sum += alpha * d * d / 2
		case *sums.LaplaceSum:
			sum += laplaceDivergence(alpha, k, float64(g.Steps))
		}
	}
	return sum
}

// released is a release as far as its noise: what was charged for it, the noise and the sums below it.
type released struct {
	event accountant.Event
	noise sums.SumNoise
	sums  []int64
}

// releaseOf runs a plan on rows up to the noise.
func releaseOf(t *testing.T, table [][]float64, build func(Pipeline) Pipeline, m any) released {
	t.Helper()
	x, q := prepare(t, build).run(table)
	ctx := context.Background()
	var out released
	var price query.Bill
	switch m := m.(type) {
	case sums.Mean:
		c := must(m.Calibrate(q.end))
		price, out.noise, out.sums = must(m.Settle(q.end)).Bill, c.SumNoise, must(c.Sums(ctx, rows.InProcess{In: x}))
	case sums.Sum:
		c := must(m.Calibrate(q.end))
		price, out.noise, out.sums = must(m.Settle(q.end)).Bill, c.SumNoise, must(c.Sums(ctx, rows.InProcess{In: x}))
	case gradient.LogisticFit:
		pl := must(m.Calibrate(q.end))
		price, out.noise, out.sums = must(m.Settle(q.end)).Bill, &pl.GaussianSum, make([]int64, pl.D+1)
		partialSum(pl, out.sums, design{Matrix: x}, make([]float64, pl.D+1), 0, x.Rows())
	case sums.Count:
		g := must(m.Calibrate(q.end))
		n := must(m.Counts(q.end)(ctx, rows.InProcess{In: x}))[0]
		price, out.noise, out.sums = must(m.Settle(q.end)).Bill, g, []int64{int64(math.RoundToEven(float64(n) / g.Lattice().Step()))}
	case sums.Histogram:
		g := must(m.Calibrate(q.end))
		counts := must(m.Counts(q.end, len(must(m.Levels(q.end.In))))(ctx, rows.InProcess{In: x}))
		for j, n := range counts {
			counts[j] = int64(math.RoundToEven(float64(n) / g.Lattice().Step()))
		}
		price, out.noise, out.sums = must(m.Settle(q.end)).Bill, g, counts
	}
	out.event = price.Event
	return out
}

func TestExactDivergenceOfChains(t *testing.T) {
	t.Parallel()
	gauss, laplace := Target{Epsilon: 1, Delta: 1e-6}, Target{Epsilon: 1, Noise: NoiseLaplace}
	one := func(p Pipeline) Pipeline { return p.Select("pay").Impute(Mean{}) }
	encoded := func(p Pipeline) Pipeline { return p.OneHot().Impute(Mean{}).Scale() }
	clipped := func(p Pipeline) Pipeline {
		return p.OneHot().Scale().ClipNorm(0.6).Impute(Mean{}).PCA(SoftThreshold{Lambda: 0.05}).ClipNorm(0.5)
	}
	for _, c := range []struct {
		name  string
		build func(Pipeline) Pipeline
		m     any
		tight float64 // the search comes at least so close
	}{
		{"mean imputation, Gaussian mean", one, sums.Mean{Target: gauss}, 0.99},
		{"mean imputation, Laplace mean", one, sums.Mean{Target: laplace}, 0.99},
		{"mean imputation, Laplace sum", one, sums.Sum{Target: laplace}, 0.99},
		{"encoded, Gaussian means", encoded, sums.Mean{Target: gauss}, 0.2},
		{"encoded, Laplace means", encoded, sums.Mean{Target: laplace}, 0.1},
		{"clipped and filtered, Gaussian sums", clipped, sums.Sum{Target: gauss}, 0.003},
		{"clipped and filtered, Laplace sums", clipped, sums.Sum{Target: laplace}, 0.003},
		{"one step of logistic regression", func(p Pipeline) Pipeline { return one(p).Scale() }, gradient.LogisticFit{ByGradient: ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 1, Clip: 0.56, MaxNorm: 1e-6}}, 0.5},
		{"a clean count behind a fit", func(p Pipeline) Pipeline { return p.Impute(Mean{}, "pay") }, sums.Count{Target: laplace, Where: []Condition{Is("work", "a"), Between("age", 20, 60)}}, 0.99},
		{"a clean histogram behind a fit, Gaussian", func(p Pipeline) Pipeline { return p.Impute(Mean{}, "pay") }, sums.Histogram{Column: "work", Target: gauss}, 0.99},
		{"a clean histogram behind a fit, Laplace", func(p Pipeline) Pipeline { return p.Impute(Mean{}, "pay") }, sums.Histogram{Column: "work", Target: laplace}, 0.5},
	} {
		t.Run(c.name, func(t *testing.T) {
			orders := [3]float64{1.5, 4, 32}
			var worst [3]float64
			best := climbPairs(rand.New(rand.NewPCG(17, 1)), 6, 8, 80, func(p pairOfRows) float64 {
				x, y := p.sides()
				a, b := releaseOf(t, x, c.build, c.m), releaseOf(t, y, c.build, c.m)
				if a.event != b.event {
					t.Fatalf("two prices: %v and %v", a.event, b.event)
				}
				curve := must(a.event.RDP(ReplaceOne))
				sum := 0.0
				for i, alpha := range orders {
					ratio := divergence(alpha, a.noise, a.sums, b.sums) / curve(alpha)
					worst[i] = max(worst[i], ratio)
					sum += ratio
				}
				return sum / 3
			})
			t.Logf("exact divergence/curve at the orders %v: %.6f", orders, worst)
			// The oracle's own rounding is below 1e-12.
			if !(slices.Max(worst[:]) <= 1+1e-12) || best < c.tight {
				t.Errorf("exact divergence/curve is %v, want at most 1, and %v on average", worst, c.tight)
			}
		})
	}
}
