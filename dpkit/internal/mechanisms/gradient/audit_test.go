package gradient

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"gonum.org/v1/gonum/mathext"
)

// clopperPearson is the exact interval of a share that was seen k times in n draws, each end wrong with probability alpha at most.
func clopperPearson(k, n int, alpha float64) (lo, hi float64) {
	a, b := float64(k), float64(n-k)
	solve := func(f func(p float64) float64, want float64) float64 { // f rises
		lo, hi := 0.0, 1.0
		for range 100 {
			if mid := (lo + hi) / 2; f(mid) < want {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	hi = 1
	if k > 0 { // P(X ≥ k) = I_p(k, n−k+1)
		lo = solve(func(p float64) float64 { return mathext.RegIncBeta(a, b+1, p) }, alpha)
	}
	if k < n { // P(X ≤ k) = 1 − I_p(k+1, n−k)
		hi = solve(func(p float64) float64 { return mathext.RegIncBeta(a+1, b, p) }, 1-alpha)
	}
	return lo, hi
}

// certifiedEpsilon is the largest ε that n releases a side prove at δ by a threshold on a scalar: ln((P − δ)/Q) at the ends of
// exact intervals. Thresholds come from other releases than the shares, so that a bound is wrong with probability 2e-12 for each
// of 96, below 2e-10 in all.
func certifiedEpsilon(n int, delta float64, draw func(side int) float64) float64 {
	var at, seen [2][]float64
	for side := range 2 {
		for range n / 10 {
			at[side] = append(at[side], draw(side))
		}
		for range n {
			seen[side] = append(seen[side], draw(side))
		}
		slices.Sort(at[side])
		slices.Sort(seen[side])
	}
	worst := 0.0
	for i := range 24 {
		threshold := at[i%2][len(at[0])*(i/2+1)/13]
		var below [2]int
		for side, v := range seen {
			below[side], _ = slices.BinarySearch(v, threshold)
		}
		for flip := range 4 {
			k := below
			if flip >= 2 {
				k = [2]int{n - below[0], n - below[1]}
			}
			p, _ := clopperPearson(k[flip%2], n, 1e-12)
			_, q := clopperPearson(k[1-flip%2], n, 1e-12)
			if p > delta {
				worst = max(worst, math.Log((p-delta)/q))
			}
		}
	}
	return worst
}

// TestAuditGradient trains many times on the worst neighbours in one dimension, from a known start: every gradient of the row that
// differs is clipped, those of the others too, so that the last iterate is a sufficient statistic of all noisy sums. What releases
// prove must be below the claim, and above half of it for DP-GD, where the claim is exact. A share q of n releases is off by
// √(q/n) relative: what is proved varies by 0.05, and every least value is at least 6 times that below the mean, which fails with
// probability below 1e-9.
func TestAuditGradient(t *testing.T) {
	rng := noise.New()
	const delta = 0.01
	for _, c := range []struct {
		name    string
		solver  Solver
		loss    Loss
		epsilon float64
		rel     accountant.Neighbours
		steps   int
		trials  int
		least   float64 // of the claim
	}{
		{"DP-GD", FullBatch{}, LogLoss{}, 2, accountant.ReplaceOne, 3, 40000, 0.5},
		{"DP-GD, absent row", FullBatch{}, SquaredHingeLoss{}, 2, accountant.AddRemove, 2, 40000, 0.5},
		{"Poisson", PoissonSampling{Rate: 0.5}, LogLoss{}, 2, accountant.ReplaceOne, 2, 12000, 0.25},
		{"Poisson, absent row", PoissonSampling{Rate: 0.5}, LogLoss{}, 2, accountant.AddRemove, 2, 12000, 0.1},
		{"without replacement", WithoutReplacement{Batch: 2}, LogLoss{}, 2, accountant.ReplaceOne, 2, 12000, 0.15},
		{"by iteration", ByIteration{}, LogLoss{}, 2, accountant.ReplaceOne, 0, 5000, 0.05},
		{"squared", FullBatch{}, SquaredLoss{}, 2, accountant.ReplaceOne, 1, 6000, 0.2},
		{"Huber", FullBatch{}, HuberLoss{}, 2, accountant.ReplaceOne, 1, 6000, 0.2},
		{"softmax", FullBatch{}, SoftmaxLoss{}, 2, accountant.ReplaceOne, 1, 6000, 0.15},
	} {
		t.Run(c.name, func(t *testing.T) {
			label := labelFor(c.loss)
			schema := must(frames.NewSchema(frames.Numeric("x", -1, 1), label))
			const n = 4
			st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(n, 1, c.rel))}
			g := GradientFit{Loss: c.loss, ByGradient: ByGradient{
				Epsilon: c.epsilon, Delta: delta, Solver: c.solver, Steps: c.steps, Clip: 0.1, MaxNorm: 1,
				StepSize: 1e-4, Average: AverageLast, NoIntercept: true,
			}}
			if _, ok := c.loss.(SoftmaxLoss); ok {
				g.Clip = 0.8
			}
			f, err := g.Calibrate(st)
			if err != nil {
				t.Fatal(err)
			}
			lo, hi := 0.0, 1.0
			if len(label.Levels) == 0 {
				lo, hi = label.Lo, label.Hi
			}
			var sides [2]*rows.Matrix
			for side := range sides {
				m := &rows.Matrix{Domain: schema, Cols: 1, X: []float64{1, 1, 1, 1}, Y: []float64{hi, hi, lo, hi}}
				if side == 1 {
					m.Y[0] = lo
					if c.rel == accountant.AddRemove {
						m.Remove(0)
					}
				}
				sides[side] = m
			}
			run := f.Descend
			if f.Pass != nil {
				run = f.Iterate
			}
			got := certifiedEpsilon(c.trials, delta, func(side int) float64 {
				w := must(run(t.Context(), rows.InProcess{In: sides[side]}, rng))
				if len(w) > 1 {
					return w[1] - w[0]
				}
				return w[0]
			})
			t.Logf("certified ε ≥ %.3f of %g", got, c.epsilon)
			if !(got <= c.epsilon) {
				t.Errorf("releases prove ε ≥ %v, claimed %v", got, c.epsilon)
			}
			if got < c.least*c.epsilon {
				t.Errorf("releases prove ε ≥ %v of %v only: the audit has lost its teeth", got, c.epsilon)
			}
		})
	}
}

// TestAuditSeesLessNoise: with a third of the noise the audit proves more than the claim.
func TestAuditSeesLessNoise(t *testing.T) {
	rng := noise.New()
	schema := must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Label("label", "no", "yes")))
	st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(4, 1, accountant.ReplaceOne))}
	g := GradientFit{ByGradient: ByGradient{Epsilon: 1, Delta: 0.01, Solver: PoissonSampling{Rate: 0.5}, Steps: 2, Clip: 0.1, MaxNorm: 1, StepSize: 1e-4, Average: AverageLast, NoIntercept: true}}
	f := must(g.Calibrate(st))
	f.GridSD /= 3
	got := certifiedEpsilon(5000, 0.01, func(side int) float64 {
		m := &rows.Matrix{Domain: schema, Cols: 1, X: []float64{1, 1, 1, 1}, Y: []float64{float64(side), 1, 0, 1}}
		return must(f.Descend(t.Context(), rows.InProcess{In: m}, rng))[0]
	})
	if got <= 1 {
		t.Errorf("a third of the noise proves ε ≥ %v only", got)
	}
}
