package dpkit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/correlation"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// gapped has a column with gaps, groups, and classes.
func gapped() frames.Schema {
	return mustSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.Category("g", "a", "b"), frames.Label("y", "no", "yes"))
}

// filledByOne are tables in which all rows but the first miss x: what they are filled with depends on the first alone.
func filledByOne(n int) (sides [2][][]float64) {
	for side, x := range []float64{1, 0} {
		sides[side] = append([][]float64{{x, 0, 1}}, times(n-1, math.NaN(), 0, 1)...)
	}
	return sides
}

// filled is a chain whose rows are displaced in x.
func filled(p Pipeline) Pipeline { return p.Impute(Mean{Pad: 1}, "x") }

// onGaps is a session on the gapped schema.
func onGaps(t *testing.T) Pipeline {
	return must(Demo(frameOf(t, gapped(), filledByOne(40)[0]), 1, ReplaceOne)).Data()
}

// mechanismConditions are those that mechanisms declare.
func mechanismConditions() map[string][]conditionCase {
	target := Target{Epsilon: 1, Delta: 1e-6}
	displaced := func(says string, end func(Pipeline) *plan, told func(any) float64) conditionCase {
		return conditionCase{
			refused: func(t *testing.T) error { return errOf(end(filled(onGaps(t))).quote()) }, says: says,
			attack: func(t *testing.T) (float64, float64, float64) {
				return forced{
					rel: ReplaceOne, schema: gapped(), sides: filledByOne(300), end: func(p Pipeline) *plan { return end(filled(p)) }, hide: clean, told: told,
				}.shown(t)
			},
		}
	}
	onLevels := func(says string, end func(Pipeline) *plan, told func(any) float64) conditionCase {
		copied := func(p Pipeline) *plan { return end(p.Impute(Midpoint{}, "x").With(relevelled{Column: "g"})) }
		return conditionCase{
			refused: func(t *testing.T) error { return errOf(copied(onGaps(t)).quote()) }, says: says,
			attack: func(t *testing.T) (float64, float64, float64) {
				sides := [2][][]float64{append(times(1, 0, 0, 1), times(299, 0, 1, 1)...), times(300, 0, 1, 1)}
				return forced{rel: ReplaceOne, schema: gapped(), sides: sides, end: copied, hide: clean, told: told}.shown(t)
			},
		}
	}
	pass, objective := ByGradient{Epsilon: 1, Delta: 1e-6, Solver: ByIteration{}}, ByObjective{Epsilon: 1, Delta: 1e-6}
	relative := RelativeGaussianDescent{Epsilon: 2, Delta: 1e-6, LabelScale: 0.5, Ridge: 0.5, Steps: 3}
	reported := func(says string, chain func(t *testing.T) Pipeline) conditionCase {
		return refusedBy(says, "a report has the loss of one row that is there or not, and none of what else moves", func(t *testing.T) error {
			return costOf(chain(t).FitLogisticWithReport(objective, PrivacyReport{Rho: 0.1}))
		})
	}
	return map[string][]conditionCase{
		"table/quantile-displaced": {displaced("could change its rank", func(p Pipeline) *plan {
			return p.By("g").Quantile(0.5, "x").Table(target).plan()
		}, tells(func(t Table) float64 { return t.Quantiles[0].Values[0] }))},
		"found/sum-displaced": {displaced("differs in common rows", func(p Pipeline) *plan {
			return p.By("g").People().Sum("x").Found(target).plan()
		}, tells(func(t Table) float64 { return t.Sums[0][0] }))},
		"score/displaced": {displaced("could change what is predicted", func(p Pipeline) *plan {
			return p.Score(target, tiltedModel(p, 0, 10, -5)).plan()
		}, tells(func(s Score) float64 { return s.Sums[0] }))},
		"score/model-of-another-unit": {
			{attack: modelOfAnother(accountant.PerRow, ReplaceOne)}, {attack: modelOfAnother(accountant.PerPerson, AddRemove)},
		},
		"histogram/displaced": {onLevels("could change its level", func(p Pipeline) *plan { return p.Histogram("g", target).plan() },
			tells(func(e Estimates) float64 { return e.Values[0] }))},
		"table/group-displaced": {onLevels("could change its group", func(p Pipeline) *plan { return p.By("g").Count().Table(target).plan() },
			tells(func(t Table) float64 { return t.Counts[0] }))},
		"condition/displaced": {
			displaced("could come to meet", func(p Pipeline) *plan { return p.Count(target, Between("x", 0.5, 1)).plan() },
				tells(func(e Estimates) float64 { return e.Values[0] })),
		},
		"table/people-out-of-order": {
			refusedBy("an earlier step", "people are counted by their places, and no rows are left at them", func(t *testing.T) error {
				return costOf(visiting(t).Bound(Contributing{Rows: 2}).Dedup(Exact{}).By("ward").People().Table(target))
			}),
		},
		"top-k/people-out-of-order": {
			refusedBy("an earlier step", "a count by places is of nobody", func(t *testing.T) error {
				return costOf(visiting(t).Bound(Contributing{Rows: 2}).Dedup(Exact{}).TopK(2, target, "ward"))
			}),
			refusedBy("an earlier step", "a count by places is of nobody", func(t *testing.T) error {
				return costOf(visiting(t).PerPerson(MostFrequent{Column: "ward"}, MeanOf{Column: "stay"}).Dedup(Exact{}, "mean of stay").TopK(2, target, "ward"))
			}),
		},
		"found/freed-rows": {{
			refused: func(t *testing.T) error {
				return costOf(onGaps(t).Dedup(Exact{}, "g").By("g").Count().Found(target))
			},
			says:   "a person moves",
			attack: freedRow,
		}},
		"found/people-out-of-order": {refusedBy("out of the order of people", "people are counted by their places, and no rows are left at them", func(t *testing.T) error {
			return costOf(visiting(t).Bound(Contributing{Rows: 2}).Dedup(Exact{}).By("ward").People().Found(target))
		})},
		"table/quantiles-after-queries": {refusedBy("no share beside them", "quantiles have no law for a part of a target", func(t *testing.T) error {
			return costOf(onGaps(t).Impute(PrivateMean{Share: 0.1}, "x").By("g").Quantile(0.5, "x").Table(target))
		})},
		"gradient/freed-rows": {refusedBy("it is priced for one", "sampled batches have no law for several rows", func(t *testing.T) error {
			return costOf(onPeople(t, ReplaceOne).Dedup(Exact{}, "age").OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: PoissonSampling{}}))
		})},
		"gradient/pass-out-of-order": {
			refusedBy("needs an order", "a pass has no law for rows that change places", func(t *testing.T) error {
				return costOf(onPeople(t, ReplaceOne).Quantize(1, "age").Dedup(Exact{}).OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, pass))
			}),
			refusedBy("needs an order", "a pass has no law for rows that change places", func(t *testing.T) error {
				return costOf(must(Demo(must(frames.Check(t.Context(), inOrderOfAge{tinyFrame(t, 60, 3)})), 1, ReplaceOne)).Data().OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, pass))
			}),
			refusedBy("needs an order", "a pass has no law for places without a row", func(t *testing.T) error {
				return costOf(onPeople(t, ReplaceOne).Where(Is("work", "a")).OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, pass))
			}),
		},
		"gradient/pass-not-convex": {refusedBy("not those of convex functions", "the bound of a pass is of steps that contract, and rests on nothing else", func(t *testing.T) error {
			return costOf(on(t, "classes").FitConvex(SoftmaxLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: ByIteration{}, Clip: 0.5}))
		})},
		"gradient/pass-long-step": {refusedBy("2/β", "the bound of a pass is of steps that contract, and rests on nothing else", func(t *testing.T) error {
			return costOf(onPeople(t, ReplaceOne).OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: ByIteration{}, StepSize: 50}))
		})},
		"gradient/without-replacement": {refusedBy("use PoissonSampling", "batches of a private number of rows have no law", func(t *testing.T) error {
			return costOf(onPeople(t, AddRemove).OneHot().Impute(Midpoint{}).Scale().FitConvex(LogLoss{}, ByGradient{Epsilon: 1, Delta: 1e-6, Solver: WithoutReplacement{}}))
		})},
		"objective/alone-after-queries": {refusedBy("leave Alone out", "it has no Gaussian to share a target with", func(t *testing.T) error {
			return costOf(onPeople(t, AddRemove).OneHot().Impute(PrivateMean{Share: 0.1}).Scale().FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6, Alone: true}))
		})},
		"objective/displaced": {refusedBy("rows were displaced", "its law is of rows that stay", func(t *testing.T) error {
			return costOf(onPeople(t, AddRemove).OneHot().Impute(Mean{}).Scale().FitLogistic(objective))
		})},
		"objective/freed-rows": {refusedBy("may change with one", "its law is of one row", func(t *testing.T) error {
			return costOf(on(t, "numbers").Scale().Dedup(Ball{Eta: 0.1, MaxCluster: 2}).FitHuber(HuberLoss{}, objective))
		})},
		"mixing/after-queries": {refusedBy("cannot share its target", "it has no Gaussian to share a target with", func(t *testing.T) error {
			return afterQueries(onRemoved(t, "numbers").Scale().FitLinear(LinearMixing{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5, Rows: 30}).plan())
		})},
		"mixture/freed-rows": {refusedBy("is priced for one", "its law is of one row", func(t *testing.T) error {
			return costOf(onRemoved(t, "numbers").Scale().Dedup(Exact{}, "a").GaussMix(Sketching{Epsilon: 1, Delta: 1e-6, Rows: 20, LabelScale: 0.5}))
		})},
		"mixture/eigenvalue-displaced": {refusedBy("smallest eigenvalue has no price", "its law is of rows that stay", func(t *testing.T) error {
			return costOf(onRemoved(t, "numbers").Scale().Center().GaussMix(Sketching{Epsilon: 1, Delta: 1e-6, Rows: 20, LabelScale: 0.5, ReleaseEigenvalue: true}))
		})},
		"sheffet/displaced": {refusedBy("smallest eigenvalue has no price", "its law is of rows that stay", func(t *testing.T) error {
			return costOf(onRemoved(t, "numbers").Scale().Center().FitLinear(baseline.Sheffet2017{Epsilon: 1, Delta: 1e-6, LabelScale: 0.5}))
		})},
		"relative/after-queries": {refusedBy("cannot share its target", "it has no Gaussian to share a target with", func(t *testing.T) error {
			return afterQueries(on(t, "numbers").Scale().FitLinear(relative).plan())
		})},
		"relative/displaced": {
			refusedBy("displace or free rows", "its law is of rows that stay", func(t *testing.T) error {
				return costOf(on(t, "numbers").Scale().Center().FitLinear(relative))
			}),
			refusedBy("displace or free rows", "its law is of one row", func(t *testing.T) error {
				return costOf(on(t, "numbers").Scale().Dedup(Exact{}, "a").FitLinear(relative))
			}),
		},
		"unbounded/mean-displaced": {
			refusedBy("displaced or removed", "its bins are of rows that stay", func(t *testing.T) error {
				return costOf(on(t, "numbers").With(nudge{Column: "a", By: 1e-3}).UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6}))
			}),
			refusedBy("displaced or removed", "its bins are of one row", func(t *testing.T) error {
				return costOf(on(t, "numbers").Dedup(Exact{}, "a").UnboundedMean(UnboundedMeans{Epsilon: 2, Delta: 1e-6}))
			}),
		},
		"unbounded/moments-displaced": {refusedBy("were displaced", "rows without bounds are not displaced by a number", func(t *testing.T) error {
			return costOf(on(t, "numbers").With(nudge{Column: "a", By: 1e-3}).SecondMoment(Unbounded{Epsilon: 2, Delta: 1e-6}))
		})},
		"unbounded/no-bounds": {refusedBy("no public bounds are declared", "a row may move it by any number", func(t *testing.T) error {
			return costOf(on(t, "boundless").Mean(target))
		})},
		"unbounded/texts": {refusedBy("no codebook lists", "a text has no number", func(t *testing.T) error {
			return costOf(must(Demo(visitsOf(t, 9, commonCodes), 1, ReplaceOne)).Data().Bound(Contributing{Rows: 2}).Mean(target))
		})},
		"report/share-alone": {
			refusedBy("want ByObjective without Alone", "it has no Gaussian to share a target with", func(t *testing.T) error {
				return costOf(publicSteps(onPeople(t, AddRemove)).FitLogisticWithReport(ByObjective{Epsilon: 1, Delta: 1e-6, Alone: true}, PrivacyReport{Rho: 0.1, Share: 0.1}))
			}),
			refusedBy("want ByObjective without Alone", "it has no Gaussian to share a target with", func(t *testing.T) error {
				return costOf(publicSteps(onPeople(t, AddRemove)).FitLogisticWithReport(baseline.Kifer2012{Epsilon: 1, Delta: 1e-6}, PrivacyReport{Rho: 0.1, Share: 0.5}))
			}),
		},
		"report/replaced-rows": {reported("use AddRemove", func(t *testing.T) Pipeline { return publicSteps(onPeople(t, ReplaceOne)) })},
		"report/removed-rows":  {reported("removes rows", func(t *testing.T) Pipeline { return publicSteps(onPeople(t, AddRemove).Where(Is("work", "a"))) })},
		"report/displaced": {
			refusedBy("fitted to the rows", "an audit has the loss of one row, and none of what else moves", func(t *testing.T) error {
				return errOf(onPeople(t, AddRemove).OneHot().Impute(Mean{}).Scale().Gram(target).Audit(t.Context(), GramMatrix{}))
			}),
			refusedBy("fitted to the rows", "an audit has the loss of one row, and none of what else moves", func(t *testing.T) error {
				return errOf(publicSteps(onPeople(t, AddRemove)).With(ownStep{states: func(pr *stage.Propagation) { pr.Pair.F = 2 }}).Gram(target).Audit(t.Context(), GramMatrix{}))
			}),
		},
		"report/after-queries": {reported("ask private queries", func(t *testing.T) Pipeline {
			return onPeople(t, AddRemove).OneHot().Impute(PrivateMean{Share: 0.1}).Scale()
		})},
		"table/groups-of-other-columns": {{attack: func(t *testing.T) (shown, charged, without float64) {
			var counts [2][]float64
			for side, back := range []int{0, 1} {
				f := visitFrame(t, []visit{{0, 1, 2, 0, back}, {0, 2, 4, 1, back}, {0, 3, 6, 2, back}, {1, 1, 8, 2, 0}})
				p := must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{"ward"}})
				v, q := exactly(t, p.By("back").Count().Table(target).plan())
				counts[side], charged = v.(*Table).Counts, q.price.Cost.Sensitivity
			}
			return math.Hypot(counts[0][0]-counts[1][0], counts[0][1]-counts[1][1]), charged, 2 // a row in each of two groups, on each side
		}}},
		"correlation/rows-of-a-person": {{attack: momentsOfAPerson}},
		"sums/rows-of-a-person": {{attack: func(t *testing.T) (shown, charged, without float64) {
			s := mustSchema(frames.Category("town", "a", "b"))
			end := func(p Pipeline) *plan { return p.Bound(Contributing{Rows: 3}).Histogram("town", target).plan() }
			there, q := exactly(t, end(personal(t, s, AddRemove, [][]float64{{0}, {0}, {0}}, [][]float64{{1}, {1}}).Data()))
			gone, _ := exactly(t, end(personal(t, s, AddRemove, nil, [][]float64{{1}, {1}}).Data()))
			a, b := there.(*Estimates).Values, gone.(*Estimates).Values
			return math.Hypot(a[0]-b[0], a[1]-b[1]), q.price.Cost.Sensitivity, q.price.Cost.Sensitivity / 3
		}}},
	}
}

// on is a session on one of the frozen tables, onRemoved one under add/remove, onPeople one on the table of people.
func on(t *testing.T, table string) Pipeline {
	return must(Demo(frozenData(t)[table], 1, ReplaceOne)).Data()
}

func onRemoved(t *testing.T, table string) Pipeline {
	return must(Demo(frozenData(t)[table], 1, AddRemove)).Data()
}

func onPeople(t *testing.T, rel accountant.Neighbours) Pipeline {
	return must(Demo(frozenData(t)["people"], 1, rel)).Data()
}

// afterQueries is the error of a mechanism that is told of private queries before it, as one of several from which the best is chosen.
func afterQueries(pl *plan) error {
	_, end, err := pl.p.trace()
	if err != nil {
		return err
	}
	end.Spent.Events = []accountant.Event{accountant.Gaussian{Sensitivity: 1, Sigma: 100, Neighbours: end.Before.Neighbours}}
	return errOf(pl.of.Settle(end))
}

// visiting has rows of people.
func visiting(t *testing.T) Pipeline {
	return must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne)).Data()
}

// freedRow is a row that takes away another one of its key, of another group, which comes back where the row has another key: three groups
// change, and a person has one.
func freedRow(t *testing.T) (shown, _, without float64) {
	s := mustSchema(frames.Category("g", "a", "b", "c"), frames.Category("k", "p", "q", "r"))
	var counts [2][]float64
	for side, row := range [][]float64{{0, 0}, {2, 1}} {
		pl := demo(t, frameOf(t, s, [][]float64{row, {1, 0}, {1, 2}})).Data().Dedup(Exact{}, "k").By("g").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()
		v, q := exactly(t, pl)
		counts[side] = v.(*Table).Counts
		alone(&q.end)
		without = must(pl.of.Settle(q.end)).Bill.Cost.Sensitivity
	}
	for i, a := range counts[0] {
		shown = math.Hypot(shown, a-counts[1][i])
	}
	return shown, 0, without
}

// personal is a demonstration on rows of people, in the order of people: who has none keeps a place.
func personal(t *testing.T, s frames.Schema, rel accountant.Neighbours, people ...[][]float64) *Session {
	t.Helper()
	d := len(s.Features())
	m := &rows.Matrix{Domain: withPerson(s), Cols: d}
	for who, bag := range people {
		for _, row := range slices.Concat(bag) {
			m.X, m.Y, m.Empty = append(m.X, row[:d]...), append(m.Y, row[d:]...), append(m.Empty, false)
			m.Person = append(m.Person, personID(who))
		}
		if len(bag) == 0 {
			m.X, m.Y, m.Empty = append(m.X, make([]float64, d)...), append(m.Y, make([]float64, len(s.Columns())-d)...), append(m.Empty, true)
			m.Person = append(m.Person, personID(who))
		}
	}
	b := &frames.Block{Rows: m.Rows(), Cols: d, X: m.X, Y: m.Y, Person: m.Person}
	out := must(Demo(must(frames.FromBlock(m.Domain, b)), 1, rel))
	out.src = m
	return out
}

func personID(who int) (id frames.PersonID) {
	id[0], id[1] = byte(who+1), byte((who+1)>>8) // 0 is nobody
	return id
}

// momentsOfAPerson moves the moments of three rows at a corner, which are there on one side only.
func momentsOfAPerson(t *testing.T) (shown, charged, without float64) {
	s := mustSchema(frames.Numeric("x", -1, 1), frames.Numeric("z", -1, 1))
	others := [][]float64{{0.5, 0}, {-0.5, 0.25}}
	var cells [2][]int64
	for side, bag := range [][][]float64{slices.Repeat([][]float64{{1, 1}}, 3), nil} {
		pl := personal(t, s, AddRemove, bag, others, others).Data().Bound(Contributing{Rows: 3}).Correlation(Target{Epsilon: 1, Delta: 1e-6}).plan()
		q := must(pl.quote())
		of := must(correlation.Release{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(q.end))
		a := must(q.apply(t.Context(), pl.p.s.src, nil))
		cells[side] = must(of.Cells(t.Context(), pl.table(a.rows)))
		shown, charged, without = of.Grid.Step(), of.S, of.S/3
	}
	return latticeDistance(cells[0], cells[1], NoiseGaussian) * shown, charged, without
}

// modelOfAnother is a model whose release was private for another unit or relation, and is scored as if it were of this one: a person
// moves it further than the noise of its release was made for. What the model predicts is a sum of rows.
func modelOfAnother(unit accountant.Unit, rel accountant.Neighbours) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		target := Target{Epsilon: 1, Delta: 1e-6}
		s := mustSchema(frames.Numeric("x", -1, 1), frames.NumericLabel("y", -1, 1))
		rows := 3
		if unit == accountant.PerPerson {
			rows = 1
		}
		var sums [2]float64
		var of accountant.Guarantee
		for side, x := range []float64{1, -1} {
			p := must(Demo(frameOf(t, s, append(times(rows, x, 0), times(4, 0, 0)...)), 1, rel)).Data()
			v, q := exactly(t, p.Sum(target).plan())
			e, c := v.(*Estimates), q.price.Cost
			of = q.price.Guarantee
			drawn := must(p.Sum(target).Release(t.Context())).Value
			sums[side], without = e.Values[0]/drawn.Sigma[0], c.Sensitivity/c.Sigma
		}
		person := personal(t, s, ReplaceOne, times(3, 0, 1), times(2, 0, 0), times(2, 0, 1)).Data().Bound(Contributing{Rows: 3})
		m := constantModel(person, 0)
		m.Reader.Schema = s
		m.Lo, m.Hi = -1, 1
		of.Unit, m.Guarantee = unit, &of
		charged = without
		if must(person.Score(target, m).plan().quote()).price.Guarantee.Scope.Kind == accountant.Conditional {
			charged = math.Inf(1) // the guarantee is of models that do not depend on the rows
		}
		return math.Abs(sums[0] - sums[1]), charged, without
	}
}
