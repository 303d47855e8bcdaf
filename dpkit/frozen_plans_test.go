package dpkit

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

// frozenPlan is one release of a frozen ledger.
type frozenPlan struct {
	name string
	plan *plan
}

// frozenTexts are further plans, whose identity is frozen and which no frozen ledger holds, as their price takes long.
func frozenTexts(d Pipeline) []frozenPlan {
	return []frozenPlan{
		{"sketch with an eigenvalue", d.GaussMix(Sketching{Epsilon: 3, Delta: 1e-6, Rows: 40, LabelScale: 0.5, ReleaseEigenvalue: true}).plan()},
		{"mixing with an eigenvalue", d.FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-6, ReleaseEigenvalue: true, CoefficientsOnly: true}).plan()},
		{"Sheffet in full", d.FitLinear(baseline.Sheffet2017{Epsilon: 1, Delta: 1e-6, Rows: 70, NoIntercept: true}).plan()},
		{"strength by a test", d.FitLinear(RelativeGaussianDescent{Epsilon: 1, Delta: 1e-6, Strength: Test(0.2, Tested{Share: 0.1, Delta: 1e-9})}).plan()},
		{"multinomial gradient", d.FitConvex(SoftmaxLoss{}, ByGradient{Solver: ByIteration{}, Epsilon: 1, Delta: 1e-6, Average: AverageLast}).plan()},
		{"both classes", d.FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 1, Delta: 1e-6, Method: baseline.WeakContraction}, Link: LinkProbit, NoIntercept: true}).plan()},
		{"logistic link", d.FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 1, Delta: 1e-6}, Link: LinkLogistic}).plan()},
		{"an odd column", d.Histogram("a \"b\"\n\u00e9", Target{Epsilon: 1e-300, Noise: "laplace"}).plan()},
		{"extreme numbers", d.ClipColumns(math.Inf(-1), math.NaN(), "a").ClipNorm(0.1+0.2).Bin([]float64{-1e300, 5e-324, 1e21}, "a").plan0()},
		{"no columns", d.Select().Impute(Fixed{}).Mutate("", MutateOptions{From: []string{}}).plan0()},
		{"tests", d.PCA(Hard{K: 3, Gap: Bound(Tested{Share: 0.25, Delta: 1e-9})}).Dedup(Ball{Eta: 1, MaxBlock: Test(7, Tested{Share: 0.25, Delta: 1e-9})}, "k").Standardize(Standard{MinSpread: Test(0.5, Tested{Share: 0.1, Delta: 1e-9}), Gain: 1}).plan0()},
		{"ramp, centred", d.PCA(Ramp{Start: 0.1, Width: 0.3, Centered: true}).Standardize(PrivateRMS{Share: 0.1, Floor: 0.2}, "b", "a").QuantizeBall(Ball{Eta: 2, MaxBlock: Declare(9)}).plan0()},
	}
}

// youngerPlans are of the kinds that are younger than identities of version 5: no ledger with frozen texts can hold them.
func youngerPlans(d Pipeline) []frozenPlan {
	return []frozenPlan{
		{"largest values", d.Scale().MaxAbs(0.5).plan0()},
		{"table", d.By("work", "a \"b\"").Count().Sum("age").Mean("age").Share("work", "b").Table(Target{Epsilon: 1, Delta: 1e-6}).plan()},
		{"codebook", d.Codebook("work", "rest", "b", "a \"b\"").plan0()},
		{"found", d.By("work", "a \"b\"").People().Mean("age").Found(Target{Epsilon: 1, Delta: 1e-6}).plan()},
		{"choice", d.Choose(Target{Epsilon: 20}, tiltedModels(d)...).plan()},
		{"variances", d.By("work").Variance("age").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()},
		{"margins", d.By("work").Count().Within(30, 0.95).Quantile(0.5, "age").Within(60, 0.9).Table(Target{Epsilon: 1, Delta: 1e-6}).plan()},
		{"medians", d.By("work").Quantile(0.5, "age").Quantile(0.25, "age").Table(Target{Epsilon: 1}).plan()},
		{"where", d.Where(Or(Is("work", "a", "b"), Not(Between("age", 20, 60))), And()).plan0()},
		{"days", d.Where(During("age", "2024-01-01", "2024-02-29")).Calendar("age", frames.Month, frames.AgeOn("2024-02-29")).plan0()},
		{"people", d.PerPerson(CountRows{Max: 10}, PersonLabel{Of: SumOf{Column: "x", Hi: 3, As: "all x"}}).plan0()},
		{"score", d.Score(Target{Epsilon: 2, Delta: 1e-6}, tiltedModels(d)[1]).plan()},
		{"cumulative", d.Bin([]float64{30, 50}, "age").By("age").Count().Share("income", "high").Cumulative(Target{Epsilon: 2, Delta: 1e-6}).plan()},
		{"correlation", d.Impute(Mean{}, "pay").Correlation(Target{Epsilon: 2, Delta: 1e-6}, "age", "pay").plan()},
		{"holdout", setAside(d, 0.25).plan0()},
		{"join", d.Join(townsOfTest(2), "town").plan0()},
		{"top", d.TopK(2, Target{Epsilon: 1}, "work", "a \"b\"").plan()},
		{"two tables", ofTwoTables(d).plan0()},
		{"totals", d.By("work").People().Total("age", 0, 50.5).MeanTotal("age", 0, 50.5).Table(Target{Epsilon: 1, Delta: 1e-6}).plan()},
		{"private bounds", d.Winsorize(PrivateBounds{Share: 0.1, GuessLo: 20, GuessHi: 60}, "age").plan0()},
		{"bound", d.Bound(Contributing{Rows: 6, Groups: 3, RowsPerGroup: 2, By: []string{"work"}}).plan0()},
		{"people of groups", d.Bound(Contributing{Rows: 6}).By("work").People().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()},
	}
}

// plan0 is a plan of that chain.
func (p Pipeline) plan0() *plan { return p.Mean(Target{Epsilon: 1, Delta: 1e-6}).plan() }

// frozenPlans are the releases that a frozen ledger holds, of every kind of step, mechanism and parameter.
func frozenPlans(s *Session, name string) []frozenPlan {
	switch d := s.Data(); name {
	case "people":
		return append(frozenSteps(d), frozenLogistic(d)...)
	case "zeroed":
		return frozenZeroed(d)
	case "numbers":
		return frozenNumbers(d)
	case "zeroed-numbers":
		return []frozenPlan{
			{"Sheffet", d.Scale().FitLinear(baseline.Sheffet2017{Epsilon: 1, Delta: 1e-7}).plan()},
			{"linear", d.Scale().FitLinear(BestLinear{Epsilon: 1, Delta: 1e-7}).plan()},
			{"gram", d.Scale().Gram(frozenTarget).plan()},
		}
	case "counts":
		t := ByObjective{Epsilon: 0.5, Delta: 1e-7}
		return []frozenPlan{
			{"poisson", d.Scale().FitPoisson(PoissonLoss{}, t).plan()},
			{"poisson in full", d.Scale().FitPoisson(PoissonLoss{MaxCount: 9, Rate: 2}, ByObjective{Epsilon: 0.5, Delta: 1e-7, Lambda: 40, Alone: true}).plan()},
			{"poisson coefficients", d.Scale().FitPoisson(PoissonLoss{}, t).WithoutPrediction().Named("coefficients").plan()},
		}
	case "classes":
		return []frozenPlan{
			{"multinomial", d.Scale().FitMultinomial(ByObjective{Epsilon: 0.5, Delta: 1e-7}).plan()},
			{"multinomial in full", d.Scale().FitMultinomial(ByObjective{Epsilon: 0.5, Delta: 1e-7, Lambda: 40}).plan()},
			{"softmax", d.Scale().FitConvex(nil, ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 5}).plan()},
			{"softmax by name", d.Scale().FitConvex(SoftmaxLoss{}, ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 5}).plan()},
		}
	default:
		return frozenBoundless(d)
	}
}

var (
	frozenTarget  = Target{Epsilon: 0.2, Delta: 1e-7}
	frozenLaplace = Target{Epsilon: 0.1, Noise: NoiseLaplace}
)

// frozenSteps ask for means behind every kind of step.
func frozenSteps(d Pipeline) []frozenPlan {
	certified := Tested{Share: 0.1, Delta: 1e-8}
	filled := d.OneHot().Impute(Midpoint{}).Scale()
	numbers := d.Select("age", "pay").Impute(Midpoint{})
	end := func(p Pipeline) Pipeline { // as far as there is something to encode and to impute
		category := func(c frames.Column) bool { return c.Kind == frames.KindCategory }
		if slices.ContainsFunc(must(p.Schema()).Features(), category) {
			p = p.OneHot()
		}
		if slices.ContainsFunc(must(p.Schema()).Features(), func(c frames.Column) bool { return c.Missing }) {
			p = p.Impute(Midpoint{})
		}
		return p.Scale()
	}
	var out []frozenPlan
	for _, c := range []struct {
		name string
		p    Pipeline
	}{
		{"one-hot", end(d)},
		{"one-hot of two", end(d.OneHot("work", "home"))},
		{"clip norm", filled.ClipNorm(0.8)},
		{"clip columns", end(d.ClipColumns(20, 60.5, "age"))},
		{"quantize", end(d.Quantize(0.5, "pay"))},
		{"bin", end(d.Bin([]float64{30, 60}, "age"))},
		{"ordinal", end(d.Ordinal())},
		{"ordinal of one", end(d.Ordinal("work"))},
		{"indicate", end(d.OneHot().Indicate("pay", "work"))},
		{"select", end(d.Select("work", "age"))},
		{"drop", end(d.Drop("home"))},
		{"mutate", end(d.Mutate("w", MutateOptions{From: []string{"age", "pay"}, Func: "test.slope", Version: "1", Lo: 0, Hi: 90}))},
		{"mutate displaced", end(d.Impute(Mean{}, "pay").Mutate("w", MutateOptions{From: []string{"age", "pay"}, Func: "test.slope", Version: "1", Lo: 0, Hi: 90, Lipschitz: 1.5}))},
		{"fixed", end(d.Impute(Fixed{Value: 1.5}, "pay"))},
		{"mean", end(d.OneHot().Impute(Mean{}))},
		{"mean with a pad", end(d.Impute(Mean{Pad: 60}, "pay"))},
		{"mean of few missing", end(d.Impute(Mean{MaxMissing: Declare(60)}, "pay"))},
		{"mean of many observed", end(d.Impute(Mean{MinObserved: Bound(certified)}, "pay"))},
		{"trimmed", end(d.Impute(TrimmedMean{Trim: 0.1, Pad: 70}, "pay"))},
		{"trimmed, certified", end(d.Impute(TrimmedMean{Trim: 0.1, MaxMissing: Declare(50), MinObserved: Declare(60)}, "pay"))},
		{"median", end(d.Impute(Median{}, "pay"))},
		{"median of few missing", end(d.Impute(Median{MaxMissing: Bound(certified)}, "pay"))},
		{"ridge", filled.Impute(Midpoint{})}, // replaced below: the ridge wants columns that may miss
		{"private mean", end(d.OneHot().Impute(PrivateMean{Share: 0.2}))},
		{"dedup", end(d.Dedup(Exact{}))},
		{"dedup by a key", end(d.Dedup(Exact{}, "age"))},
		{"dedup by a grid", end(d.Dedup(Grid{Width: 2}, "age"))},
		{"dedup by a grid's smallest", end(d.Dedup(Grid{Width: 2, Representative: CellSmallest}, "age"))},
		{"dedup by balls", end(d.Select("age").Dedup(Ball{Eta: 0.1, MaxCluster: 3}))},
		{"dedup by balls, declared", end(d.Select("age").Dedup(Ball{Eta: 0.1, MaxCluster: 3, Declared: true}))},
		{"dedup by balls in blocks", end(d.Select("age").Dedup(Ball{Eta: 0.1, MaxBlock: Declare(30)}))},
		{"quantize balls", end(d.Select("age").QuantizeBall(Ball{Eta: 0.1, MaxCluster: 3}))},
		{"centre", numbers.Scale().Center()},
		{"standard", numbers.Scale().Standardize(Standard{Floor: 0.1, Gain: 0.2})},
		{"standard, certified", numbers.Scale().Standardize(Standard{MinSpread: Declare(0.1)}, "age")},
		{"rms", numbers.Scale().Standardize(RMS{Floor: 0.1}, "age")},
		{"private rms", numbers.Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.1, Gain: 0.2})},
		{"private standard", numbers.Scale().Standardize(PrivateStandard{Share: 0.1, Floor: 0.1})},
		{"winsorize", numbers.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, "age").Scale()},
		{"winsorize publicly", numbers.Winsorize(PublicQuantiles{Lo: []float64{20}, Hi: []float64{70}}, "age").Scale()},
		{"soft selection", filled.SelectFeatures(SoftSelect{Lambda: 0.01})},
		{"soft threshold", filled.PCA(SoftThreshold{Lambda: 0.1})},
		{"soft threshold, centred", filled.PCA(SoftThreshold{Lambda: 0.1, Centered: true})},
		{"tikhonov", filled.PCA(Tikhonov{Lambda: 0.1})},
		{"tikhonov, centred", filled.PCA(Tikhonov{Lambda: 0.1, Centered: true})},
		{"ramp", filled.PCA(Ramp{Start: 0.1, Width: 0.3})},
		{"hard", filled.PCA(Hard{K: 1, Gap: Declare(0.2)})},
		{"private components", filled.PCA(PrivateComponents{K: 2, Share: 0.2})},
		{"target", end(d.TargetEncode(TargetPrior{Weight: 10, Value: 0.5}))},
		{"target of one", end(d.TargetEncode(TargetPrior{Weight: 10}, "work"))},
		{"frequency", end(d.FrequencyEncode("work"))},
		{"rank", end(d.RankTransform("age"))},
		{"quantile bin", end(d.QuantileBin(4, "age"))},
		{"cell means", end(d.QuantizeMeans(CellMean{Width: 1, Weight: 5}, "pay"))},
		{"step of one's own", filled.With(halve{1})},
		{"step of one's own, twice", filled.With(halve{1}).With(halve{2})},
	} {
		if c.name == "ridge" {
			encoded := d.OneHot().Impute(Midpoint{}, "work", "home").Scale()
			out = append(out,
				frozenPlan{"ridge", encoded.Impute(Ridge{Lambda: 0.5}, "pay").Mean(frozenTarget).plan()},
				frozenPlan{"ridge in full", encoded.Impute(Ridge{Lambda: 0.5, On: []string{"age", "work"}, Pad: 60, MaxMissing: Declare(70), MinEigen: Declare(10)}, "pay").Mean(frozenTarget).plan()})
			continue
		}
		out = append(out, frozenPlan{c.name, c.p.Mean(frozenTarget).plan()})
	}
	refusing := Tested{Share: 0.1, Delta: 1e-8}
	return append(out,
		frozenPlan{"a test that refuses", end(d.Impute(Mean{MaxMissing: Test(1, refusing)}, "pay")).Mean(frozenTarget).plan()},
		frozenPlan{"a gap test", filled.PCA(Hard{K: 1, Gap: Test(0.01, refusing)}).Mean(frozenTarget).plan()},
		frozenPlan{"means by Laplace", filled.Mean(frozenLaplace).plan()},
		frozenPlan{"sum", filled.Sum(frozenTarget).plan()},
		frozenPlan{"sum of one", filled.Sum(frozenTarget, "age").plan()},
		frozenPlan{"sum by Laplace", filled.Sum(frozenLaplace, "age").plan()},
		frozenPlan{"count", d.Count(frozenTarget, Is("work", "a", "b"), Between("age", 20, 40.5)).plan()},
		frozenPlan{"count of a class", d.Count(frozenTarget, Is("income", "high")).plan()},
		frozenPlan{"count of distinct rows", d.Dedup(Exact{}).Count(frozenTarget).plan()},
		frozenPlan{"count by Laplace", d.Count(frozenLaplace, Is("income", "high")).plan()},
		frozenPlan{"histogram", d.Histogram("work", frozenTarget).plan()},
		frozenPlan{"histogram of the label", d.Histogram("income", frozenTarget).plan()},
		frozenPlan{"histogram by Laplace", d.Histogram("home", frozenLaplace).plan()},
		frozenPlan{"quantile", d.Quantile(Target{Epsilon: 0.2}, 0.5, "age").plan()},
		frozenPlan{"quantile of candidates", d.Quantile(Target{Epsilon: 0.2}, 0.25, "age", 20, 30, 40.5).plan()},
		frozenPlan{"gram", filled.Gram(frozenTarget).plan()},
		frozenPlan{"named", d.Histogram("work", frozenTarget).Named("wards").plan()},
	)
}

// frozenLogistic are the models of two classes.
func frozenLogistic(d Pipeline) []frozenPlan {
	p := d.OneHot().Impute(Midpoint{}).Scale()
	t := ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 10}
	full := ByGradient{Epsilon: 0.5, Delta: 1e-7, MaxNorm: 10, TaintedNorm: 5, Clip: 0.5, Steps: 10, StepSize: 0.5, NoIntercept: true}
	out := []frozenPlan{
		{"logistic", p.FitLogistic(t).plan()},
		{"logistic in full", d.OneHot().Impute(Mean{}).Scale().FitLogistic(full).plan()},
		{"logistic behind private scales", d.Select("age", "pay").Impute(PrivateMean{Share: 0.1}).Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.1}).FitLogistic(t).plan()},
		{"logistic coefficients", p.FitLogistic(t).Named("coefficients").WithoutPrediction().plan()},
		{"objective", p.FitLogistic(ByObjective{Epsilon: 0.5, Delta: 1e-7}).plan()},
		{"objective with lambda", p.FitLogistic(ByObjective{Epsilon: 0.5, Delta: 1e-7, Lambda: 60}).plan()},
		{"logistic by mixing", p.FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-7}).plan()},
		{"logistic by mixing in full", p.FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-7, Range: 2, Rows: 90, LabelScale: 0.5, NoIntercept: true}).plan()},
		{"hinge", p.FitHinge(HingeLoss{}, ByObjective{Epsilon: 0.5, Delta: 1e-7}).plan()},
		{"hinge in full", p.FitHinge(HingeLoss{Width: 1}, ByObjective{Epsilon: 0.5, Delta: 1e-7, Lambda: 60}).plan()},
	}
	for _, g := range []struct {
		name string
		g    convexOptions
	}{
		{"gradient", convexOptions{}},
		{"gradient, log loss", convexOptions{Loss: LogLoss{}, Solver: FullBatch{}}},
		{"gradient, hinge", convexOptions{Loss: SquaredHingeLoss{}, MaxNorm: 10, TaintedNorm: 5, Clip: 0.5, StepSize: 0.5, NoIntercept: true}},
		{"gradient, Poisson", convexOptions{Solver: PoissonSampling{}, Rule: StepInverseSqrt, Average: AverageAll}},
		{"gradient, Poisson rate", convexOptions{Solver: PoissonSampling{Rate: 0.2}, Rule: StepInverse, Average: AverageLast}},
		{"gradient, batches", convexOptions{Solver: WithoutReplacement{}}},
		{"gradient, batches of 20", convexOptions{Solver: WithoutReplacement{Batch: 20}}},
		{"gradient, by iteration", convexOptions{Solver: ByIteration{}}},
	} {
		g.g.Epsilon, g.g.Delta = 0.5, 1e-7
		if _, ok := g.g.Solver.(ByIteration); !ok {
			g.g.Steps = 5
		}
		out = append(out, frozenPlan{g.name, p.FitConvex(g.g.apart()).plan()})
	}
	return out
}

// frozenZeroed are releases under add/remove, some of which exist there alone.
func frozenZeroed(d Pipeline) []frozenPlan {
	p := d.OneHot().Impute(Midpoint{}).Scale()
	o := ByObjective{Epsilon: 0.5, Delta: 1e-7}
	return []frozenPlan{
		{"means", p.Mean(frozenTarget).plan()},
		{"mean", d.OneHot().Impute(Mean{}).Scale().Mean(frozenTarget).plan()},
		{"histogram", d.Histogram("work", frozenTarget).plan()},
		{"objective alone", p.FitLogistic(ByObjective{Epsilon: 0.5, Delta: 1e-7, Alone: true}).plan()},
		{"objective by Kifer", p.FitLogistic(baseline.Kifer2012{Epsilon: 0.5, Delta: 1e-7}).plan()},
		{"report", p.FitLogisticWithReport(o, PrivacyReport{Rho: 1e-9}).plan()},
		{"report with statistics", p.FitLogisticWithReport(o, PrivacyReport{Rho: 1e-9, Share: 0.3, Gradient: 2, Hessian: 1, Eigenvalue: 1}).plan()},
		{"hinge alone", p.FitHinge(HingeLoss{}, ByObjective{Epsilon: 0.5, Delta: 1e-7, Alone: true}).plan()},
	}
}

// frozenNumbers are the models of a number, and sketches.
func frozenNumbers(d Pipeline) []frozenPlan {
	p := d.Scale()
	out := []frozenPlan{
		{"sketch", p.GaussMix(Sketching{Epsilon: 1, Delta: 1e-7}).plan()},
		{"sketch in full", p.GaussMix(Sketching{Epsilon: 1, Delta: 1e-7, Rows: 40, LabelScale: 0.5}).plan()},
		{"huber", p.FitHuber(HuberLoss{}, ByObjective{Epsilon: 0.5, Delta: 1e-7}).plan()},
		{"huber in full", p.FitHuber(HuberLoss{Knee: 0.4}, ByObjective{Epsilon: 0.5, Delta: 1e-7, Lambda: 60}).plan()},
		{"gradient, squares", p.FitConvex(SquaredLoss{}, ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 5}).plan()},
		{"gradient, huber", p.FitConvex(HuberLoss{}, ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 5}).plan()},
		{"gradient, huber at", p.FitConvex(HuberLoss{Knee: 0.5}, ByGradient{Epsilon: 0.5, Delta: 1e-7, Steps: 5}).plan()},
		{"local", p.TrainLocally(local.Training{Epsilon: 0.5, Delta: 1e-7, Rounds: 2, Noise: models.ClippedNoise, Ridge: 0.1, Clip: 1}, frozenPoints(0, 0, 0, 0)).plan()},
		{"local in full", p.TrainLocally(local.Training{Epsilon: 2, Delta: 1e-6, Rounds: 2, Noise: models.RelativeNoise, Ridge: 0.5, MaxNorm: 8, Strength: Declare(0.5), NoIntercept: true}, frozenPoints(0, 0, 0)).plan()},
	}
	for _, c := range []struct {
		name string
		l    LinearMethod
	}{
		{"linear", BestLinear{Epsilon: 1, Delta: 1e-7}},
		{"linear, mixing", LinearMixing{Epsilon: 1, Delta: 1e-7}},
		{"linear, mixing in full", LinearMixing{Epsilon: 1, Delta: 1e-7, Rows: 60, LabelScale: 0.5, NoIntercept: true}},
		{"linear, mixing, coefficients", LinearMixing{Epsilon: 1, Delta: 1e-7, CoefficientsOnly: true}},
		{"linear, AdaSSP", AdaSSP{Epsilon: 1, Delta: 1e-7, LabelScale: 0.5}},
		{"linear, output", OutputPerturbation{Epsilon: 1, Delta: 1e-7}},
		{"linear, output in full", OutputPerturbation{Epsilon: 1, Delta: 1e-7, Ridge: 0.2, MaxNorm: 3}},
		{"linear, relative", RelativeGaussianDescent{Epsilon: 1, Delta: 1e-7}},
		{"linear, relative in full", RelativeGaussianDescent{Epsilon: 2, Delta: 1e-7, Ridge: 0.3, Steps: 3, Strength: Declare(0.3)}},
		{"linear, Sheffet, exact", baseline.Sheffet2017{Epsilon: 1, Delta: 1e-7, Rows: 60, Exact: true}},
	} {
		out = append(out, frozenPlan{c.name, p.FitLinear(c.l).plan()})
	}
	return out
}

func frozenPoints(theta ...float64) *fixedPoints {
	return &fixedPoints{points: [][]float64{theta, theta, theta}}
}

// frozenBoundless are releases of columns without bounds.
func frozenBoundless(d Pipeline) []frozenPlan {
	o := Unbounded{Epsilon: 2, Delta: 1e-6}
	full := Unbounded{Epsilon: 2, Delta: 1e-6, Method: baseline.Naive, Smallest: 0.01, Largest: 100}
	return []frozenPlan{
		{"second moment", d.SecondMoment(o).plan()},
		{"second moment in full", d.SecondMoment(full).plan()},
		{"covariance", d.Covariance(o).plan()},
		{"weak contraction", d.Covariance(Unbounded{Epsilon: 2, Delta: 1e-6, Method: baseline.WeakContraction}).plan()},
		{"unbounded", d.FitUnbounded(UnboundedLinear{Unbounded: o}).plan()},
		{"unbounded through 0", d.FitUnbounded(UnboundedLinear{Unbounded: full, NoIntercept: true}).plan()},
		{"mean", d.UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6}).plan()},
		{"mean in full", d.UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6, Failure: 3e-7}).plan()},
		{"mean by Laplace", d.UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6, Locator: BinsLaplace}).plan()},
		{"mean, pure", d.UnboundedMean(UnboundedMeans{Epsilon: 1.5, Locator: BinsPure}).plan()},
		{"clipped", d.ClipColumns(-math.Pi, math.Pi, "u", "v").Quantile(Target{Epsilon: 0.2}, 0.5, "u").plan()},
	}
}

// setAside is the test side of a holdout.
func setAside(p Pipeline, share float64) Pipeline {
	_, test := p.Holdout(share)
	return test
}

// ofTwoTables is a chain over the session's table and a further one, which the session is told of.
func ofTwoTables(d Pipeline) Pipeline {
	t := &Session{schema: mustSchema(frames.Person("id"), frames.Numeric("dose", 0, 1)), rows: d.s.rows, neighbours: d.s.neighbours, tables: d.s.tables, second: "drugs"}
	d.s.tables.add(t)
	return d.PerPerson(CountRows{Max: 10}).JoinPeople(t.Data().Where(Between("dose", 0, 0.5)).PerPerson(CountRows{Max: 5, As: "drugs"}))
}
