package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

var nan = math.NaN()

// with returns the values and more, sorted.
func with(values []float64, more ...float64) []float64 {
	out := append(slices.Clone(values), more...)
	slices.Sort(out)
	return out
}

// oneStep fits one step to rows (features, then the label; a nil row was removed) and returns the
// rows that come out.
func oneStep(t *testing.T, step stage.Preprocessor, s frames.Schema, rows [][]float64) [][]float64 {
	t.Helper()
	u := stepUnderAttack{step: step, schema: s, empty: true}
	pairs := make([]attackedRow, len(rows))
	for i, row := range rows {
		pairs[i] = attackedRow{a: row, b: row, none: row == nil}
		if row == nil {
			pairs[i].a = make([]float64, len(s.Features())+1)
			pairs[i].b = pairs[i].a
		}
	}
	m := u.fitted(t, u.stage(t, pairs), pairs, 0)
	out := make([][]float64, len(rows))
	for i := range rows {
		if rows[i] != nil {
			out[i] = m.Row(i)
		}
	}
	return out
}

func TestEncoders(t *testing.T) {
	classes := frames.Label("y", "no", "yes")
	town := must(frames.NewSchema(frames.Category("town", "a", "b", "c").MayMiss(), classes))
	towns := [][]float64{{0, 1}, {0, 0}, {1, 1}, nil, {nan, 1}, {0, 1}}
	priced := must(frames.NewSchema(frames.Category("town", "a", "b").MayMiss(), frames.NumericLabel("price", 10, 20)))
	number := must(frames.NewSchema(frames.Numeric("u", 0, 10).MayMiss(), classes))
	numbers := [][]float64{{5, 0}, {1, 1}, nil, {5, 0}, {nan, 1}, {9, 0}, {2, 0}, {5, 1}}
	plane := must(frames.NewSchema(frames.Numeric("u", 0, 10).MayMiss(), frames.Numeric("v", 0, 10), classes))
	line := must(frames.NewSchema(frames.Numeric("z", -1, 1), frames.Numeric("u", -1, 1).MayMiss(), classes))
	jobs := must(frames.NewSchema(frames.Category("job", "low", "mid", "high").MayMiss(), frames.Numeric("u", 0, 10), classes))
	mixed := [][]float64{{2, 3, 0}, {nan, 5, 1}, {1, 8, 0}, nil}
	for _, c := range []struct {
		name   string
		step   stage.Preprocessor
		schema frames.Schema
		rows   [][]float64
		want   [][]float64
	}{
		{
			"means of two classes with a prior",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 1, Value: 0.25}, Columns: nil},
			town, towns,
			[][]float64{{2.25 / 4}, {2.25 / 4}, {1.25 / 2}, nil, {nan}, {2.25 / 4}},
		},
		{
			"means of a number",
			steps.TargetEncode{TargetPrior: TargetPrior{Weight: 2, Value: 15}, Columns: nil},
			priced,
			[][]float64{{0, 10}, {0, 20}, {1, 20}},
			[][]float64{{15}, {15}, {50. / 3}},
		},
		{"frequencies over the public n", steps.FrequencyEncode{Columns: nil}, town, towns, [][]float64{{0.5}, {0.5}, {1. / 6}, nil, {nan}, {0.5}}},
		{
			"mid-ranks over the public n",
			steps.RankTransform{Columns: []string{"u"}},
			number, numbers,
			[][]float64{{3.5 / 8}, {0.5 / 8}, nil, {3.5 / 8}, {nan}, {5.5 / 8}, {1.5 / 8}, {3.5 / 8}},
		},
		// Ranks 0 to 5 of 1 2 5 5 5 9 in three bins: 0 0 1 1 2 2; the fives have ranks 2 3 4.
		{
			"bins share ties",
			steps.QuantileBin{Bins: 3, Columns: []string{"u"}},
			number, numbers,
			[][]float64{{(4./3 + 0.5) / 3}, {0.5 / 3}, nil, {(4./3 + 0.5) / 3}, {nan}, {2.5 / 3}, {0.5 / 3}, {(4./3 + 0.5) / 3}},
		},
		{"more bins than rows", steps.QuantileBin{Bins: 4, Columns: []string{"u"}}, number, [][]float64{{7, 0}, {3, 1}}, [][]float64{{1.5 / 4}, {0.5 / 4}}},
		{
			"means of cells",
			steps.CellMeans{CellMean: CellMean{Width: 5, Weight: 1}, Columns: []string{"u", "v"}},
			plane,
			[][]float64{{1, 1, 0}, {4, 3, 0}, {6, 1, 1}, nil, {nan, 2, 1}, {nan, 4, 0}, {10, 9, 1}},
			[][]float64{{2.5, 6.5 / 3}, {2.5, 6.5 / 3}, {6.75, 1.75}, nil, {nan, 8.5 / 3}, {nan, 8.5 / 3}, {10, 8.25}},
		},
		{"median, odd", steps.MedianImpute{}, number, [][]float64{{1, 0}, {nan, 0}, {9, 1}, {2, 0}}, [][]float64{{1}, {2}, {9}, {2}}},
		{"median, even", steps.MedianImpute{}, number, [][]float64{{1, 0}, {nan, 0}, {9, 1}, nil, {2, 0}, {4, 0}}, [][]float64{{1}, {3}, {9}, nil, {2}, {4}}},
		{"median of nothing", steps.MedianImpute{}, number, [][]float64{{nan, 0}, nil}, [][]float64{{5}, nil}},
		// z = (x, c) with c = 1 and R_z² = 2: A/N = (1/3)[[2, 0], [0, 2]], v/N = (1/3)(1.2, 0), λ = 2·0.5.
		{
			"ridge",
			steps.RidgeImpute{Ridge: Ridge{Lambda: 0.5}, Columns: nil},
			line,
			[][]float64{{1, 0.6, 0}, {-1, -0.6, 0}, {0.5, nan, 1}},
			[][]float64{{1, 0.6}, {-1, -0.6}, {0.5, 0.5 * 0.4 / (2./3 + 1)}},
		},
		// The floor m0 = 2 is the number of observed rows: N = 2.
		{
			"ridge with a floor",
			steps.RidgeImpute{Ridge: Ridge{Lambda: 0.5, Pad: 1, On: []string{"z"}}, Columns: nil},
			line,
			[][]float64{{1, 0.6, 0}, {-1, -0.6, 0}, {0.5, nan, 1}, nil},
			[][]float64{{1, 0.6}, {-1, -0.6}, {0.5, 0.5 * 0.6 / 2}, nil},
		},
		{"ordinal", steps.Ordinal{}, jobs, mixed, [][]float64{{1, 3}, {nan, 5}, {0.5, 8}, nil}},
		{"public bins", steps.Bin{Edges: []float64{3, 6}, Columns: []string{"u"}}, jobs, mixed, [][]float64{{2, 1}, {nan, 1}, {1, 2}, nil}},
		{
			"function",
			steps.Mutation{Name: "w", MutateOptions: MutateOptions{From: []string{"v", "u"}, Func: "test.ratio", Version: "1", Lo: 0, Hi: 2}},
			plane,
			[][]float64{{1, 1, 0}, {nan, 3, 0}, {0, 0, 1}, {1, 9, 0}, nil},
			[][]float64{{1, 1, 1}, {nan, 3, nan}, {0, 0, nan}, {1, 9, 2}, nil},
		},
		{
			"function in place",
			steps.Mutation{Name: "u", MutateOptions: MutateOptions{From: []string{"v", "u"}, Func: "test.ratio", Version: "1", Lo: 0, Hi: 2}},
			plane,
			[][]float64{{4, 2, 0}, {8, 2, 0}},
			[][]float64{{0.5, 2}, {0.25, 2}},
		},
		{
			"function that panics",
			steps.Mutation{Name: "w", MutateOptions: MutateOptions{From: []string{"u"}, Func: "test.panic", Version: "1", Lo: 0, Hi: 2}},
			plane,
			[][]float64{{4, 2, 0}},
			[][]float64{{4, 2, nan}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := oneStep(t, c.step, c.schema, c.rows)
			for i := range c.want {
				for j, w := range c.want[i] {
					if g := got[i][j]; !(math.Abs(g-w) < 1e-11) && !(math.IsNaN(g) && math.IsNaN(w)) {
						t.Fatalf("row %d: got %v, want %v", i, got[i], c.want[i])
					}
				}
			}
		})
	}
}

func init() {
	for name, fn := range map[string]func([]float64) float64{
		"test.ratio": func(x []float64) float64 { return x[0] / x[1] },
		"test.panic": func(x []float64) float64 { panic(fmt.Sprint("a secret: ", x)) },
	} {
		if err := RegisterFunc(name, "1", fn); err != nil {
			panic(err)
		}
	}
}

func TestEncoderMistakes(t *testing.T) {
	data := demo(t, tinyFrame(t, 20, 1)).Data()
	tainted := data.OneHot("work").Impute(Mean{}, "work").OneHot().Impute(Mean{}, "pay")
	slope := MutateOptions{From: []string{"pay"}, Func: "test.slope", Version: "1", Lo: 0, Hi: 1}
	change := func(f func(*MutateOptions)) MutateOptions { o := slope; f(&o); return o }
	manyClasses := must(frames.NewSchema(frames.Category("c", "a", "b"), frames.Label("y", "p", "q", "r")))
	noLabel := must(frames.NewSchema(frames.Category("c", "a", "b"), frames.Numeric("u", 0, 1)))
	classes := demo(t, frameOf(t, manyClasses, [][]float64{{0, 0}, {1, 2}})).Data()
	unlabelled := demo(t, must(frames.FromBlock(noLabel, &frames.Block{Rows: 2, Cols: 2, X: []float64{0, 1, 1, 0}}))).Data()
	for _, c := range []struct {
		name string
		p    Pipeline
		want string
		is   error
	}{
		{"no prior weight", data.TargetEncode(TargetPrior{Value: 0.5}), "Weight: got 0", ErrParameter},
		{"NaN prior weight", data.TargetEncode(TargetPrior{Weight: nan}), "Weight: got NaN", ErrParameter},
		{"prior outside", data.TargetEncode(TargetPrior{Weight: 1, Value: 2}), "bounds [0, 1]", ErrParameter},
		{"NaN prior", data.TargetEncode(TargetPrior{Weight: 1, Value: nan}), "Value: got NaN", ErrParameter},
		{"three classes", classes.TargetEncode(TargetPrior{Weight: 1}), "3 classes", ErrColumn},
		{"no label", unlabelled.TargetEncode(TargetPrior{Weight: 1}), "no label", ErrColumn},
		{"target of a number", data.TargetEncode(TargetPrior{Weight: 1}, "age"), `"age": got a numeric column`, ErrColumn},
		{"target of the label", data.TargetEncode(TargetPrior{Weight: 1}, "income"), "no such column", ErrColumn},
		{"target twice", data.TargetEncode(TargetPrior{Weight: 1}, "work", "work"), "twice", ErrColumn},
		{"nothing to encode", data.OneHot().FrequencyEncode(), "leave the step out", ErrColumn},
		{"frequency of an encoded category", data.OneHot().FrequencyEncode("work=a"), "want a category", ErrColumn},
		{"rank of nothing", data.RankTransform(), "name at least one", ErrParameter},
		{"rank of a category", data.RankTransform("work"), "want a numeric column", ErrColumn},
		{"rank of a displaced column", tainted.RankTransform("pay"), "before the steps that are fitted", ErrOrder},
		{"one bin", data.QuantileBin(1, "age"), "bins: got 1", ErrParameter},
		{"bins twice", data.QuantileBin(3, "age", "age"), "twice", ErrColumn},
		{"bins of a displaced column", tainted.QuantileBin(3, "pay"), "before the steps that are fitted", ErrOrder},
		{"no cell", data.QuantizeMeans(CellMean{Weight: 1}, "age"), "Width: got 0", ErrParameter},
		{"no cell weight", data.QuantizeMeans(CellMean{Width: 1}, "age"), "centre Weight: got 0", ErrParameter},
		{"too many cells", data.QuantizeMeans(CellMean{Width: 1e-9, Weight: 1}, "age"), "cells", ErrParameter},
		{"cells of a displaced column", tainted.QuantizeMeans(CellMean{Width: 1, Weight: 1}, "age", "pay"), "before the steps that are fitted", ErrOrder},
		{"median of a category", data.OneHot().Impute(Median{}), `"work" encodes a category`, ErrColumn},
		{"ridge without a penalty", data.OneHot().Impute(Ridge{}, "pay"), "Lambda: got 0", ErrParameter},
		{"ridge with a negative floor", data.OneHot().Impute(Ridge{Lambda: 1, Pad: -1}, "pay"), "Pad: got -1", ErrParameter},
		{"ridge of a category", data.OneHot().Impute(Ridge{Lambda: 1}, "work"), "encodes a category", ErrColumn},
		{"regressor that may miss", data.OneHot().Impute(Ridge{Lambda: 1, On: []string{"home"}}, "pay"), `"home" may be missing itself`, ErrOrder},
		{"regressor that is not encoded", data.Impute(Ridge{Lambda: 1, On: []string{"work"}}, "pay"), "OneHot before imputing", ErrOrder},
		{"regressor twice", data.Impute(Ridge{Lambda: 1, On: []string{"age", "age"}}, "pay"), "twice", ErrColumn},
		{"unknown regressor", data.Impute(Ridge{Lambda: 1, On: []string{"ag"}}, "pay"), "no such column", ErrColumn},
		{"no regressor", data.Select("pay").Impute(Ridge{Lambda: 1}), "no column that never misses", ErrOrder},
		{"ordinal of a number", data.Ordinal("age"), "got a numeric column", ErrColumn},
		{"no edges", data.Bin(nil, "age"), "edges: got none", ErrParameter},
		{"falling edges", data.Bin([]float64{40, 30}, "age"), "rising order", ErrParameter},
		{"infinite edge", data.Bin([]float64{40, math.Inf(1)}, "age"), "finite", ErrParameter},
		{"edge outside", data.Bin([]float64{17}, "age"), "inside its bounds", ErrParameter},
		{"public bins of a displaced column", tainted.Bin([]float64{1}, "pay"), "before the steps that are fitted", ErrOrder},
		{"unknown function", data.Mutate("w", change(func(o *MutateOptions) { o.Version = "2" })), `"test.slope" version "2"`, ErrParameter},
		{"function without bounds", data.Mutate("w", change(func(o *MutateOptions) { o.Hi = 0 })), "bounds: got [0, 0]", ErrParameter},
		{"function of nothing", data.Mutate("w", change(func(o *MutateOptions) { o.From = nil })), "name at least one", ErrParameter},
		{"function of a category", data.Mutate("w", change(func(o *MutateOptions) { o.From = []string{"work"} })), "want a numeric column", ErrColumn},
		{"function in place of a category", data.Mutate("work", slope), "take another name", ErrColumn},
		{"function in place of the label", data.Mutate("income", slope), "take another name", ErrColumn},
		{"NaN constant", data.Mutate("w", change(func(o *MutateOptions) { o.Lipschitz = nan })), "Lipschitz: got NaN", ErrParameter},
		{"function of a displaced column", tainted.Mutate("w", slope), "no Lipschitz constant", ErrOrder},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.p.Explain()
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, c.is) {
				t.Errorf("got %v, want %q and %v", err, c.want, c.is)
			}
		})
	}
}

// TestEncodersHaveAnIdentity: every parameter is in a step's name, by which releases are told apart.
func TestEncodersHaveAnIdentity(t *testing.T) {
	d := Pipeline{}
	var names []string
	for _, p := range []Pipeline{
		d.TargetEncode(TargetPrior{Weight: 1, Value: 0}, "a"), d.TargetEncode(TargetPrior{Weight: 2, Value: 0}, "a"), d.TargetEncode(TargetPrior{Weight: 1, Value: 0.5}, "a"), d.TargetEncode(TargetPrior{Weight: 1, Value: 0}),
		d.FrequencyEncode("a"), d.FrequencyEncode("a", "b"), d.RankTransform("a"), d.RankTransform("b"),
		d.QuantileBin(2, "a"), d.QuantileBin(3, "a"), d.QuantileBin(2, "b"),
		d.QuantizeMeans(CellMean{Width: 1, Weight: 2}, "a"), d.QuantizeMeans(CellMean{Width: 2, Weight: 2}, "a"), d.QuantizeMeans(CellMean{Width: 1, Weight: 1}, "a"), d.QuantizeMeans(CellMean{Width: 1, Weight: 2}, "b"),
		d.Impute(Median{}), d.Impute(Median{}, "a"), d.Impute(Ridge{Lambda: 1}), d.Impute(Ridge{Lambda: 2}), d.Impute(Ridge{Lambda: 1, Pad: 3}),
		d.Impute(Ridge{Lambda: 1, On: []string{"a"}}), d.Impute(Ridge{Lambda: 1}, "a"),
		d.Impute(Median{MaxMissing: Declare(3)}), d.Impute(Median{MaxMissing: Declare(4)}), d.Impute(Median{MaxMissing: Test(3, Tested{Share: 0.1, Delta: 1e-9})}),
		d.Impute(Median{MaxMissing: Test(3, Tested{Share: 0.2, Delta: 1e-9})}), d.Impute(Median{MaxMissing: Test(3, Tested{Share: 0.1, Delta: 1e-8})}),
		d.Impute(Ridge{Lambda: 1, MaxMissing: Declare(3)}), d.Impute(Ridge{Lambda: 1, MinEigen: Declare(3)}), d.Impute(Ridge{Lambda: 1, MinEigen: Bound(Tested{Share: 0.1, Delta: 1e-9})}),
		d.Impute(Mean{MinObserved: Declare(3)}), d.Impute(Mean{MaxMissing: Declare(3)}), d.Impute(TrimmedMean{Trim: 0.1}), d.Impute(TrimmedMean{Trim: 0.1, MinObserved: Declare(3)}),
		d.Dedup(Ball{Eta: 1, MaxCluster: 3}), d.Dedup(Ball{Eta: 1, MaxBlock: Declare(3)}), d.Dedup(Ball{Eta: 2, MaxBlock: Declare(3)}), d.QuantizeBall(Ball{Eta: 1, MaxBlock: Declare(3)}),
		d.Ordinal(), d.Ordinal("a"), d.Bin([]float64{1}, "a"), d.Bin([]float64{1, 2}, "a"), d.Bin([]float64{1}, "b"),
		d.Mutate("w", MutateOptions{}), d.Mutate("v", MutateOptions{}), d.Mutate("w", MutateOptions{From: []string{"a"}}),
		d.Mutate("w", MutateOptions{Func: "f"}), d.Mutate("w", MutateOptions{Version: "1"}), d.Mutate("w", MutateOptions{Lo: 1}),
		d.Mutate("w", MutateOptions{Hi: 1}), d.Mutate("w", MutateOptions{Lipschitz: 1}),
	} {
		name := kind.Describe(p.steps[0])
		if slices.Contains(names, name) {
			t.Errorf("%s names two steps", name)
		}
		names = append(names, name)
	}
}

// TestEncodersInAChain: what is fitted is priced and reaches a release; a step whose fit prediction
// would need keeps a model from being released.
func TestEncodersInAChain(t *testing.T) {
	ctx := context.Background()
	data := must(Demo(tinyFrame(t, 80, 1), 5, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	fit := ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}
	for _, c := range []struct {
		name     string
		p        Pipeline
		free     bool // costs nothing
		readable bool // a model behind it may be released
	}{
		{"target", data.TargetEncode(TargetPrior{Weight: 10, Value: 0.5}), false, false},
		{"frequency", data.FrequencyEncode("work").OneHot(), false, false},
		{"rank", data.RankTransform("age", "pay").OneHot(), false, false},
		{"quantile bins", data.QuantileBin(4, "age", "pay").OneHot(), false, false},
		{"cell means", data.QuantizeMeans(CellMean{Width: 1, Weight: 5}, "pay").OneHot(), false, true},
		{"median", data.OneHot().Scale().Impute(Median{}, "pay"), false, true},
		{"ridge", data.OneHot().Scale().Impute(Ridge{Lambda: 0.5}, "pay"), false, true},
		{"ordinal", data.Ordinal("work").OneHot(), true, true},
		{"public bins", data.Bin([]float64{30, 60}, "age").OneHot(), true, true},
		{"function", data.Mutate("w", MutateOptions{From: []string{"age", "pay"}, Func: "test.slope", Version: "1", Lo: 0, Hi: 90}).OneHot(), true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := c.p.Impute(Midpoint{}).Scale()
			cost := must(p.Mean(target).Cost())
			if free := cost.Release.Amplification() == 1; free != c.free {
				t.Errorf("amplification %v, want 1: %v", cost.Release.Amplification(), c.free)
			}
			if got := cost.Guarantee.Scope.String(); got != "unconditional" {
				t.Errorf("scope %s", got)
			}
			if _, err := p.Mean(target).Release(ctx); err != nil {
				t.Error(err)
			}
			r, err := p.FitLogistic(fit).Release(ctx)
			if (err == nil) != c.readable {
				t.Fatalf("got %v, want a model: %v", err, c.readable)
			}
			if err != nil {
				if _, err := p.FitLogistic(fit).WithoutPrediction().Release(ctx); err != nil {
					t.Error(err)
				}
			} else {
				if _, err := r.Value.Predict(ctx, frames.Public(tinyFrame(t, 30, 9))); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestFittedEncodingsCannotBePrinted: a transform holds its tables behind a function.
func TestFittedEncodingsCannotBePrinted(t *testing.T) {
	for _, v := range []any{stage.Hide([][]float64{{4711}}), stage.Hide([]steps.Filling{{Sorted: []float64{4711}}})} {
		for _, verb := range []string{"%v", "%+v", "%#v"} {
			if got := fmt.Sprintf(verb, v); strings.Contains(got, "4711") {
				t.Errorf("%s prints %s", verb, got)
			}
		}
	}
}
