package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// gradientFrame has two numbers, a category that may miss, and a label that the loss reads.
func gradientFrame(t testing.TB, l Loss, n int, seed uint64) *frames.Frame {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	label := labelFor(l)
	s := must(frames.NewSchema(frames.Numeric("a", 0, 4), frames.Numeric("b", -1, 1).MayMiss(), frames.Category("c", "p", "q"), label))
	rows := make([][]float64, n)
	for i := range rows {
		a, b, c := 4*r.Float64(), 2*r.Float64()-1, float64(r.IntN(2))
		m := a - 2 + 2*b + c - 0.5
		y := 0.0
		switch k := len(label.Levels); {
		case k == 0:
			y = num.Clamp(1+m+0.3*r.NormFloat64(), label.Lo, label.Hi)
		case k == 2 && m+0.3*r.NormFloat64() > 0:
			y = 1
		case k == 3:
			y = num.Clamp(math.Round(1+m/2), 0, 2)
		}
		if i%7 == 0 {
			b = math.NaN()
		}
		rows[i] = []float64{a, b, c, y}
	}
	return frameOf(t, s, rows)
}

func gradientChain(s *Session) Pipeline { return s.Data().OneHot().Impute(Midpoint{}).Scale() }

var allSolvers = []Solver{FullBatch{}, PoissonSampling{Rate: 0.2}, WithoutReplacement{Batch: 500}, ByIteration{}}

// TestGradientFits: every loss learns by every solver what the fit without noise learns, at a large ε.
func TestGradientFits(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, l := range []Loss{LogLoss{}, SquaredHingeLoss{}, SquaredLoss{}, HuberLoss{}, SoftmaxLoss{}} {
		f := gradientFrame(t, l, 3000, 1)
		score := func(m GradientModel) float64 {
			if len(m.Classes) == 0 {
				return -must(m.RMSE(ctx, frames.Public(f)))
			}
			return must(m.Accuracy(ctx, frames.Public(f)))
		}
		exact := score(must(gradientChain(must(OnPublic(frames.Public(f)))).FitConvex(l, ByGradient{}).Release(ctx)).Value)
		if exact < -0.6 || exact > 0 && exact < 0.85 {
			t.Errorf("%v without noise: score %v", l, exact)
		}
		for _, s := range allSolvers {
			g := convexOptions{Loss: l, Solver: s, Epsilon: 20, Delta: 1e-3}
			if s != (ByIteration{}) {
				g.Steps = 100
			}
			r, err := gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(g.apart()).Release(ctx)
			if err != nil {
				t.Fatalf("%v by %v: %v", l, s, err)
			}
			got, room := score(r.Value), 0.1
			if _, ok := s.(ByIteration); ok {
				room = 0.6 // its iterate is one of the pass, at random
			} else if exact < 0 {
				room = 0.35
			}
			t.Logf("%v by %v: %.3f, without noise %.3f", l, s, got, exact)
			if !(got > exact-room) {
				t.Errorf("%v by %v: %v, without noise %v", l, s, got, exact)
			}
			if r.Cost.Guarantee.Epsilon > 20 || r.Cost.Guarantee.Epsilon < 19.5 || r.Cost.Release.Amplification() != 1 {
				t.Errorf("%v by %v: %v, noise × %v", l, s, r.Cost.Guarantee, r.Cost.Release.Amplification())
			}
		}
	}
}

// TestGradientBits: in memory and streamed, for any number of workers, a release has the same bits.
func TestGradientBits(t *testing.T) {
	ctx := context.Background()
	for _, l := range []Loss{HuberLoss{}, SoftmaxLoss{}} {
		f := gradientFrame(t, l, 8300, 2)
		for _, s := range allSolvers {
			var first GradientModel
			g := convexOptions{Loss: l, Solver: s, Epsilon: 1, Delta: 1e-4, MaxNorm: 4}
			if s != (ByIteration{}) {
				g.Steps = 12
			}
			for i, held := range []int{1 << 25, 100, 1 << 25} {
				old := runtime.GOMAXPROCS(1 + 3*(i/2))
				session := must(Demo(f, 4, ReplaceOne))
				must(0, session.Memory(16*held))
				got := must(session.Data().OneHot().Impute(Midpoint{}).Scale().FitConvex(g.apart()).Release(ctx)).Value
				runtime.GOMAXPROCS(old)
				if i == 0 {
					first = got
				} else if !reflect.DeepEqual(got, first) {
					t.Errorf("%v by %v, %d cells held: another model", l, s, held)
				}
			}
		}
	}
}

// TestGradientIsFitLogistic: at the same parameters the friendly entry releases the same bits.
func TestGradientIsFitLogistic(t *testing.T) {
	ctx := context.Background()
	f := gradientFrame(t, LogLoss{}, 3000, 1)
	a := must(gradientChain(must(Demo(f, 1, ReplaceOne))).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-5}).Release(ctx)).Value
	b := must(gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(nil, ByGradient{Epsilon: 1, Delta: 1e-5}).Release(ctx)).Value
	if !slices.Equal(a.Coef, b.Coef[0]) || a.Intercept != b.Intercept[0] {
		t.Errorf("got %v, FitLogistic %v", b, a)
	}
}

// TestGradientSumOfDrawnRows: the sum over a draw is that of a table of the drawn rows, for every loss.
func TestGradientSumOfDrawnRows(t *testing.T) {
	t.Parallel()
	rng := noise.NewDemo(3)
	r := rand.New(rand.NewPCG(8, 8))
	for _, l := range allLosses {
		f := gradientFrame(t, l, 5000, 5)
		q := must(gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(l, ByGradient{Solver: PoissonSampling{Rate: 0.3}, Epsilon: 1, Delta: 1e-4}).plan().quote())
		pl := must(convexFit(convexOptions{Loss: l, Solver: PoissonSampling{Rate: 0.3}, Epsilon: 1, Delta: 1e-4}.apart()).Calibrate(q.end))
		x := must(designOf(t.Context(), must(q.apply(t.Context(), f, nil)).rows, pl.D))
		x.Remove(17)
		w := make([]float64, pl.Coordinates)
		for j := range w {
			w[j] = r.NormFloat64()
		}
		drawn := rows.NewRowSet(x.Rows())
		drawn.Draw(rng, pl.Sampling, x.Rows())
		drawn.Add(17)
		got, want := make([]int64, len(w)), make([]int64, len(w))
		if err := sumOf(t.Context(), pl.Descent, got, x, w, drawn); err != nil {
			t.Fatal(err)
		}
		for i := range x.Rows() {
			if drawn.Has(i) && i != 17 {
				if err := partialSum(pl.Descent, want, x, w, i, i+1); err != nil {
					t.Fatal(err)
				}
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: the sums differ", l)
		}
	}
}

// TestGradientRefusals: what has no bound, or is no number, is a clear error.
func TestGradientRefusals(t *testing.T) {
	two, number := gradientFrame(t, LogLoss{}, 300, 1), gradientFrame(t, SquaredLoss{}, 300, 1)
	classes := gradientFrame(t, SoftmaxLoss{}, 300, 1)
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		f     *frames.Frame
		rel   accountant.Neighbours
		g     convexOptions
		build func(*Session) Pipeline
		is    error
		says  string
	}{
		{name: "no clipping norm", g: convexOptions{Clip: -1}, says: "Clip"},
		{name: "NaN clip", g: convexOptions{Clip: nan}, says: "Clip"},
		{name: "NaN step", g: convexOptions{StepSize: nan}, says: "StepSize"},
		{name: "infinite ball", g: convexOptions{MaxNorm: math.Inf(1)}, says: "MaxNorm"},
		{name: "negative T", g: convexOptions{Steps: -1}, says: "Steps"},
		{name: "huge T", g: convexOptions{Steps: 1 << 30}, says: "Steps"},
		{name: "rate above 1", g: convexOptions{Solver: PoissonSampling{Rate: 1.5}}, says: "Rate"},
		{name: "NaN rate", g: convexOptions{Solver: PoissonSampling{Rate: nan}}, says: "Rate"},
		{name: "negative rate", g: convexOptions{Solver: PoissonSampling{Rate: -0.1}}, says: "Rate"},
		{name: "batch above n", g: convexOptions{Solver: WithoutReplacement{Batch: 301}}, says: "Batch"},
		{name: "negative batch", g: convexOptions{Solver: WithoutReplacement{Batch: -2}}, says: "Batch"},
		{name: "batch of a private number of rows", rel: AddRemove, g: convexOptions{Solver: WithoutReplacement{}}, is: ErrOrder, says: "use PoissonSampling"},
		{name: "rule", g: convexOptions{Rule: "t"}, says: "Rule"},
		{name: "average", g: convexOptions{Average: "t"}, says: "Average"},
		{name: "classes by a number's loss", g: convexOptions{Loss: SquaredLoss{}}, is: ErrColumn, says: "NumericLabel"},
		{name: "a number by classes' loss", f: number, g: convexOptions{Loss: LogLoss{}}, is: ErrColumn, says: "two classes"},
		{name: "three classes by two classes' loss", f: classes, g: convexOptions{Loss: SquaredHingeLoss{}}, is: ErrColumn, says: "has 3 classes"},
		{name: "Huber", f: number, g: convexOptions{Loss: HuberLoss{Knee: 7}}, says: "Knee"},
		{name: "no ε", g: convexOptions{Epsilon: -1}, is: accountant.ErrEpsilon, says: "epsilon"},
		{name: "the pass has its own T", g: convexOptions{Solver: ByIteration{}, Steps: 5}, says: "Steps"},
		{name: "the pass averages nothing", g: convexOptions{Solver: ByIteration{}, Average: AverageAll}, says: "Average"},
		{name: "the pass has one step size", g: convexOptions{Solver: ByIteration{}, Rule: StepInverseSqrt}, says: "Rule"},
		{name: "the pass must not expand", g: convexOptions{Solver: ByIteration{}, StepSize: 50}, is: ErrOrder, says: "2/β"},
		{name: "the pass needs convex clipped losses", f: classes, g: convexOptions{Solver: ByIteration{}, Clip: 0.5}, is: ErrOrder, says: "convex"},
		{
			name: "the pass needs an order", g: convexOptions{Solver: ByIteration{}}, is: ErrOrder, says: "FullBatch",
			build: func(s *Session) Pipeline {
				return s.Data().Quantize(1, "a").Dedup(Exact{}).OneHot().Impute(Midpoint{}).Scale()
			},
		},
		{
			name: "private steps share a Gaussian's budget", g: convexOptions{Solver: PoissonSampling{}}, is: ErrOrder, says: "share",
			build: func(s *Session) Pipeline {
				return s.Data().OneHot().Impute(PrivateMean{Share: 0.1}).Scale()
			},
		},
	} {
		f := c.f
		if f == nil {
			f = two
		}
		if c.rel == 0 {
			c.rel = ReplaceOne
		}
		if c.g.Epsilon == 0 {
			c.g.Epsilon = 1
		}
		c.g.Delta = 1e-5
		if c.is == nil {
			c.is = ErrParameter
		}
		build := gradientChain
		if c.build != nil {
			build = c.build
		}
		_, err := build(must(Demo(f, 1, c.rel))).FitConvex(c.g.apart()).Cost()
		if !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: got %v, want %v with %q", c.name, err, c.is, c.says)
		}
	}
}

// TestGradientFreeRows: sampled steps and the pass are priced for one free row; full batches for any number.
func TestGradientFreeRows(t *testing.T) {
	q := must(gradientChain(must(Demo(gradientFrame(t, LogLoss{}, 300, 1), 1, ReplaceOne))).FitConvex(nil, ByGradient{Epsilon: 1, Delta: 1e-5}).plan().quote())
	q.end.Before.F = 2
	for _, s := range allSolvers {
		g := convexFit(convexOptions{Epsilon: 1, Delta: 1e-5, Solver: s}.apart())
		if w, ok := s.(WithoutReplacement); ok {
			w.Batch = 50
			g.Solver = w
		}
		_, err := g.Calibrate(q.end)
		if _, full := s.(FullBatch); full != (err == nil) || err != nil && (!errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "use FullBatch")) {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestGradientDiverges: steps far too large stay in the ball and are said to be so; the price is that of the noise.
func TestGradientDiverges(t *testing.T) {
	for _, l := range []Loss{LogLoss{}, SquaredLoss{}, SoftmaxLoss{}} {
		f := gradientFrame(t, l, 500, 1)
		for _, size := range []float64{1e3, 1e60} {
			r := must(gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(l, ByGradient{Epsilon: 1, Delta: 1e-4, Steps: 20, StepSize: size}).Release(t.Context()))
			for _, coef := range r.Value.Coef {
				for _, v := range coef {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%v, η = %g: %v", l, size, coef)
					}
				}
			}
			if !strings.Contains(r.Cost.String(), "ABOVE 2/β") {
				t.Errorf("%v, η = %g: the cost does not warn:\n%v", l, size, r.Cost)
			}
		}
	}
}

// TestGradientPrice: preprocessing is paid for by every solver, calibration lands on the safe side, and sampling beats
// composition without it.
func TestGradientPrice(t *testing.T) {
	t.Parallel()
	f := gradientFrame(t, LogLoss{}, 4000, 1)
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, s := range []Solver{FullBatch{}, PoissonSampling{Rate: 0.05}, WithoutReplacement{Batch: 200}, ByIteration{}} {
			if _, ok := s.(WithoutReplacement); ok && rel == AddRemove {
				continue
			}
			g := convexOptions{Epsilon: 1, Delta: 1e-5, Solver: s}
			if _, ok := s.(ByIteration); !ok {
				g.Steps = 50
			}
			clean := must(must(Demo(f, 1, rel)).Data().OneHot().Impute(Midpoint{}).Scale().FitConvex(g.apart()).Cost())
			moved := must(must(Demo(f, 1, rel)).Data().OneHot().Impute(Mean{}).Scale().FitConvex(g.apart()).Cost())
			if !(moved.Release.Sigma > clean.Release.Sigma) || clean.Release.Amplification() != 1 || !(moved.Release.Amplification() > 1) {
				t.Errorf("%v, %v: σ = %v, displaced %v", s, rel, clean.Release.Sigma, moved.Release.Sigma)
			}
			for _, c := range []Cost{clean, moved} {
				if !(c.Guarantee.Epsilon <= 1) || c.Guarantee.Epsilon < 0.99 || c.Guarantee.Delta != 1e-5 {
					t.Errorf("%v, %v: %v", s, rel, c.Guarantee)
				}
			}
			if r := moved.Release; !(r.Uncounted < moved.Guarantee.Epsilon && moved.Guarantee.Epsilon < r.Nominal) {
				t.Errorf("%v, %v: uncounted %v, ε %v, nominal %v, want them to rise", s, rel, r.Uncounted, moved.Guarantee.Epsilon, r.Nominal)
			}
			if p, ok := s.(PoissonSampling); ok {
				full := g
				full.Solver = FullBatch{}
				all := must(must(Demo(f, 1, rel)).Data().OneHot().Impute(Midpoint{}).Scale().FitConvex(full.apart()).Cost())
				if ratio := clean.Release.Sigma / p.Rate / all.Release.Sigma; !(ratio > 0.9 && ratio < 2) || !(clean.Release.Sigma < 0.3*all.Release.Sigma) {
					t.Errorf("%v: noise on a mean gradient is %v of FullBatch's", rel, ratio)
				}
			}
		}
	}
}

// TestGradientLedger: a release of sampled rows is charged as the Gaussian that covers it, outside a failure that the ledger
// keeps a reserve for, and for about as much μ as a Gaussian release of the same target; without a reserve the error says so.
func TestGradientLedger(t *testing.T) {
	t.Parallel()
	f := gradientFrame(t, LogLoss{}, 2000, 1)
	fit := func(s *Session, solver Solver) Plan[GradientModel] {
		return gradientChain(s).FitConvex(nil, ByGradient{Epsilon: 1, Delta: 1e-5, Solver: solver, MaxNorm: 4})
	}
	none := private(t, f, ledgerPath(t), Budget{Epsilon: 3, Delta: 1e-4})
	if _, err := fit(none, PoissonSampling{Rate: 0.1}).Release(t.Context()); err == nil || !strings.Contains(err.Error(), "Reserve") {
		t.Errorf("without a reserve: %v", err)
	}
	first := 0.0
	for _, s := range []Solver{FullBatch{}, PoissonSampling{Rate: 0.1}, WithoutReplacement{Batch: 200}, ByIteration{}} {
		session := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: 3, Delta: 1e-4}, Neighbours: ReplaceOne, Dataset: "test", Reserve: 2e-5}))
		defer session.Close()
		plan := fit(session, s)
		r, err := plan.Release(t.Context())
		if err != nil {
			t.Fatalf("%v: %v", s, err)
		}
		again := must(plan.Release(t.Context()))
		if !again.Replayed || !reflect.DeepEqual(again.Value, r.Value) {
			t.Errorf("%v: the second release is no replay", s)
		}
		// The ledger tells ε spent at its own δ.
		spent := must(session.Status()).Spent.Epsilon
		t.Logf("%v: ε = %.4f spent", s, spent)
		if first == 0 {
			first = spent
		}
		most := 1.1
		if _, ok := s.(ByIteration); ok {
			most = 2 // by its Rényi curve
		}
		if !(spent <= most*first) {
			t.Errorf("%v: ε = %v is charged, FullBatch %v", s, spent, first)
		}
	}
}

// TestGradientNames: parameters that change the release change its name.
func TestGradientNames(t *testing.T) {
	seen := map[string]bool{}
	for _, g := range []convexOptions{
		{},
		{Loss: LogLoss{}},
		{Loss: HuberLoss{Knee: 0.3}},
		{Loss: HuberLoss{}},
		{Solver: FullBatch{}},
		{Solver: PoissonSampling{}},
		{Solver: PoissonSampling{Rate: 0.1}},
		{Solver: WithoutReplacement{}},
		{Solver: WithoutReplacement{Batch: 3}},
		{Solver: ByIteration{}},
		{MaxNorm: 1},
		{TaintedNorm: 1},
		{Clip: 1},
		{Steps: 1},
		{StepSize: 1},
		{Rule: StepInverseSqrt},
		{Rule: StepInverse},
		{Average: AverageAll},
		{Average: AverageLast},
		{NoIntercept: true},
		{Epsilon: 1},
		{Delta: 1},
	} {
		name := kind.TextOf(convexFit(g.apart()))
		if seen[name] {
			t.Errorf("two parameters have the name %s", name)
		}
		seen[name] = true
	}
}

// TestStepRules: sizes and averages by their definitions.
func TestStepRules(t *testing.T) {
	for rule, want := range map[StepRule][3]float64{
		StepConstant: {6, 6, 6}, StepInverseSqrt: {6, 6 / math.Sqrt2, 6 / math.Sqrt(3)}, StepInverse: {6, 3, 2},
	} {
		for i := range want {
			if got := rule.At(6, i); math.Abs(got-want[i]) > 1e-15 {
				t.Errorf("%q: step %d has size %v", rule, i, got)
			}
		}
	}
	for a, want := range map[Averaging]string{AverageLastHalf: "00111", AverageAll: "11111", AverageLast: "00001"} {
		got := ""
		for i := range 5 {
			if a.Takes(i, 5) {
				got += "1"
			} else {
				got += "0"
			}
		}
		if got != want {
			t.Errorf("%q takes %s, want %s", a, got, want)
		}
	}
	f := gradientFrame(t, LogLoss{}, 3000, 1)
	for _, rule := range []StepRule{StepConstant, StepInverseSqrt, StepInverse} {
		m := must(gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(nil, ByGradient{Epsilon: 10, Delta: 1e-4, Rule: rule, Average: AverageAll, StepSize: 5, Steps: 60}).Release(t.Context())).Value
		if a := must(m.Accuracy(t.Context(), frames.Public(f))); a < 0.85 {
			t.Errorf("%q: accuracy %v", rule, a)
		}
	}
}

// TestSuggestGradient: every parameter is set and explained, the suggestion costs what the default costs, and no row is read.
func TestSuggestGradient(t *testing.T) {
	t.Parallel()
	for _, s := range []Solver{nil, PoissonSampling{}, WithoutReplacement{}, ByIteration{}} {
		p := must(Demo(gradientFrame(t, LogLoss{}, 3000, 1), 1, ReplaceOne)).Data().OneHot().Impute(Mean{}).Scale()
		g := convexOptions{Epsilon: 1, Delta: 1e-5, Solver: s}
		out := must(p.SuggestGradient(g.apart()))
		o := out.Gradient
		if out.Loss == nil || o.Solver == nil || !(o.Clip > 0) || !(o.MaxNorm > 0) || !(o.TaintedNorm > 0) || (o.Steps == 0) != (o.StepSize != 0) {
			t.Errorf("%v: %+v", s, o)
		}
		if p, ok := o.Solver.(PoissonSampling); ok && p.Rate == 0 {
			t.Errorf("no rate: %+v", o)
		}
		for _, word := range []string{"loss LogLoss", "Clip", "MaxNorm", "TaintedNorm", "StepSize"} {
			if !strings.Contains(out.String(), word) {
				t.Errorf("%v: %q is not explained:\n%v", s, word, out)
			}
		}
		a, b := must(p.FitConvex(g.apart()).Cost()), must(p.FitConvex(out.Loss, o).Cost())
		if math.Abs(a.Release.Sigma/b.Release.Sigma-1) > 1e-6 {
			t.Errorf("%v: σ = %v by default, %v as suggested", s, a.Release.Sigma, b.Release.Sigma)
		}
	}
	if _, err := must(OnPublic(frames.Public(gradientFrame(t, LogLoss{}, 300, 1)))).Data().OneHot().Impute(Mean{}).Scale().SuggestGradient(nil, ByGradient{}); !errors.Is(err, ErrParameter) {
		t.Errorf("on public data: %v", err)
	}
}

func TestGradientIsCancelled(t *testing.T) {
	t.Parallel()
	f := gradientFrame(t, LogLoss{}, 3000, 1)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, s := range allSolvers {
		if _, err := gradientChain(must(Demo(f, 1, ReplaceOne))).FitConvex(nil, ByGradient{Epsilon: 1, Delta: 1e-4, Solver: s}).Release(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", s, err)
		}
	}
}

// TestAdultAccuracyByGradient holds DP-SGD with the suggested parameters to a point of DP-GD, on fixed demonstration seeds: no
// false alarms.
func TestAdultAccuracyByGradient(t *testing.T) {
	t.Parallel()
	adult, origin, err := datasets.Adult()
	if err != nil {
		t.Fatal(err)
	}
	train, test, err := frames.Split(adult, 0.8, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	mean := func(s Solver) float64 {
		sum := 0.0
		for seed := range uint64(3) {
			p := must(Demo(train, seed, ReplaceOne)).Data().OneHot().ClipColumns(0, 20000, "capital-gain").Indicate().Impute(Mean{}).Scale()
			g := must(p.SuggestGradient(nil, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: s}))
			r := must(p.FitConvex(g.Loss, g.Gradient).Release(ctx))
			sum += must(r.Value.Accuracy(ctx, frames.Public(test)))
		}
		return sum / 3
	}
	full, sampled := mean(FullBatch{}), mean(PoissonSampling{})
	t.Logf("%s: DP-GD %.4f, DP-SGD %.4f", origin, full, sampled)
	if !(sampled > full-0.01) {
		t.Errorf("DP-SGD %.4f, DP-GD %.4f, want it within a point", sampled, full)
	}
	least := 0.80
	if os.Getenv("DPNB_DATA") != "" {
		least = 0.84
	}
	if full < least {
		t.Errorf("DP-GD %.4f, want at least %v", full, least)
	}
}

// TestStoredNormsKeepTheSum: the norms that a run's first step leaves to the others do not change a sum.
func TestStoredNormsKeepTheSum(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 7))
	for _, l := range allLosses {
		x, st := tableKinds[3].drawFor(t, l, r)
		pl := must(convexFit(convexOptions{Loss: l, Epsilon: 1, Delta: 1e-6}.apart()).Calibrate(st)).Descent
		w := make([]float64, pl.Coordinates)
		for j := range w {
			w[j] = 20 * r.NormFloat64() // some gradients are clipped
		}
		sum := func(x design) []int64 {
			out := make([]int64, pl.Coordinates)
			if err := sumOf(t.Context(), pl, out, x, w, nil); err != nil {
				t.Fatal(err)
			}
			return out
		}
		want := sum(x)
		x.squares = make([]float64, x.Rows())
		first := sum(x)
		x.known = true
		if later := sum(x); !slices.Equal(first, want) || !slices.Equal(later, want) {
			t.Errorf("%v: sums of %d, with stored norms %d, then %d", l, want, first, later)
		}
	}
}

// labelFor is a label that a loss can read.
func labelFor(l Loss) frames.Column {
	switch l.(type) {
	case SquaredLoss, HuberLoss:
		return frames.NumericLabel("label", -3, 5)
	case SoftmaxLoss:
		return frames.Label("label", "a", "b", "c")
	}
	return frames.Label("label", "no", "yes")
}

var allLosses = []Loss{LogLoss{}, SquaredHingeLoss{}, SquaredLoss{}, HuberLoss{}, HuberLoss{Knee: 1.5}, SoftmaxLoss{}}
