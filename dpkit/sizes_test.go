package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

// The tests here are on sizes: a unit of 2^k changes no mantissa, so that what is priced in it is the price in the unit 1,
// times a power of two, to the last bit: unless something under- or overflows, or is compared with a number that is not in units.

// unitColumns has columns of several widths, one far from 0, in the unit u; holes may miss.
func unitColumns(u float64, label frames.Column) frames.Schema {
	return must(frames.NewSchema(
		frames.Numeric("x", -u, u),
		frames.Numeric("hole", 0.5*u, 1.5*u).MayMiss(),
		frames.Numeric("far", 2*u, 2*u*(1+0x1p-8)),
		frames.Numeric("thin", -0x1p-7*u, 0x1p-7*u),
		label,
	))
}

// unitChain is a chain whose every size is in the unit u. Its rows come out in that unit, or in none.
type unitChain struct {
	name  string
	build func(p Pipeline, u float64) Pipeline
}

var unitChains = []unitChain{
	{"midpoints", func(p Pipeline, _ float64) Pipeline { return p.Impute(Midpoint{}) }},
	{"means", func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}) }},
	{"means, certified", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{Pad: 2, MaxMissing: Declare(20), MinObserved: Declare(30)})
	}},
	{"trimmed means", func(p Pipeline, _ float64) Pipeline { return p.Impute(TrimmedMean{Trim: 0.2, Pad: 9}) }},
	{"medians", func(p Pipeline, _ float64) Pipeline { return p.Impute(Median{}) }},
	{"regressions", func(p Pipeline, _ float64) Pipeline { return p.Impute(Ridge{Lambda: 0.1}) }},
	{"regressions of little ridge", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Ridge{Lambda: 1e-6, On: []string{"thin"}, MinEigen: Declare(3)})
	}},
	{"private means", func(p Pipeline, _ float64) Pipeline { return p.Impute(PrivateMean{Share: 0.1}) }},
	{"fixed", func(p Pipeline, u float64) Pipeline { return p.Impute(Fixed{Value: u}, "hole") }},
	{"scaled", func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}).Scale() }},
	{"clipped rows", func(p Pipeline, u float64) Pipeline { return p.Impute(Mean{}).ClipNorm(u / 4) }},
	{"clipped columns", func(p Pipeline, u float64) Pipeline {
		return p.Impute(Mean{}).ClipColumns(-u/4, 2*u*(1+0x1p-9), "x", "far")
	}},
	{"winsorised", func(p Pipeline, u float64) Pipeline {
		return p.Impute(Mean{}).Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "x", "thin").Winsorize(PublicQuantiles{Lo: []float64{-u / 8}, Hi: []float64{u}}, "x")
	}},
	{"centred", func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}).Center() }},
	{"standardised", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).Standardize(Standard{Floor: 0.01, Gain: 0.1})
	}},
	{"standardised, certified", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Midpoint{}).Standardize(Standard{MinSpread: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})}, "x")
	}},
	{"rms", func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}).Standardize(RMS{Floor: 1e-3}, "thin") }},
	{"private scales", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).Standardize(PrivateStandard{Share: 0.1, Floor: 0.01})
	}},
	{"private rms", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).Standardize(PrivateRMS{Share: 0.1, Floor: 0.01})
	}},
	{"soft threshold", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).PCA(SoftThreshold{Lambda: 1e-3})
	}},
	{"Tikhonov, centred", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).PCA(Tikhonov{Lambda: 1e-18, Centered: true})
	}},
	{"ramp", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Midpoint{}).PCA(Ramp{Start: 0.1, Width: 1e-18})
	}},
	{"projected", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).PCA(Hard{K: 2, Gap: Test(0.1, Tested{Share: 0.1, Delta: 1e-8})})
	}},
	{"private components", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(Mean{}).PCA(PrivateComponents{K: 2, Share: 0.1})
	}},
	{"selected softly", func(p Pipeline, _ float64) Pipeline { return p.Impute(Mean{}).SelectFeatures(SoftSelect{Lambda: 1e-4}) }},
	{"grid", func(p Pipeline, u float64) Pipeline { return p.Impute(Mean{}).Quantize(u/64, "x", "hole") }},
	{"cell means", func(p Pipeline, u float64) Pipeline {
		return p.QuantizeMeans(CellMean{Width: u / 64, Weight: 2}, "x", "far").Impute(Median{})
	}},
	{"clusters", func(p Pipeline, u float64) Pipeline {
		return p.QuantizeBall(Ball{Eta: u / 64, MaxCluster: 2}).Impute(Midpoint{})
	}},
	{"clusters removed", func(p Pipeline, u float64) Pipeline {
		return p.Dedup(Ball{Eta: u / 64, MaxBlock: Bound(Tested{Share: 0.1, Delta: 1e-8})}).Impute(Mean{})
	}},
	{"duplicates removed", func(p Pipeline, u float64) Pipeline {
		return p.Dedup(Exact{}, "x").Dedup(Grid{Width: u / 64}, "far").Impute(Mean{}).Center()
	}},
	{"ranks", func(p Pipeline, u float64) Pipeline {
		return p.Select("x", "thin").RankTransform("x", "thin").Center()
	}},
	{"ranks and bins of all", func(p Pipeline, u float64) Pipeline {
		return p.Select("x", "far").Scale().QuantileBin(5, "x").Bin([]float64{-0.25, 0}, "far").OneHot()
	}},
	{"two fits", func(p Pipeline, _ float64) Pipeline {
		return p.Impute(TrimmedMean{Trim: 0.1}).Standardize(Standard{Floor: 0.1}).PCA(Tikhonov{Lambda: 0.1}).Center()
	}},
}

// unitMechanism is a mechanism whose sensitivity is in units of u to the power, times what its chain makes of it.
type unitMechanism struct {
	name  string
	label func(u float64) frames.Column
	plan  func(p Pipeline, u float64) unitPlan
}

// unitPlan is a plan of any value.
type unitPlan struct {
	cost    func() (Cost, error)
	release func(context.Context) (any, error)
}

func planned[V any](p Plan[V]) unitPlan {
	return unitPlan{p.Cost, func(ctx context.Context) (any, error) {
		r, err := p.WithoutPrediction().Release(ctx)
		return r.Value, err
	}}
}

func numericTo(u float64) frames.Column { return frames.NumericLabel("y", -3*u, u) }

func classes(float64) frames.Column { return frames.Label("y", "no", "yes") }

func threeWays(float64) frames.Column { return frames.Label("y", "a", "b", "c") }

func countsTo(u float64) frames.Column { return frames.NumericLabel("y", 0, 8*u) }

const unitEpsilon, unitDelta = 1, 1e-6

// searched are mechanisms whose calibration searches in absolute units: its last digits may differ.
var searched = map[string]float64{"gradient, Huber, sampled": 1e-9}

var unitMechanisms = []unitMechanism{
	{"means", numericTo, func(p Pipeline, _ float64) unitPlan { return planned(p.Mean(Target{Epsilon: 1, Delta: 1e-6})) }},
	{"means, Laplace", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.Mean(Target{Epsilon: 1, Noise: NoiseLaplace}))
	}},
	{"sum", numericTo, func(p Pipeline, _ float64) unitPlan { return planned(p.Sum(Target{Epsilon: 1, Delta: 1e-6})) }},
	{"sum, Laplace", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.Sum(Target{Epsilon: 1, Noise: NoiseLaplace}))
	}},
	{"Gram", numericTo, func(p Pipeline, _ float64) unitPlan { return planned(p.Gram(Target{Epsilon: 1, Delta: 1e-6})) }},
	{"quantile", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.Quantile(Target{Epsilon: 1, Delta: 1e-6}, 0.5, "x"))
	}},
	{"logistic", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitLogistic(ByGradient{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"logistic, extreme parameters", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitLogistic(ByGradient{Epsilon: unitEpsilon, Delta: unitDelta, Clip: 0x1p-150, MaxNorm: 0x1p150, StepSize: 0x1p150, Steps: 10}))
	}},
	{"gradient, squares", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitConvex(nil, ByGradient{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"gradient, squares, extreme parameters", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitConvex(nil, ByGradient{Epsilon: unitEpsilon, Delta: unitDelta, Clip: 0x1p150, MaxNorm: 0x1p150, Steps: 10}))
	}},
	{"gradient, Huber, sampled", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitConvex(HuberLoss{}, ByGradient{Epsilon: unitEpsilon, Delta: unitDelta, Solver: PoissonSampling{Rate: 0.25}, Steps: 10}))
	}},
	{"gradient, hinge, one pass", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitConvex(LogLoss{}, ByGradient{Epsilon: unitEpsilon, Delta: unitDelta, Solver: ByIteration{}, Clip: 2}))
	}},
	{"gradient, classes", threeWays, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitConvex(nil, ByGradient{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"AdaSSP", numericTo, linearPlan(models.AdaSSP)},
	{"output perturbation", numericTo, linearPlan(models.OutputPerturbation)},
	{"linear mixing", numericTo, linearPlan(models.LinearMixing)},
	{"relative descent", numericTo, linearPlan(models.RelativeGaussianDescent)},
	{"Sheffet", numericTo, linearPlan(models.Sheffet2017)},
	{"sketch", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.GaussMix(Sketching{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"objective, logistic", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitLogistic(ByObjective{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"objective, reported", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitLogisticWithReport(ByObjective{Epsilon: unitEpsilon, Delta: unitDelta}, PrivacyReport{Rho: 0.01, Share: 0.2}))
	}},
	{"objective, ridge", classes, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitHinge(HingeLoss{}, ByObjective{Epsilon: unitEpsilon, Delta: unitDelta, Lambda: 0x1p20}))
	}},
	{"objective, Huber", numericTo, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitHuber(HuberLoss{}, ByObjective{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"objective, counts", countsTo, func(p Pipeline, u float64) unitPlan {
		return planned(p.FitPoisson(PoissonLoss{MaxCount: 4 * u, Rate: u}, ByObjective{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
	{"objective, classes", threeWays, func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitMultinomial(ByObjective{Epsilon: unitEpsilon, Delta: unitDelta}))
	}},
}

func linearPlan(method string) func(Pipeline, float64) unitPlan {
	return func(p Pipeline, _ float64) unitPlan {
		return planned(p.FitLinear(linearBy(linear.Settings{Epsilon: unitEpsilon, Delta: unitDelta, Method: method})))
	}
}

// unitPipeline is a chain's start in the unit u; no row is read.
func unitPipeline(t testing.TB, rel accountant.Neighbours, s frames.Schema) Pipeline {
	t.Helper()
	d := len(s.Features())
	const rows = 60
	b := &frames.Block{Rows: rows, Cols: d, Y: make([]float64, rows)}
	for range rows {
		for _, c := range s.Features() {
			b.X = append(b.X, c.Lo)
		}
	}
	if l, _ := s.Label(); len(l.Levels) == 0 {
		for i := range b.Y {
			b.Y[i] = l.Lo
		}
	}
	return must(Demo(must(frames.FromBlock(s, b)), 1, rel)).Data()
}

// unitExponents are those of the units in which everything is legal: the thinnest column is 2^-6 wide, and steps widen the
// largest to 2^4.
var unitExponents = []int{-191, -190, -130, -99, -31, 0, 1, 63, 120, 150, 194, 195}

// TestUnitsOfSteps: the pair state behind every step is that in the unit 1, scaled.
func TestUnitsOfSteps(t *testing.T) {
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range unitChains {
			t.Run(fmt.Sprintf("%v/%s", rel, c.name), func(t *testing.T) {
				at := func(u float64) []stageOf {
					p := c.build(unitPipeline(t, rel, unitColumns(u, numericTo(u))), u)
					stages, _, err := p.trace()
					if err == nil {
						_, err = spend(stages, sums.Mean{Target: Target{Epsilon: 1, Delta: 1e-6}})
					}
					if err != nil {
						t.Fatalf("unit %g: %v", u, err)
					}
					return stages
				}
				one := at(1)
				for _, k := range unitExponents {
					for i, s := range at(math.Ldexp(1, k)) {
						want := one[i]
						by := s.Pair.R / want.Pair.R // 1 behind a step that leaves the unit
						if by != 1 && by != math.Ldexp(1, k) {
							t.Fatalf("unit 2^%d: %s: R = %g, in the unit 1 %g", k, kind.Describe(s.Step), s.Pair.R, want.Pair.R)
						}
						scaled := want.Pair
						for _, v := range []*float64{&scaled.R, &scaled.T1, &scaled.TF, &scaled.TInf, &scaled.DFree} {
							*v *= by
						}
						if s.Pair != scaled {
							t.Errorf("unit 2^%d: %s:\n got %+v\nwant %+v", k, kind.Describe(s.Step), s.Pair, scaled)
						}
						for j, e := range s.expenses {
							w := want.expenses[j]
							if by := math.Log2(e.Query.Sensitivity / w.Query.Sensitivity); by != math.Trunc(by) || e.Query.Sigma != math.Ldexp(w.Query.Sigma, int(by)) || e.Query.Max != math.Ldexp(w.Query.Max, int(by)) {
								t.Errorf("unit 2^%d: %s asks with sensitivity %g, σ = %g, in the unit 1 %g and %g", k, kind.Describe(s.Step), e.Query.Sensitivity, e.Query.Sigma, w.Query.Sensitivity, w.Query.Sigma)
							}
						}
					}
				}
			})
		}
	}
}

// TestUnitsOfMechanisms: every release costs the same in every unit, at noise that is scaled with it.
func TestUnitsOfMechanisms(t *testing.T) {
	t.Parallel()
	chains := []unitChain{unitChains[0], {"means, a ball", func(p Pipeline, u float64) Pipeline { return p.Impute(Mean{}).ClipNorm(2 * u) }}}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, m := range unitMechanisms {
			for _, c := range chains {
				t.Run(fmt.Sprintf("%v/%s/%s", rel, m.name, c.name), func(t *testing.T) {
					at := func(u float64) (Cost, error) {
						return m.plan(c.build(unitPipeline(t, rel, unitColumns(u, m.label(u))), u), u).cost()
					}
					one, err := at(1)
					if err != nil {
						if !errors.Is(err, ErrOrder) && !errors.Is(err, ErrParameter) {
							t.Fatal(err)
						}
						if c.name == "midpoints" && rel == AddRemove {
							t.Fatal(err)
						}
						return // it has no price on displaced rows, or under the relation
					}
					for _, k := range unitExponents {
						if m.name == "objective, counts" && k < -189 {
							continue
						}
						got, err := at(math.Ldexp(1, k))
						if err != nil {
							t.Fatalf("unit 2^%d: %v", k, err)
						}
						a, b := got.Release, one.Release
						by := math.Ldexp(1, int(math.Round(math.Log2(a.Sensitivity/b.Sensitivity)))) // R to some power
						for _, v := range []struct {
							what      string
							got, want float64
						}{
							{"S", a.Sensitivity, b.Sensitivity * by},
							{"S of free rows", a.FreeSensitivity, b.FreeSensitivity * by},
							{"σ", a.Sigma, b.Sigma * by},
							{"ε", got.Guarantee.Epsilon, one.Guarantee.Epsilon},
							{"δ", got.Guarantee.Delta, one.Guarantee.Delta},
							{"ε, preprocessing ignored", a.Uncounted, b.Uncounted},
							{"ε, not paid for", a.Nominal, b.Nominal},
						} {
							if !(math.Abs(v.got-v.want) <= searched[m.name]*v.want) {
								t.Errorf("unit 2^%d: %s = %.17g, want %.17g", k, v.what, v.got, v.want)
							}
						}
						if got.Guarantee.Scope.Kind != one.Guarantee.Scope.Kind || !(got.Guarantee.Epsilon > 0 && got.Guarantee.Epsilon <= 1) || !(a.Sensitivity > 0) {
							t.Errorf("unit 2^%d: %v, S = %g", k, got.Guarantee, a.Sensitivity)
						}
					}
				})
			}
		}
	}
}

// TestReleasesInEveryUnit: what is released is finite, in the smallest unit as in the largest.
func TestReleasesInEveryUnit(t *testing.T) {
	t.Parallel()
	for _, m := range unitMechanisms {
		for _, k := range []int{unitExponents[0] + 2, 0, unitExponents[len(unitExponents)-1]} {
			u := math.Ldexp(1, k)
			v, err := m.plan(unitPipeline(t, AddRemove, unitColumns(u, m.label(u))).Impute(Midpoint{}), u).release(t.Context())
			if errors.Is(err, ErrTestFailed) {
				continue
			}
			if err != nil {
				t.Errorf("%s, unit 2^%d: %v", m.name, k, err)
				continue
			}
			if _, err := json.Marshal(v); err != nil { // as for a NaN
				t.Errorf("%s, unit 2^%d: %v", m.name, k, err)
			}
		}
	}
}

// mixedColumns put the ends of the legal sizes side by side.
func mixedColumns() map[string][]frames.Column {
	const most, least = frames.MaxBound, frames.MinWidth
	far := frames.Numeric("far", most*(1-0x1p-52), most)
	return map[string][]frames.Column{
		"largest and thinnest":  {frames.Numeric("x", -most, most), frames.Numeric("thin", 0, least).MayMiss()},
		"thinnest about 0":      {frames.Numeric("x", -least/2, least/2), frames.Numeric("z", -1, 1).MayMiss()},
		"thinnest, with a hole": {frames.Numeric("x", -least/2, least/2).MayMiss(), frames.Numeric("z", 0, least)},
		"far from 0":            {far, frames.Numeric("x", -1, 1).MayMiss()},
		"far alone":             {far.MayMiss(), frames.Numeric("x", 0, most)},
		"an ulp at 1e15":        {frames.Numeric("x", 1e15, math.Nextafter(1e15, 2e15)), frames.Numeric("z", 1e15, 1e15+2).MayMiss()},
		"an ulp at 1":           {frames.Numeric("x", 1, math.Nextafter(1, 2)), frames.Numeric("z", -math.Nextafter(1, 2), -1).MayMiss()},
		"all, and a category":   {frames.Numeric("x", -most, most), frames.Numeric("thin", 0, least).MayMiss(), frames.Category("c", "a", "b"), far},
		"one side":              {frames.Numeric("x", -most, 1), frames.Numeric("z", -least, least).MayMiss(), frames.Numeric("w", least, 1e-20)},
	}
}

// mixedChains have no size of their own. The cheap ones are released by every mechanism.
var mixedChains = []struct {
	name  string
	cheap bool
	build func(Pipeline) Pipeline
}{
	{"midpoints", true, func(p Pipeline) Pipeline { return p.Impute(Midpoint{}) }},
	{"scaled", false, func(p Pipeline) Pipeline { return p.Impute(Midpoint{}).Scale() }},
	{"medians", false, func(p Pipeline) Pipeline { return p.Impute(Median{}) }},
	{"means, standardised", false, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Standardize(Standard{Floor: 1e-9, Gain: 1}) }},
	{"trimmed means, soft", false, func(p Pipeline) Pipeline { return p.Impute(TrimmedMean{Trim: 0.3}).PCA(SoftThreshold{Lambda: 1e-18}) }},
	{"winsorised, selected", false, func(p Pipeline) Pipeline {
		return p.Impute(Midpoint{}).Winsorize(SmoothedQuantile{Q: 0.1, Window: 1e-6}, "x").SelectFeatures(SoftSelect{Lambda: 1e-18})
	}},
	{"clipped to nothing", false, func(p Pipeline) Pipeline { return p.Impute(Mean{}).ClipNorm(frames.MinWidth) }},
	{"means, scaled", false, func(p Pipeline) Pipeline { return p.Impute(Mean{}).Scale() }},
}

// TestMixedSizes: columns of every legal size beside each other have a finite and positive price, or are refused with an error
// that says so.
func TestMixedSizes(t *testing.T) {
	t.Parallel()
	short := map[string]bool{"means, Laplace": true, "sum": true, "Gram": true, "gradient, squares, extreme parameters": true, "AdaSSP": true}
	priced, refused := 0, 0
	for mix, cols := range mixedColumns() {
		for label, rel := range map[float64]accountant.Neighbours{frames.MinWidth: ReplaceOne, frames.MaxBound / 8: AddRemove} {
			for _, m := range unitMechanisms {
				s := must(frames.NewSchema(append(slices.Clone(cols), m.label(label))...))
				for _, c := range mixedChains {
					if !c.cheap && !short[m.name] {
						continue
					}
					p := unitPipeline(t, rel, s)
					if strings.Contains(mix, "category") {
						p = p.OneHot()
					}
					p = c.build(p)
					where := fmt.Sprintf("%s, %v, %s, %s, label %g", mix, rel, c.name, m.name, label)
					cost, err := m.plan(p, label).cost()
					if err != nil {
						if refused++; !slices.ContainsFunc([]error{ErrParameter, ErrOrder, ErrColumn, frames.ErrSchema, pair.ErrPair, accountant.ErrEpsilon}, func(want error) bool { return errors.Is(err, want) }) {
							t.Errorf("%s: %v", where, err)
						}
						continue
					}
					priced++
					_, end, err := p.trace()
					if err = errors.Join(err, end.Before.Validate()); err != nil {
						t.Errorf("%s: %v", where, err)
					}
					if m.name == "quantile" || short[m.name] {
						v, err := m.plan(p, label).release(t.Context())
						if _, jsonErr := json.Marshal(v); err != nil || jsonErr != nil { // as for a NaN
							t.Errorf("%s: %v, %v", where, err, jsonErr)
						}
					}
					r := cost.Release
					finite := !math.IsInf(r.Sensitivity+r.Sigma, 0) && !math.IsNaN(r.Sensitivity+r.Sigma)
					if !finite || !(cost.Guarantee.Epsilon > 0 && cost.Guarantee.Epsilon <= 1) || !(r.Sensitivity >= r.FreeSensitivity*(1-1e-12)) || !(r.FreeSensitivity > 0) {
						t.Errorf("%s: ε = %g at S = %g, %g of a free row alone, σ = %g", where, cost.Guarantee.Epsilon, r.Sensitivity, r.FreeSensitivity, r.Sigma)
					}
				}
			}
		}
	}
	t.Logf("%d plans had a price, %d were refused", priced, refused)
	if priced < 4*refused {
		t.Error("too many were refused")
	}
}

// TestSizesAreRefused: every parameter that is a size keeps to the legal range, with one message that says it.
func TestSizesAreRefused(t *testing.T) {
	s := must(frames.NewSchema(frames.Numeric("x", -1, 1), frames.Category("c", "a", "b"), frames.Label("y", "no", "yes")))
	p := unitPipeline(t, ReplaceOne, s)
	o := ByGradient{Epsilon: 1, Delta: 1e-6}
	for name, size := range map[string]func(v float64) error{
		"ClipNorm":    func(v float64) error { _, err := p.OneHot().ClipNorm(v).Schema(); return err },
		"Quantize":    func(v float64) error { _, err := p.Quantize(v, "x").Schema(); return err },
		"Dedup, grid": func(v float64) error { _, err := p.Dedup(Grid{Width: v}, "x").Schema(); return err },
		"Dedup, ball": func(v float64) error { _, err := p.Dedup(Ball{Eta: v, MaxCluster: 2}, "x").Schema(); return err },
		"cells": func(v float64) error {
			_, err := p.QuantizeMeans(CellMean{Width: v, Weight: 1}, "x").Schema()
			return err
		},
		"cell weight": func(v float64) error {
			_, err := p.QuantizeMeans(CellMean{Width: 1, Weight: v}, "x").Schema()
			return err
		},
		"prior":    func(v float64) error { _, err := p.TargetEncode(TargetPrior{Weight: v}).Schema(); return err },
		"logistic": func(v float64) error { l := o; l.Clip = v; _, err := p.OneHot().FitLogistic(l).Cost(); return err },
		"gradient": func(v float64) error {
			_, err := p.OneHot().FitConvex(nil, ByGradient{Epsilon: 1, Delta: 1e-6, MaxNorm: v}).Cost()
			return err
		},
		"ridge": func(v float64) error {
			_, err := p.OneHot().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6, Lambda: v}).Cost()
			return err
		},
	} {
		for _, v := range []float64{math.Nextafter(frames.MinWidth, 0), math.Nextafter(frames.MaxBound, math.Inf(1)), 1e-100, 1e100, -1, math.NaN(), math.Inf(1)} {
			if err := size(v); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), "want a number in [1e-60, 1e+60]") {
				t.Errorf("%s = %g: got %v, want ErrParameter and the range", name, v, err)
			}
		}
		if err := size(0.5); err != nil && name != "ridge" { // which is too small for this target
			t.Errorf("%s = 0.5: %v", name, err)
		}
	}
}

// TestUnitsOfUnbounded: of columns without bounds the guessed scale is the unit, and rows of any size give finite releases.
func TestUnitsOfUnbounded(t *testing.T) {
	t.Parallel()
	for name, plan := range map[string]func(p Pipeline) unitPlan{
		"second moment": func(p Pipeline) unitPlan { return planned(p.SecondMoment(Unbounded{Epsilon: 2, Delta: 1e-6})) },
		"covariance":    func(p Pipeline) unitPlan { return planned(p.Covariance(Unbounded{Epsilon: 2, Delta: 1e-6})) },
		"mean":          func(p Pipeline) unitPlan { return planned(p.UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6})) },
		"regression": func(p Pipeline) unitPlan {
			return planned(p.FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 2, Delta: 1e-6}}))
		},
		"quantile": func(p Pipeline) unitPlan { return planned(p.Quantile(Target{Epsilon: 2, Delta: 1e-6}, 0.3, "x")) },
	} {
		t.Run(name, func(t *testing.T) {
			at := func(u float64, cell func(i int) float64) (Cost, any, error) {
				s := must(frames.NewSchema(frames.Unbounded("x").Guess(u), frames.Unbounded("z").Guess(u), frames.UnboundedLabel("y").Guess(u)))
				const rows = 30_000
				b := &frames.Block{Rows: rows, Cols: 2, Y: make([]float64, rows)}
				for i := range rows {
					b.X = append(b.X, cell(i), -cell(i+7))
					b.Y[i] = cell(3 * i)
				}
				p := plan(must(Demo(must(frames.FromBlock(s, b)), 1, AddRemove)).Data())
				c, err := p.cost()
				if err != nil {
					return c, nil, err
				}
				v, err := p.release(t.Context())
				return c, v, err
			}
			ordinary := func(u float64) func(i int) float64 { return func(i int) float64 { return u * float64(i%5-2) } }
			one, _, err := at(1, ordinary(1))
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range []float64{frames.MinWidth, 0x1p-100, 1, 0x1p100, frames.MaxBound} {
				for what, cell := range map[string]func(i int) float64{
					"ordinary":  ordinary(u),
					"huge":      func(i int) float64 { return math.MaxFloat64 * float64(1-2*(i%2)) },
					"subnormal": func(i int) float64 { return 5e-324 * float64(i%3) },
					"mixed":     func(i int) float64 { return math.Ldexp(u, (i%41-20)*40) },
				} {
					got, v, err := at(u, cell)
					if err != nil {
						t.Fatalf("unit %g, %s: %v", u, what, err)
					}
					if _, err := json.Marshal(v); err != nil { // as for a NaN
						t.Errorf("unit %g, %s: %v", u, what, err)
					}
					if got.Guarantee.Budget != one.Guarantee.Budget || !(got.Release.Sensitivity > 0) || math.IsInf(got.Release.Sensitivity, 1) {
						t.Errorf("unit %g: %v, S = %g; in the unit 1 %v", u, got.Guarantee, got.Release.Sensitivity, one.Guarantee)
					}
				}
			}
		})
	}
}
