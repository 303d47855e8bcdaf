package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
)

// glmRows are n rows of two features in [0, 1] with a label that depends on their margin a − b.
func glmRows(t testing.TB, n int, label frames.Column, y func(r *rand.Rand, a, b float64) float64) *frames.Frame {
	t.Helper()
	schema := must(frames.NewSchema(frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 1), label))
	r := rand.New(rand.NewPCG(8, 9))
	block := &frames.Block{Rows: n, Cols: 2}
	for range n {
		a, b := r.Float64(), r.Float64()
		block.X = append(block.X, a, b)
		block.Y = append(block.Y, y(r, a, b))
	}
	return must(frames.FromBlock(schema, block))
}

func poissonDraw(r *rand.Rand, mean float64) float64 {
	k := -1.0
	for p := 1.0; p > math.Exp(-mean); p *= r.Float64() {
		k++
	}
	return k
}

func twoClasses(t testing.TB, n int) *frames.Frame {
	return glmRows(t, n, frames.Label("class", "no", "yes"), func(r *rand.Rand, a, b float64) float64 {
		if a-b+0.2*r.NormFloat64() > 0 {
			return 1
		}
		return 0
	})
}

func threeClasses(t testing.TB, n int) *frames.Frame {
	return glmRows(t, n, frames.Label("class", "low", "mid", "high"), func(r *rand.Rand, a, b float64) float64 {
		return float64(slices.Index([]bool{a-b < -0.25, math.Abs(a-b) <= 0.25, a-b > 0.25}, true))
	})
}

// withOutliers is 10(a − b), and the upper bound in one row of twenty whatever they are.
func withOutliers(t testing.TB, n int) *frames.Frame {
	return glmRows(t, n, frames.NumericLabel("value", -20, 20), func(r *rand.Rand, a, b float64) float64 {
		if r.IntN(20) == 0 {
			return 20
		}
		return 10*(a-b) + r.NormFloat64()
	})
}

func counts(t testing.TB, n int) *frames.Frame {
	return glmRows(t, n, frames.NumericLabel("count", 0, 40), func(r *rand.Rand, a, b float64) float64 {
		return min(poissonDraw(r, math.Exp(1+2*(a-b))), 40)
	})
}

// TestGLMsRecover: at a huge ε, and on public data, every model predicts nearly as well as the one that made the rows.
func TestGLMsRecover(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	const n, eps, delta = 8000, 20, 1e-6
	classes, three, values, numbers := twoClasses(t, n), threeClasses(t, n), withOutliers(t, n), counts(t, n)
	for _, open := range []bool{false, true} {
		data := func(f *frames.Frame) Pipeline {
			if open {
				return must(OnPublic(frames.Public(f))).Data().Scale()
			}
			return must(Demo(f, 1, AddRemove)).Data().Scale()
		}
		hinge := must(data(classes).FitHinge(HingeLoss{}, ByObjective{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		if got := must(hinge.Accuracy(ctx, frames.Public(classes))); got < 0.8 {
			t.Errorf("public %v: hinge: accuracy %v", open, got)
		}
		mixing := must(data(classes).FitLogistic(ByMixing{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		if got := must(mixing.Accuracy(ctx, frames.Public(classes))); got < 0.8 {
			t.Errorf("public %v: mixing: accuracy %v", open, got)
		}
		kifer := must(data(classes).FitLogistic(baseline.Kifer2012{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		if got := must(kifer.Accuracy(ctx, frames.Public(classes))); got < 0.8 {
			t.Errorf("public %v: Kifer: accuracy %v", open, got)
		}
		multi := must(data(three).FitMultinomial(ByObjective{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		if got := must(multi.Accuracy(ctx, frames.Public(three))); got < 0.7 {
			t.Errorf("public %v: three classes: accuracy %v", open, got)
		}
		huber := must(data(values).FitHuber(HuberLoss{Knee: 0.05}, ByObjective{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		p := must(huber.Predict(ctx, frames.Public(values)))
		var off float64 // from the line without outliers
		at := 0
		if err := values.Scan(ctx, func(b *frames.Block) error {
			for i := range b.Rows {
				off += math.Abs(p[at] - 10*(b.Row(i)[0]-b.Row(i)[1]))
				at++
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if off /= float64(n); off > 0.4 {
			t.Errorf("public %v: Huber: off by %v from the line of the rows that are no outliers", open, off)
		}
		rate := must(data(numbers).FitPoisson(PoissonLoss{Rate: 3}, ByObjective{Epsilon: eps, Delta: delta}).Release(ctx)).Value
		if got := must(rate.Deviance(ctx, frames.Public(numbers))); got > 1.25 {
			t.Errorf("public %v: Poisson: deviance %v, of the truth about 1.1", open, got)
		}
	}
}

// glmPlan is a plan of any kind of model.
type glmPlan struct {
	cost    func() (Cost, error)
	release func(context.Context) (any, error)
}

func planOf[V any](p Plan[V]) glmPlan {
	return glmPlan{p.Cost, func(ctx context.Context) (any, error) {
		r, err := p.Release(ctx)
		return r.Value, err
	}}
}

type glmCase struct {
	name string
	data func(testing.TB, int) *frames.Frame
	plan func(p Pipeline, eps, delta, lambda float64, alone bool) glmPlan
	solo bool // takes Alone
}

func glmCases() []glmCase {
	return []glmCase{
		{"hinge", twoClasses, func(p Pipeline, eps, delta, lambda float64, alone bool) glmPlan {
			return planOf(p.FitHinge(HingeLoss{}, ByObjective{Epsilon: eps, Delta: delta, Lambda: lambda, Alone: alone}))
		}, true},
		{"Huber", withOutliers, func(p Pipeline, eps, delta, lambda float64, alone bool) glmPlan {
			return planOf(p.FitHuber(HuberLoss{}, ByObjective{Epsilon: eps, Delta: delta, Lambda: lambda, Alone: alone}))
		}, true},
		{"Poisson", counts, func(p Pipeline, eps, delta, lambda float64, alone bool) glmPlan {
			return planOf(p.FitPoisson(PoissonLoss{}, ByObjective{Epsilon: eps, Delta: delta, Lambda: lambda, Alone: alone}))
		}, true},
		{"three classes", threeClasses, func(p Pipeline, eps, delta, lambda float64, _ bool) glmPlan {
			return planOf(p.FitMultinomial(ByObjective{Epsilon: eps, Delta: delta, Lambda: lambda}))
		}, false},
	}
}

// TestGLMCosts: every fit is priced within its target and near it, under both relations; a ledger of the same budget takes it, behind
// private steps too, but not one that is calibrated alone.
func TestGLMCosts(t *testing.T) {
	t.Parallel()
	const eps, delta = 1, 1e-6
	for _, c := range glmCases() {
		f := c.data(t, 400)
		for _, rel := range []accountant.Neighbours{AddRemove, ReplaceOne} {
			for _, alone := range []bool{false, true} {
				for _, lambda := range []float64{0, 1000} {
					if alone && !c.solo {
						continue
					}
					cost, err := c.plan(must(Demo(f, 1, rel)).Data().Scale(), eps, delta, lambda, alone).cost()
					if err != nil {
						t.Fatalf("%s, %v, alone %v, Λ = %g: %v", c.name, rel, alone, lambda, err)
					}
					if g := cost.Guarantee; !(g.Epsilon <= eps && g.Epsilon > 0.98*eps) || g.Delta != delta || g.Neighbours != rel {
						t.Errorf("%s, %v, alone %v, Λ = %g: priced at %v", c.name, rel, alone, lambda, g)
					}
				}
			}
		}
		for _, alone := range []bool{false, true} {
			if alone && !c.solo {
				continue
			}
			s := must(Create(f, Options{Ledger: ledgerPath(t), Budget: Budget{Epsilon: eps, Delta: delta}, Neighbours: AddRemove, Dataset: "test"}))
			first, err := c.plan(s.Data().Scale(), eps, delta, 0, alone).release(t.Context())
			if (err == nil) == alone {
				t.Errorf("%s, alone %v: ledger says %v", c.name, alone, err)
			}
			if err == nil { // the same again is the same, at no cost
				again := must(c.plan(s.Data().Scale(), eps, delta, 0, alone).release(t.Context()))
				if a, b := must(json.Marshal(first)), must(json.Marshal(again)); string(a) != string(b) {
					t.Errorf("%s: replayed %s, want %s", c.name, b, a)
				}
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGLMStreams: a table that is not held gives the same release.
func TestGLMStreams(t *testing.T) {
	for _, c := range glmCases() {
		f := c.data(t, 3000)
		var releases []string
		for _, held := range []int{1 << 20, 1} {
			s := must(Demo(f, 7, AddRemove))
			must(0, s.Memory(16*held))
			releases = append(releases, string(must(json.Marshal(must(c.plan(s.Data().Scale(), 1, 1e-6, 0, false).release(t.Context()))))))
		}
		if releases[0] != releases[1] {
			t.Errorf("%s: streamed rows give %s, held ones %s", c.name, releases[1], releases[0])
		}
	}
}

// TestGLMDegenerateRows: constant and collinear columns, one value of the label, and fewer rows than columns give finite
// models.
func TestGLMDegenerateRows(t *testing.T) {
	for _, c := range glmCases() {
		for name, rows := range map[string]struct {
			n int
			x [2]float64
		}{"constant columns": {300, [2]float64{1, 0}}, "collinear": {300, [2]float64{0.5, 0.5}}, "two rows": {2, [2]float64{1, 1}}} {
			f := c.data(t, rows.n)
			schema := f.Schema()
			block := &frames.Block{Rows: rows.n, Cols: 2}
			label, _ := schema.Label()
			for i := range rows.n {
				k := 1.0
				if name == "collinear" {
					k = float64(i) / float64(rows.n)
				}
				block.X, block.Y = append(block.X, k*rows.x[0], k*rows.x[1]), append(block.Y, max(label.Lo, 0))
			}
			s := must(Demo(must(frames.FromBlock(schema, block)), 1, AddRemove))
			v, err := c.plan(s.Data().Scale(), 1, 1e-6, 0, false).release(t.Context())
			if err != nil {
				t.Errorf("%s, %s: %v", c.name, name, err)
				continue
			}
			if _, err := json.Marshal(v); err != nil { // JSON has no NaN and no infinity
				t.Errorf("%s, %s: %v", c.name, name, err)
			}
		}
	}
}

func TestGLMRefusals(t *testing.T) {
	type refusal struct {
		name string
		plan glmPlan
		text string
		want error
	}
	data := func(f *frames.Frame) Pipeline { return must(Demo(f, 1, AddRemove)).Data() }
	two, three, values, numbers := twoClasses(t, 50), threeClasses(t, 50), withOutliers(t, 50), counts(t, 50)
	const e, d = 1, 1e-6
	list := []refusal{
		{"hinge of a number", planOf(data(values).Scale().FitHinge(HingeLoss{}, ByObjective{Epsilon: e, Delta: d})), "two classes", ErrColumn},
		{"hinge of three classes", planOf(data(three).Scale().FitHinge(HingeLoss{}, ByObjective{Epsilon: e, Delta: d})), "two classes", ErrColumn},
		{"hinge too sharp", planOf(data(two).Scale().FitHinge(HingeLoss{Width: 1e-3}, ByObjective{Epsilon: e, Delta: d})), "Width", ErrParameter},
		{"hinge of NaN", planOf(data(two).Scale().FitHinge(HingeLoss{Width: math.NaN()}, ByObjective{Epsilon: e, Delta: d})), "Width", ErrParameter},
		{"Huber of classes", planOf(data(two).Scale().FitHuber(HuberLoss{}, ByObjective{Epsilon: e, Delta: d})), "numeric label", ErrColumn},
		{"negative knee", planOf(data(values).Scale().FitHuber(HuberLoss{Knee: -1}, ByObjective{Epsilon: e, Delta: d})), "Knee", ErrParameter},
		{"Poisson of classes", planOf(data(two).Scale().FitPoisson(PoissonLoss{}, ByObjective{Epsilon: e, Delta: d})), "numeric label", ErrColumn},
		{"Poisson of negative numbers", planOf(data(values).Scale().FitPoisson(PoissonLoss{}, ByObjective{Epsilon: e, Delta: d})), "counts", ErrColumn},
		{"too large a count", planOf(data(numbers).Scale().FitPoisson(PoissonLoss{MaxCount: 41}, ByObjective{Epsilon: e, Delta: d})), "MaxCount", ErrParameter},
		{"NaN count", planOf(data(numbers).Scale().FitPoisson(PoissonLoss{MaxCount: math.NaN()}, ByObjective{Epsilon: e, Delta: d})), "MaxCount", ErrParameter},
		{"rate above the count", planOf(data(numbers).Scale().FitPoisson(PoissonLoss{MaxCount: 3, Rate: 4}, ByObjective{Epsilon: e, Delta: d})), "Rate", ErrParameter},
		{"classes of a number", planOf(data(values).Scale().FitMultinomial(ByObjective{Epsilon: e, Delta: d})), "label with classes", ErrColumn},
		{"mixing of a number", planOf(data(values).Scale().FitLogistic(ByMixing{Epsilon: e, Delta: d})), "two classes", ErrColumn},
		{"mixing without a range", planOf(data(two).Scale().FitLogistic(ByMixing{Epsilon: e, Delta: d, Range: math.NaN()})), "Range", ErrParameter},
		{"mixing of few rows", planOf(data(two).Scale().FitLogistic(ByMixing{Epsilon: e, Delta: d, Rows: 2})), "rows of the sketch", ErrParameter},
		{"Kifer under replace-one", planOf(must(Demo(two, 1, ReplaceOne)).Data().Scale().FitLogistic(baseline.Kifer2012{Epsilon: e, Delta: d})), "add", ErrParameter},
		{"half of Kifer's ridge", planOf(data(two).Scale().FitLogistic(baseline.Kifer2012{Epsilon: e, Delta: d, Lambda: 0.3})), "at least", ErrParameter},
	}
	for _, c := range glmCases() {
		f := c.data(t, 50)
		list = append(list,
			refusal{c.name + ", displaced rows", c.plan(data(f).Impute(Mean{}).Standardize(Standard{Floor: 0.1}).Scale(), e, d, 0, false), "displaced", ErrOrder},
			refusal{c.name + ", no ε", c.plan(data(f).Scale(), 0, d, 0, false), "epsilon", accountant.ErrEpsilon},
			refusal{c.name + ", no δ", c.plan(data(f).Scale(), e, 0, 0, false), "delta", accountant.ErrDelta},
			refusal{c.name + ", negative Λ", c.plan(data(f).Scale(), e, d, -1, false), "Lambda", ErrParameter},
			refusal{c.name + ", NaN Λ", c.plan(data(f).Scale(), e, d, math.NaN(), false), "Lambda", ErrParameter},
			refusal{c.name + ", small Λ", c.plan(data(f).Scale(), e, d, 1e-4, false), "regularise more", accountant.ErrParameter},
			refusal{c.name + ", several free rows", c.plan(data(f).Scale().Dedup(Ball{Eta: 0.1, MaxCluster: 2}), e, d, 0, false), "may change with one", ErrOrder},
		)
	}
	for _, c := range list {
		if _, err := c.plan.cost(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %v, want %v and %q", c.name, err, c.want, c.text)
		}
	}
}

// TestGLMModels: models survive JSON, and say what is wrong with the rows to predict.
func TestGLMModels(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	two, three, numbers := twoClasses(t, 500), threeClasses(t, 500), counts(t, 500)
	hinge := must(must(Demo(two, 1, AddRemove)).Data().Scale().FitHinge(HingeLoss{}, ByObjective{Epsilon: 5, Delta: 1e-6}).Release(ctx)).Value
	multi := must(must(Demo(three, 1, AddRemove)).Data().Scale().FitMultinomial(ByObjective{Epsilon: 5, Delta: 1e-6}).Release(ctx)).Value
	rate := must(must(Demo(numbers, 1, AddRemove)).Data().Scale().FitPoisson(PoissonLoss{MaxCount: 10}, ByObjective{Epsilon: 5, Delta: 1e-6}).Release(ctx)).Value

	var hinge2 ClassModel
	var multi2 MultinomialModel
	var rate2 RateModel
	for from, to := range map[any]any{&hinge: &hinge2, &multi: &multi2, &rate: &rate2} {
		must(0, json.Unmarshal(must(json.Marshal(from)), to))
	}
	if a, b := must(hinge.Margins(ctx, frames.Public(two))), must(hinge2.Margins(ctx, frames.Public(two))); !slices.Equal(a, b) {
		t.Error("the hinge's margins change in JSON")
	}
	p := must(multi2.Probabilities(ctx, frames.Public(three)))
	for i, row := range must(multi.Probabilities(ctx, frames.Public(three))) {
		sum := row[0] + row[1] + row[2]
		if !slices.Equal(row, p[i]) || math.Abs(sum-1) > 1e-12 {
			t.Fatalf("probabilities %v and %v", row, p[i])
		}
	}
	for _, v := range must(rate2.Predict(ctx, frames.Public(numbers))) {
		if !(v >= 0 && v <= 10) {
			t.Errorf("a rate of %v, want one in [0, 10]", v)
		}
	}
	broken := multi
	broken.Intercepts = nil
	cut := multi
	cut.Coef = [][]float64{{1}, {1}, {1}}
	for name, err := range map[string]error{
		"no frame":        second(hinge.Accuracy(ctx, nil)),
		"other label":     second(hinge.Accuracy(ctx, frames.Public(numbers))),
		"other levels":    second(multi.Accuracy(ctx, frames.Public(two))),
		"no intercepts":   second(broken.Predict(ctx, frames.Public(three))),
		"short rows":      second(cut.Predict(ctx, frames.Public(three))),
		"no counts":       second(rate.Deviance(ctx, frames.Public(two))),
		"no frame either": second(rate.Deviance(ctx, nil)),
	} {
		if !errors.Is(err, ErrParameter) && !errors.Is(err, ErrColumn) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for got, want := range map[string]string{
		hinge.String(): "linear classifier of class = yes on 2 columns; the signs of 2 of 2 coefficients can be read at 0.95; NOT PRIVATE: " + demoReason,
		multi.String(): "model of the 3 classes of class on 2 columns; the signs of 0 of 6 coefficients can be read at 0.95; NOT PRIVATE: " + demoReason,
		rate.String():  "Poisson model of count on 2 columns; the signs of 2 of 2 coefficients can be read at 0.95; NOT PRIVATE: " + demoReason,
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func second[V any](_ V, err error) error { return err }
