package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
)

// A certifiedChain is one whose last step rests on a number; spare says whether the rows have it. The
// attack searches among neighbours that both have it.
type certifiedChain struct {
	name  string
	tight float64
	build func(Pipeline) Pipeline
	spare func(s []float64) bool // of the exact statistic of the same step, tested
	test  func(Pipeline) Pipeline
}

var certified = []certifiedChain{
	{
		"hard PCA", 0.3,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).Scale().PCA(Hard{K: 1, Gap: Declare(0.1)})
		},
		func(s []float64) bool { return s[0] >= 0.1 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).Scale().PCA(Hard{K: 1, Gap: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"hard PCA behind a mean", 0.1,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{}).Scale().PCA(Hard{K: 2, Gap: Declare(0.05)})
		},
		func(s []float64) bool { return s[0] >= 0.05 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{}).Scale().PCA(Hard{K: 2, Gap: Test(0.05, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"certified spread", 0.08,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).Scale().Standardize(Standard{MinSpread: Declare(0.1)}, "age", "pay")
		},
		func(s []float64) bool { return s[0] >= 0 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).Scale().Standardize(Standard{MinSpread: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})}, "age", "pay")
		},
	},
	{
		"certified number of missing rows", 0.3,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{Pad: 1, MaxMissing: Declare(5)})
		},
		func(s []float64) bool { return s[0] >= -5 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(5, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"certified number of observed values", 0.3,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{Pad: 1, MinObserved: Declare(3)})
		},
		func(s []float64) bool { return s[0] >= 3 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{Pad: 1, MinObserved: Test(3, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"trimmed, certified number of observed values", 0.2,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Impute(TrimmedMean{Trim: 0.2, Pad: 1, MinObserved: Declare(3)}, "pay")
		},
		func(s []float64) bool { return s[0] >= 3 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Impute(TrimmedMean{Trim: 0.2, Pad: 1, MinObserved: Test(3, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
		},
	},
	{
		"median of few missing rows", 0.3,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Impute(Median{MaxMissing: Declare(5)}, "pay")
		},
		func(s []float64) bool { return s[0] >= -5 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Impute(Median{MaxMissing: Test(5, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
		},
	},
	{
		"regression on regressors far from collinear", 0.15,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 1e-4, Pad: 1, On: []string{"age"}, MinEigen: Declare(1)}, "pay")
		},
		func(s []float64) bool { return s[0] >= 1 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 1e-4, Pad: 1, On: []string{"age"}, MinEigen: Test(1, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
		},
	},
	{
		"regression of few missing rows", 0.1,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 0.3, Pad: 1, On: []string{"age"}, MaxMissing: Declare(3)}, "pay")
		},
		func(s []float64) bool { return s[0] >= -3 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Impute(Ridge{Lambda: 0.3, Pad: 1, On: []string{"age"}, MaxMissing: Test(3, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
		},
	},
	{
		"good clusters in small blocks", 0.05,
		func(p Pipeline) Pipeline {
			return p.Select("age").QuantizeBall(Ball{Eta: 4, MaxBlock: Declare(6)})
		},
		func(s []float64) bool { return s[0] >= -6 },
		func(p Pipeline) Pipeline {
			return p.Select("age").QuantizeBall(Ball{Eta: 4, MaxBlock: Test(6, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"regression on displaced regressors", 0.05,
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.4}, "age").Impute(Ridge{Lambda: 1e-3, Pad: 1, On: []string{"age"}, MinEigen: Declare(0.2)}, "pay")
		},
		func(s []float64) bool { return s[0] >= 0.2 },
		func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}, "work", "home").Scale().Winsorize(SmoothedQuantile{Q: 0.2, Window: 0.4}, "age").Impute(Ridge{Lambda: 1e-3, Pad: 1, On: []string{"age"}, MinEigen: Test(0.2, Tested{Share: 0.1, Delta: 1e-8})}, "pay")
		},
	},
}

// certifiedFreed are the same where two rows are free at the step, and the datasets between need not have the
// number.
var certifiedFreed = []certifiedChain{
	{
		"observed values behind a dedup that frees rows", 0.05,
		func(p Pipeline) Pipeline {
			return p.Select("age", "pay", "work").Dedup(Exact{}, "work").OneHot().Impute(Midpoint{}, "work").Impute(Mean{Pad: 1, MinObserved: Declare(2)})
		},
		func(s []float64) bool { return s[0] >= 2 },
		func(p Pipeline) Pipeline {
			return p.Select("age", "pay", "work").Dedup(Exact{}, "work").OneHot().Impute(Midpoint{}, "work").Impute(Mean{Pad: 1, MinObserved: Test(2, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
	{
		"regression behind a dedup that frees rows", 0.02,
		func(p Pipeline) Pipeline {
			return p.Select("age", "pay", "work").Dedup(Exact{}, "work").OneHot().Impute(Midpoint{}, "work").Scale().Impute(Ridge{Lambda: 1e-3, Pad: 1, On: []string{"age"}, MinEigen: Declare(0.3)})
		},
		func(s []float64) bool { return s[0] >= 0.3 },
		func(p Pipeline) Pipeline {
			return p.Select("age", "pay", "work").Dedup(Exact{}, "work").OneHot().Impute(Midpoint{}, "work").Scale().Impute(Ridge{Lambda: 1e-3, Pad: 1, On: []string{"age"}, MinEigen: Test(0.3, Tested{Share: 0.1, Delta: 1e-8})})
		},
	},
}

func TestAttackCertified(t *testing.T) {
	t.Parallel()
	for _, c := range certified {
		attackCertified(t, c, 8)
	}
	for _, c := range certifiedFreed {
		attackCertified(t, c, 6) // all permutations of rows are tried
	}
}

func attackCertified(t *testing.T, c certifiedChain, n int) {
	t.Run(c.name, func(t *testing.T) {
		r := rand.New(rand.NewPCG(5, 2))
		seen := 0
		chain, asked := prepare(t, c.build), prepare(t, c.test)
		worst := climbPairs(r, n, 12, 120, func(p pairOfRows) float64 {
			x, y := p.sides()
			u, _ := asked.answers(x)
			v, _ := asked.answers(y)
			if !c.spare(u[0]) || !c.spare(v[0]) {
				return 0
			}
			seen++
			mx, q := chain.run(x)
			my, _ := chain.run(y)
			ratio := displacement(mx, my)
			if q.end.Unordered {
				ratio = unorderedDisplacement(q.end, mx, my)
			}
			state := q.end.Before
			if ratio[0] < 1e-9 {
				return 0
			}
			return max(ratio[0]/state.T1, ratio[1]/state.TF, ratio[2]/state.TInf)
		})
		t.Logf("observed/bound %.3f over %d pairs that have the number", worst, seen)
		if seen < 100 {
			t.Errorf("%d pairs have the certified number, want at least 100: the attack is vacuous", seen)
		}
		if !(worst <= 1) {
			t.Errorf("observed/bound %v: the bound is broken", worst)
		}
		if worst < c.tight {
			t.Errorf("observed/bound %v, want at least %v", worst, c.tight)
		}
	})
}

// TestCertificatesAreNamed: the guarantee says what it rests on, wherever it is printed, and a missing
// certificate is refused with the remedy.
func TestCertificatesAreNamed(t *testing.T) {
	data := demo(t, tinyFrame(t, 2000, 1)).Data().OneHot().Impute(Midpoint{}).Scale()
	target := Target{Epsilon: 1, Delta: 1e-6}
	for _, c := range []struct {
		name  string
		chain Pipeline
		kind  accountant.ScopeKind
		says  string
	}{
		{"declared gap", data.PCA(Hard{K: 2, Gap: Declare(0.05)}), accountant.Conditional, "eigengap 2 of XᵀX/n is at least 0.05 R²"},
		{"tested gap", data.PCA(Hard{K: 2, Gap: Test(0.05, Tested{Share: 0.1, Delta: 1e-8})}), accountant.Tested, "eigengap 2"},
		{"declared spread", data.Standardize(Standard{MinSpread: Declare(0.05)}, "age"), accountant.Conditional, "standard deviation of \"age\" is at least 0.05 R"},
		{"tested and declared", data.PCA(Hard{K: 2, Gap: Test(0.05, Tested{Share: 0.1, Delta: 1e-8})}).PCA(Hard{K: 1, Gap: Declare(0.05)}), accountant.Conditional, "eigengap 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := must(c.chain.Mean(target).Cost())
			if k := cost.Guarantee.Scope.Kind; k != c.kind {
				t.Errorf("scope %v, want %v", k, c.kind)
			}
			if text := cost.String(); !strings.Contains(text, c.says) {
				t.Errorf("the cost does not say %q:\n%s", c.says, text)
			}
		})
	}
	for _, c := range []struct {
		name  string
		chain Pipeline
		want  []string
		is    error
	}{
		{"no gap", data.PCA(Hard{K: 2}), []string{"step 4 PCA(Hard{K: 2", "eigengap unknown", "Declare(…)", "Test(…)"}, ErrParameter},
		{"a private bound on a gap", data.PCA(Hard{K: 2, Gap: Bound(Tested{Share: 0.1, Delta: 1e-8})}), []string{"eigengap", "use Declare(…) or Test(…)"}, ErrParameter},
		{"every direction", data.PCA(Hard{K: 7, Gap: Declare(0.1)}), []string{"directions K: got 7", "1 to 6"}, ErrParameter},
		{"a gap of nothing", data.PCA(Hard{K: 2, Gap: Declare(math.NaN())}), []string{"eigengap: got NaN"}, ErrParameter},
		{"spread and floor", data.Standardize(Standard{Floor: 0.1, MinSpread: Declare(0.1)}), []string{"Floor and MinSpread"}, ErrParameter},
		{
			"a certified spread of displaced columns", data.PCA(SoftThreshold{Lambda: 0.1}).Standardize(Standard{MinSpread: Declare(0.1)}),
			[]string{"step 5", "put it before those steps"},
			ErrOrder,
		},
		{"too many private directions", data.PCA(PrivateComponents{K: 99, Share: 0.1}), []string{"directions K: got 99"}, ErrParameter},
		{"directions without a share", data.PCA(PrivateComponents{K: 2}), []string{"share: got 0"}, ErrParameter},
		{"scales without a share", data.Standardize(PrivateRMS{Floor: 0.1}), []string{"share: got 0"}, ErrParameter},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.chain.Mean(target).Cost()
			if !errors.Is(err, c.is) {
				t.Fatalf("got %v, want %v", err, c.is)
			}
			for _, w := range c.want {
				if !strings.Contains(err.Error(), w) {
					t.Errorf("got %q, want it to contain %q", err, w)
				}
			}
		})
	}
}

// TestPrivateFitsAreAccurate: with a large budget the released scales and directions are those of the
// exact fit, and a model behind them reads raw rows.
func TestPrivateFitsAreAccurate(t *testing.T) {
	ctx := context.Background()
	s := demo(t, tinyFrame(t, 20000, 3))
	data := s.Data().OneHot().Impute(Midpoint{}).Scale()
	fit := ByGradient{Epsilon: 20, Delta: 1e-3, Steps: 10}
	for _, c := range []struct {
		name    string
		private Pipeline
		exact   Pipeline
	}{
		{"rms", data.Standardize(PrivateRMS{Share: 0.5, Floor: 0.01, Gain: 0.1}), data.Standardize(RMS{Floor: 0.01, Gain: 0.1})},
		{"standard", data.Standardize(PrivateStandard{Share: 0.5, Floor: 0.01, Gain: 0.1}), data.Standardize(Standard{Floor: 0.01, Gain: 0.1})},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := c.private.FitLogistic(fit).Release(ctx); err != nil {
				t.Errorf("a model behind private scales: %v", err)
			}
			if _, err := c.exact.FitLogistic(fit).Release(ctx); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "WithoutPrediction") {
				t.Errorf("a model behind fitted scales: got %v, want the release rule", err)
			}
			blind, err := c.exact.FitLogistic(fit).WithoutPrediction().Release(ctx)
			if err != nil || len(blind.Value.Coef) == 0 || len(blind.Value.Maps) != 0 {
				t.Errorf("coefficients alone: got %v, maps %v", err, blind.Value.Maps)
			}
			a, b := rowsBehind(t, s, c.private), rowsBehind(t, s, c.exact)
			worst := 0.0
			for i := range a.X {
				worst = max(worst, math.Abs(a.X[i]-b.X[i]))
			}
			if worst > 1e-9 { // without noise the two fits are the same
				t.Errorf("privately and exactly fitted rows differ by %v", worst)
			}
		})
	}
	r, err := data.PCA(PrivateComponents{K: 3, Share: 0.5}).FitLogistic(fit).Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(r.Value.Columns); got != "[component 1 component 2 component 3]" {
		t.Errorf("columns %s", got)
	}
	m := r.Value.Maps[len(r.Value.Maps)-2].Linear
	if m == nil || m.Rows != 3 || m.Columns != 7 {
		t.Fatalf("maps %+v", r.Value.Maps)
	}
	for i := range m.Rows {
		for k := range m.Rows {
			want := 0.0
			if i == k {
				want = 1
			}
			if got := glm.Dot(m.Matrix[i*7:(i+1)*7], m.Matrix[k*7:(k+1)*7]); math.Abs(got-want) > 1e-12 {
				t.Errorf("directions %d and %d: inner product %v, want %v", i, k, got, want)
			}
		}
	}
}

// rowsBehind transforms the rows by the chain without noise.
func rowsBehind(t *testing.T, s *Session, p Pipeline) *rows.Matrix {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	for i := range stages {
		if step, ok := stages[i].Step.(query.Spender); ok {
			stages[i].expenses = must(step.Expenses(stages[i].Stage))
		}
	}
	fitted, err := quote{stages: stages, end: end}.apply(context.Background(), s.src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fitted.rows.(*rows.Matrix)
}

// TestCertificateReadsNothing: a certificate that is read without a parser is a refusal and no panic.
func TestCertificateReadsNothing(t *testing.T) {
	var c Certificate
	if err := c.Read(nil); !errors.Is(err, ErrParameter) || c.Given() {
		t.Errorf("got %v and %v, want that it is refused", err, c)
	}
}
