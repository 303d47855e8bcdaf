package dpkit

import (
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/local"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/frames"
)

// mechanismEntry shows a kind of release at the end of a chain, as it is used.
type mechanismEntry struct {
	kind string
	data string // one of frozenData
	rel  accountant.Neighbours
	end  func(d Pipeline) *plan
	// beside is the mechanism behind a step that can be taken in several ways; nil if there is none, and alone says why.
	beside func(d Pipeline) *plan
	alone  string
}

const publicChains = "it wants the rows as they were read, or public steps"

// mechanismEntries has every kind of release once, with each of its options where it has a choice of them.
func mechanismEntries() []mechanismEntry {
	t := Target{Epsilon: 1, Delta: 1e-6}
	filled := func(d Pipeline) Pipeline { return d.OneHot().Impute(Midpoint{}).Scale() }
	meant := func(d Pipeline) Pipeline { return d.OneHot().Impute(Mean{}).Scale() }
	private := func(d Pipeline) Pipeline { return d.OneHot().Impute(PrivateMean{Share: 0.1}).Scale() }
	measured := func(d Pipeline) Pipeline { return d.Scale().Standardize(PrivateRMS{Share: 0.1, Floor: 0.1}) }
	centred := func(d Pipeline) Pipeline { return d.Scale().Center() }
	behind := func(p func(Pipeline) Pipeline, end func(Pipeline) *plan) func(Pipeline) *plan {
		return func(d Pipeline) *plan { return end(p(d)) }
	}
	same := func(d Pipeline) Pipeline { return d }
	scaled := func(d Pipeline) Pipeline { return d.Scale() }
	means := func(d Pipeline) Pipeline { return d.Impute(Mean{}, "pay") }
	distinct := func(d Pipeline) Pipeline { return d.Dedup(Exact{}, "age") }
	entry := func(kind, data string, rel accountant.Neighbours, first, ways func(Pipeline) Pipeline, alone string, end func(Pipeline) *plan) mechanismEntry {
		e := mechanismEntry{kind: kind, data: data, rel: rel, end: behind(first, end), alone: alone}
		if ways != nil {
			e.beside = behind(ways, end)
		}
		return e
	}
	o := ByObjective{Epsilon: 1, Delta: 1e-6}
	u := Unbounded{Epsilon: 2, Delta: 1e-6}
	return []mechanismEntry{
		entry("means", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan { return p.Mean(t).plan() }),
		entry("sum", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan { return p.Sum(t).plan() }),
		entry("count", "people", ReplaceOne, same, distinct, "", func(p Pipeline) *plan { return p.Count(t, Is("work", "a", "b"), Between("age", 20, 40.5)).plan() }),
		entry("histogram", "people", ReplaceOne, same, distinct, "", func(p Pipeline) *plan { return p.Histogram("work", t).plan() }),
		entry("table", "people", ReplaceOne, same, distinct, "", func(p Pipeline) *plan {
			return p.By("work", "income").Count().Share("income", "high").Table(t).plan()
		}),
		entry("found", "many people", ReplaceOne, same, nil, publicChains, func(p Pipeline) *plan {
			return p.By("work", "income").People().Share("income", "high").Found(t).plan()
		}),
		entry("table/top", "people", ReplaceOne, same, means, "", func(p Pipeline) *plan { return p.TopK(2, t, "work", "income").plan() }),
		entry("quantile", "people", ReplaceOne, same, means, "", func(p Pipeline) *plan { return p.Quantile(Target{Epsilon: 1}, 0.5, "pay").plan() }),
		entry("choice", "many people", ReplaceOne, same, means, "", func(p Pipeline) *plan { return p.Choose(Target{Epsilon: 1}, tiltedModels(p)...).plan() }),
		entry("score", "many people", ReplaceOne, same, means, "", func(p Pipeline) *plan { return p.Score(t, tiltedModels(p)[2]).plan() }),
		entry("cumulative", "people", ReplaceOne, same, distinct, "", func(p Pipeline) *plan {
			return p.Bin([]float64{30, 50, 70}, "age").By("age").Count().Share("income", "high").Cumulative(t).plan()
		}),
		entry("correlation", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan { return p.Correlation(t).plan() }),
		entry("gram", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan { return p.Gram(t).plan() }),
		entry("gaussmix", "numbers", AddRemove, scaled, centred, "", func(p Pipeline) *plan {
			return p.GaussMix(Sketching{Epsilon: 1, Delta: 1e-6, Rows: 20, LabelScale: 0.5}).plan()
		}),
		entry("fit/linear, BestLinear", "numbers", ReplaceOne, scaled, centred, "", func(p Pipeline) *plan {
			return p.FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6}).plan()
		}),
		entry("fit/linear, AdaSSP", "numbers", ReplaceOne, scaled, centred, "", func(p Pipeline) *plan {
			return p.FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5}).plan()
		}),
		entry("fit/linear, LinearMixing", "numbers", AddRemove, scaled, centred, "", func(p Pipeline) *plan {
			return p.FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5, Rows: 30}).plan()
		}),
		entry("fit/linear, OutputPerturbation", "numbers", ReplaceOne, scaled, centred, "", func(p Pipeline) *plan {
			return p.FitLinear(OutputPerturbation{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5, Ridge: 0.5}).plan()
		}),
		entry("fit/linear, RelativeGaussianDescent", "numbers", ReplaceOne, scaled, nil, publicChains, func(p Pipeline) *plan {
			return p.FitLinear(RelativeGaussianDescent{Epsilon: 2, Delta: 1e-6, LabelScale: 0.5, Ridge: 0.5, Steps: 3}).plan()
		}),
		entry("fit/linear, Sheffet2017", "numbers", AddRemove, scaled, nil, publicChains, func(p Pipeline) *plan {
			return p.FitLinear(baseline.Sheffet2017{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5}).plan()
		}),
		entry("fit/huber", "numbers", AddRemove, scaled, measured, "", func(p Pipeline) *plan { return p.FitHuber(HuberLoss{}, ByObjective{Epsilon: 1, Delta: 1e-6}).plan() }),
		entry("fit/gradient", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan {
			return p.FitConvex(LogLoss{}, ByGradient{Solver: FullBatch{}, Epsilon: 1, Delta: 1e-6, Steps: 5}).plan()
		}),
		entry("fit/logistic", "people", ReplaceOne, filled, meant, "", func(p Pipeline) *plan {
			return p.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}).plan()
		}),
		entry("fit/logistic-mixing", "people", AddRemove, filled, meant, "", func(p Pipeline) *plan {
			return p.FitLogistic(ByMixing{Epsilon: 1, Delta: 1e-6, Rows: 30, LabelScale: 0.5}).plan()
		}),
		entry("fit/logistic-objective, ByObjective", "people", AddRemove, filled, private, "", func(p Pipeline) *plan { return p.FitLogistic(o).plan() }),
		entry("fit/logistic-objective, Kifer2012", "people", AddRemove, filled, filled, "", func(p Pipeline) *plan {
			return p.FitLogistic(baseline.Kifer2012{Epsilon: 1, Delta: 1e-6}).plan()
		}),
		entry("fit/hinge", "people", AddRemove, filled, private, "", func(p Pipeline) *plan { return p.FitHinge(HingeLoss{}, ByObjective{Epsilon: 1, Delta: 1e-6}).plan() }),
		entry("fit/logistic-report, ByObjective", "people", AddRemove, filled, filled, "", func(p Pipeline) *plan {
			return p.FitLogisticWithReport(o, PrivacyReport{Rho: 1e-9, Share: 0.25}).plan()
		}),
		entry("fit/logistic-report, Kifer2012", "people", AddRemove, filled, filled, "", func(p Pipeline) *plan {
			return p.FitLogisticWithReport(baseline.Kifer2012{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: 1e-9}).plan()
		}),
		entry("fit/multinomial", "classes", AddRemove, scaled, measured, "", func(p Pipeline) *plan {
			return p.FitMultinomial(ByObjective{Epsilon: 1, Delta: 1e-6}).plan()
		}),
		entry("fit/poisson", "counts", AddRemove, scaled, measured, "", func(p Pipeline) *plan {
			return p.FitPoisson(PoissonLoss{}, ByObjective{Epsilon: 1, Delta: 1e-6}).plan()
		}),
		entry("train/local", "numbers", ReplaceOne, scaled, nil, publicChains, func(p Pipeline) *plan {
			return p.TrainLocally(local.Training{Epsilon: 1, Delta: 1e-6, Rounds: 2, Noise: models.ClippedNoise, Ridge: 0.5, Clip: 1}, frozenPoints(0, 0, 0, 0)).plan()
		}),
		entry("fit/unbounded", "boundless", ReplaceOne, same, nil, publicChains, func(p Pipeline) *plan {
			return p.FitUnbounded(UnboundedLinear{Unbounded: u}).plan()
		}),
		entry("mean/unbounded", "boundless", ReplaceOne, same, nil, publicChains, func(p Pipeline) *plan {
			return p.UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6}).plan()
		}),
		entry("moments/second", "boundless", ReplaceOne, same, nil, publicChains, func(p Pipeline) *plan { return p.SecondMoment(u).plan() }),
		entry("moments/covariance", "boundless", ReplaceOne, same, nil, publicChains, func(p Pipeline) *plan { return p.Covariance(u).plan() }),
	}
}

// entryData are the tables of the entries: a choice asks for more rows than frozen ledgers have.
func entryData(t *testing.T) map[string]*frames.Frame {
	data := frozenData(t)
	data["many people"] = tinyFrame(t, 2400, 5)
	return data
}

// everyMechanism runs a check for each kind of release. A kind without an entry fails by its name, and so does an entry without a kind.
func everyMechanism(t *testing.T, check func(t *testing.T, e mechanismEntry, d Pipeline, m knownMechanism)) {
	t.Helper()
	data := entryData(t)
	entries := map[string]mechanismEntry{}
	for _, e := range mechanismEntries() {
		if _, twice := entries[e.kind]; twice {
			t.Errorf("kind %q: two entries", e.kind)
		}
		entries[e.kind] = e
	}
	for _, m := range knownMechanisms() {
		name := wayName(m.of)
		e, ok := entries[name]
		if !ok {
			t.Errorf("kind %q: no entry in mechanismEntries", name)
			continue
		}
		delete(entries, name)
		t.Run(name, func(t *testing.T) {
			d := must(Demo(data[e.data], 1, e.rel)).Data()
			if is := wayName(e.end(d).m.(kind.Kinded)); is != name {
				t.Fatalf("its entry ends with a %s", is)
			}
			check(t, e, d, m)
		})
	}
	for name := range entries {
		t.Errorf("entry %q: no such kind", name)
	}
}
