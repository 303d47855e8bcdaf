package dpkit

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

var meanTargets = map[string]UnboundedMeans{
	"gaussian": {Epsilon: 3, Delta: 1e-6},
	"laplace":  {Epsilon: 6, Delta: 1e-6, Locator: BinsLaplace},
	"pure":     {Epsilon: 6, Locator: BinsPure},
}

// TestUnboundedMean: a mean of 1e9 standard deviations from 0 is found and measured.
func TestUnboundedMean(t *testing.T) {
	const n, d = 20_000, 5
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		rows := gaussianRows(21, n, d, 1, 1, 1e9)
		exact := make([]float64, d)
		for _, r := range rows {
			for j, x := range r {
				exact[j] += (x - 1e9) / n
			}
		}
		f := openFrame(t, rows, nil, frames.Column{})
		for name, o := range meanTargets {
			pl := must(Demo(f, 5, rel)).Data().UnboundedMean(o)
			if c := must(pl.Cost()); c.Guarantee.Epsilon > o.Epsilon || c.Guarantee.Delta > o.Delta {
				t.Errorf("%s, %v: costs %v", name, rel, c.Guarantee)
			}
			e := must(pl.Release(context.Background())).Value
			for j, v := range e.Values {
				// 7 standard deviations, and a thousandth of one for rounding and clipping.
				if !e.Located[j] || math.Abs(v-1e9-exact[j]) > 7*e.Sigma[j]+1e-3 {
					t.Errorf("%s, %v, column %d: got %.9g ± %.2g, want 1e9%+.4f, located %v", name, rel, j, v, e.Sigma[j], exact[j], e.Located[j])
				}
			}
			if e.Sigma[0] > 0.05 {
				t.Errorf("%s, %v: noise %g", name, rel, e.Sigma[0])
			}
		}
	}
}

// TestUnboundedMeanNotLocated: rows that are nowhere are told as such, at the same price; no error, no abort.
func TestUnboundedMeanNotLocated(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	rows := make([][]float64, 2000)
	for i := range rows {
		rows[i] = []float64{rng.NormFloat64() * math.Pow(10, 300*rng.Float64())}
	}
	f := openFrame(t, rows, nil, frames.Column{})
	o := meanTargets["gaussian"]
	r, err := must(Demo(f, 5, ReplaceOne)).Data().UnboundedMean(o).Release(context.Background())
	if err != nil || r.Value.Located[0] || math.Abs(r.Value.Values[0]) > 10 {
		t.Errorf("got %v, %v", r.Value, err)
	}
	if _, err := must(Demo(f, 5, ReplaceOne)).Data().UnboundedMean(meanTargets["pure"]).Release(context.Background()); err != nil {
		t.Error(err)
	}
}

// TestLonelyBins: a bin of one row is published with probability at most δ′. Of N draws at δ′ = 0.02 more than
// N δ′ + 6.5 √(N δ′) are, by Chernoff's bound, with probability below 1e-9.
func TestLonelyBins(t *testing.T) {
	const draws, delta = 40_000, 0.02
	for name, b := range map[string]unbounded.BinNoise{
		"gaussian": must(unbounded.NewGaussianBins(1, 1000, 1, delta, ReplaceOne)),
		"laplace":  must(unbounded.NewLaplaceBins(1, 1000, 1, delta, ReplaceOne)),
		"narrow":   must(unbounded.NewLaplaceBins(1, 1000, 30, delta, AddRemove)),
	} {
		rng := noise.NewDemo(7)
		published := 0
		for range draws {
			if _, found := b.Pick(map[float64]int64{3: 1}, func(sums []int64) { b.Add(rng, sums) }); found {
				published++
			}
		}
		if most := draws*delta + 6.5*math.Sqrt(draws*delta); float64(published) > most {
			t.Errorf("%s: published %d of %d, want at most %.0f", name, published, draws, most)
		}
		if name != "narrow" && published < draws*delta/2 {
			t.Errorf("%s: published %d of %d: the threshold is too high", name, published, draws)
		}
	}
}

// TestDescendWeights: on two bins of one part the choice has the odds of the exponential mechanism, level by level, and a
// dataset that differs by a row changes no odds by more than its ε allows: here one row of two, all four levels.
func TestDescendWeights(t *testing.T) {
	t.Parallel()
	const draws, epsilon = 3000, 0.5
	count := func(counts map[float64]int64) float64 {
		rng := noise.NewDemo(9)
		hits := 0
		for range draws {
			if unbounded.Descend(counts, unbounded.ByWeight(rng, epsilon)) == 5 {
				hits++
			}
		}
		return float64(hits) / draws
	}
	// e^{c ε/2} against 1023 others, three times with the same count and once beside 1023.
	weight := func(c float64) float64 { w := math.Exp(c * epsilon / 2); return w / (w + 1023) }
	for _, c := range []float64{16, 20, 30} {
		want := math.Pow(weight(c), unbounded.DescentLevels)
		got := count(map[float64]int64{5: int64(c)})
		if sd := math.Sqrt(want * (1 - want) / draws); math.Abs(got-want) > 6.5*sd+1e-4 {
			t.Errorf("%g rows: share %.4f, want %.4f ± %.4f", c, got, want, sd)
		}
	}
	for _, far := range []float64{1e300, -1e300} { // a bin beyond the reach is the last one
		got := unbounded.Descend(map[float64]int64{far: 1000}, unbounded.ByWeight(noise.NewDemo(1), 1))
		if want := num.Clamp(far, -unbounded.DescentReach, unbounded.DescentReach-1); got != want {
			t.Errorf("bin %g: got %g, want %g", far, got, want)
		}
	}
}

// TestUnboundedMeanOnWorstPair: one row moves a clipped sum by no more than it is charged for, and comes close.
func TestUnboundedMeanOnWorstPair(t *testing.T) {
	rows := gaussianRows(1, 500, 3, 1, 1, 0)
	f := openFrame(t, rows, nil, frames.Column{})
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		s := must(Demo(f, 1, rel))
		_, end, err := s.Data().trace()
		if err != nil {
			t.Fatal(err)
		}
		for name, o := range meanTargets {
			p := must(unbounded.UnboundedMean{UnboundedMeans: o}.Calibrated(end))
			for _, r := range []*unbounded.MeanRound{&p.First, &p.Last} {
				a := make([]float64, 12)
				for j := range 3 {
					a[j*4+j+1] = 1
				}
				y, k := make([]float64, 3), make([]float64, 3)
				place := func(v float64) (l2, l1 float64) {
					r.Place(k, y, []float64{1, v, v, v}, a)
					for _, x := range k {
						l2 += x * x
						l1 += math.Abs(x)
					}
					return math.Sqrt(l2) * r.H, l1
				}
				l2, l1 := place(1e300)
				images := float64(end.Before.FreeImages())
				if r.Steps > 0 {
					share := map[bool]float64{true: unbounded.FirstShare, false: 1 - unbounded.BinShare - unbounded.FirstShare}[r == &p.First]
					if loss := images * l1 / float64(r.Steps); !(loss <= o.Epsilon*share) || loss < 0.98*o.Epsilon*share {
						t.Errorf("%s, %v: the pair loses %g of %g", name, rel, loss, o.Epsilon*share)
					}
				} else if moved := images * l2; !(moved <= r.Gauss.S) || moved < 0.99*r.Gauss.S {
					t.Errorf("%s, %v: the pair moves the sum by %g of %g", name, rel, moved, r.Gauss.S)
				}
			}
		}
	}
}

// TestUnboundedLedger: rounds of Gaussian noise fit a ledger of exactly their target and replay; bins that may fail need a
// Reserve.
func TestUnboundedLedger(t *testing.T) {
	f := openFrame(t, gaussianRows(22, 20_000, 2, 10, 1, 0), nil, frames.Column{})
	open := func(reserve float64) *Session {
		o := Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 3, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "d", Reserve: reserve}
		s := must(Create(f, o))
		t.Cleanup(func() { s.Close() })
		return s
	}
	s := open(0)
	pl := s.Data().Covariance(Unbounded{Epsilon: 3, Delta: 1e-6})
	r := must(pl.Release(context.Background()))
	if again := must(pl.Release(context.Background())); !again.Replayed || again.Value.String() != r.Value.String() {
		t.Error("the release does not replay")
	}
	if _, err := s.Data().SecondMoment(Unbounded{Epsilon: 0.1, Delta: 1e-6}).Release(context.Background()); err == nil {
		t.Error("the budget was spent and still gives a release")
	}
	mean := UnboundedMeans{Epsilon: 2, Delta: 1e-7}
	if _, err := open(0).Data().UnboundedMean(mean).Release(context.Background()); !errors.Is(err, ledger.ErrBudget) {
		t.Errorf("without a reserve: got %v", err)
	}
	if _, err := open(1e-7).Data().UnboundedMean(mean).Release(context.Background()); err != nil {
		t.Errorf("with a reserve: %v", err)
	}
	mean = UnboundedMeans{Epsilon: 0.5, Locator: BinsPure}
	if _, err := open(0).Data().UnboundedMean(mean).Release(context.Background()); err != nil {
		t.Errorf("pure: %v", err)
	}
}

// TestUnboundedMeanOfHugeRows: rows near the end of float64 are in no bin that could be named, and the release still has a value.
func TestUnboundedMeanOfHugeRows(t *testing.T) {
	schema := must(frames.NewSchema(frames.Unbounded("x").Guess(0.1)))
	x := make([]float64, 3000)
	for i := range x {
		x[i] = 3e307
	}
	f := must(frames.FromBlock(schema, &frames.Block{Rows: len(x), Cols: 1, X: x}))
	for name, o := range meanTargets {
		r, err := must(Demo(f, 1, ReplaceOne)).Data().UnboundedMean(o).Release(context.Background())
		if err != nil || math.IsInf(r.Value.Values[0], 0) || math.IsNaN(r.Value.Values[0]) {
			t.Errorf("%s: got %v, %v", name, r.Value, err)
		}
	}
}
