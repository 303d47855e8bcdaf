package dpkit

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// chainConditions are those that chains declare, what joins their steps, and what asks the ledger.
func chainConditions() map[string][]conditionCase {
	return map[string][]conditionCase{
		"bound/groups-that-stay": {
			{attack: mergedGroups("x1,x2,x3", func(p Pipeline) Pipeline { return p.Codebook("code", "other", "y1", "y2") })},
			{attack: groupsAfter(frames.Category("g", "a", "b").MayMiss(), frames.Category("g", "a", "b"))},
			{attack: groupsAfter(frames.Text("g"))},
		},
		"bound/groups-after-a-step": {
			{attack: mergedGroups("x1,x2,x3", func(p Pipeline) Pipeline { return p.Codebook("code", "other", "y1", "y2") })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Impute(Mean{}, "stay") })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Dedup(Exact{}) })},
			{attack: behindGroups(func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "ward") })},
		},
		"bounds/that-come-out": {refusedBy("put Scale behind that step", "its noise has no law at bounds that are not known", func(t *testing.T) error {
			return costOf(demo(t, wideRows(t, 400)).Data().Drop("ward").Winsorize(PrivateBounds{Share: 0.1}, "income").FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-6}))
		})},
		"chain/second-table": {refusedBy("open a session over it", "people of the second table alone are in no ledger", func(t *testing.T) error {
			_, second := twoTables(t)
			return costOf(second.PerPerson(CountRows{Max: 3}).Count(Target{Epsilon: 1, Delta: 1e-6}, Between("rows", 1, 2)))
		})},
		"chain/bounds-nobody": {refusedBy("rows are not of people", "nobody's rows are bounded by nothing", ofOwn(func(pr *stage.Propagation) {
			pr.Bounds, pr.Pair.N = stage.Contributions{Rows: 2}, 2*pr.Pair.N
		}))},
		"chain/keeps-places": {refusedBy("which only a step of dpkit can", "what a step of the caller's keeps is the caller's", ofOwn(func(pr *stage.Propagation) {
			pr.Places, pr.Pair.N = 10, 10
		}))},
		"chain/forgets": {
			refusedBy("as before the step", "a price of another relation is of no pair of these tables", ofOwn(func(pr *stage.Propagation) { pr.Pair.Neighbours = AddRemove })),
			refusedBy("as before the step", "a price of other rows is of no pair of these tables", ofOwn(func(pr *stage.Propagation) { pr.Pair.N-- })),
			{
				refused: func(t *testing.T) error {
					return costOf(forgetful(t).Histogram("home", Target{Epsilon: 1, Delta: 1e-6}))
				}, says: "as before the step",
				attack: freedRow,
			},
		},
		"chain/own-step-on-removed-rows": {refusedBy("not known to pass over empty rows", "what a step of the caller's makes of them is the caller's", func(t *testing.T) error {
			return errOf(demo(t, tinyFrame(t, 40, 1)).Data().Dedup(Exact{}).With(custom{}).Schema())
		})},
		"deploy/secret-fit": {refusedBy("what it learns is not private", "a model that has what a fit learnt as it is has no price", func(t *testing.T) error {
			return errOf(demo(t, tinyFrame(t, 40, 1)).Data().OneHot().Impute(Mean{}).Scale().With(custom{}).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(t.Context()))
		})},
		"people/release-of-their-rows": {{
			refused: func(t *testing.T) error {
				return costOf(visiting(t).Histogram("back", Target{Epsilon: 1, Delta: 1e-6}))
			}, says: "one person may have any number",
			attack: func(t *testing.T) (shown, _, without float64) {
				s := mustSchema(frames.Category("town", "a", "b"))
				var counts [2][]float64
				for side, town := range []float64{0, 1} {
					pl := personal(t, s, ReplaceOne, times(5, town), times(2, 1)).Data().Histogram("town", Target{Epsilon: 1, Delta: 1e-6}).plan()
					_, end, err := pl.p.trace()
					if err != nil {
						t.Fatal(err)
					}
					without = must(pl.of.Settle(end)).Bill.Cost.Sensitivity
					counts[side] = must(pl.of.Exact(t.Context(), pl.table(pl.p.s.src), end)).(*Estimates).Values
				}
				return math.Hypot(counts[0][0]-counts[1][0], counts[0][1]-counts[1][1]), 0, without
			},
		}},
		"people/step-on-their-rows": {{
			refused: func(t *testing.T) error { return errOf(visiting(t).Impute(Mean{}, "stay").Schema()) }, says: "one person may have any number",
			attack: func(t *testing.T) (float64, float64, float64) {
				// Five rows of a person move a mean by five times what one does.
				var sides [2][][]float64
				for side, x := range []float64{1, 0} {
					sides[side] = append(times(5, x, 0, 1), times(20, math.NaN(), 0, 1)...)
				}
				return attackedChain{schema: gapped(), sides: sides, chain: func(p Pipeline) Pipeline { return p.Impute(Mean{}, "x") }, hide: func(*stage.Stage) {}}.shown(t)
			},
		}},
		"spend/no-target": {refusedBy("takes no target with a δ", "there is no target to take a share of", func(t *testing.T) error {
			return costOf(demo(t, tinyFrame(t, 400, 1)).Data().Impute(PrivateMean{Share: 0.1}, "pay").Quantile(Target{Epsilon: 1}, 0.5, "age"))
		})},
		"taint/of-no-column": {{
			refused: ofOwn(func(pr *stage.Propagation) { pr.Pair, pr.Taint = displaced(pr.Pair), stage.Taint{"nope": true} }), says: "is no feature after the step",
			attack: withheld,
		}},
		"taint/of-nothing": {{
			refused: ofOwn(func(pr *stage.Propagation) { pr.Pair, pr.Taint = displaced(pr.Pair), nil }), says: "its taint names no column", attack: withheld,
		}},
		"holdout/another-share": {{attack: anotherSplit}},
		"holdout/joint-of-both-sides": {
			{attack: bothSides(func(s *Session) Pipeline { _, test := s.Data().Holdout(0.5); return test })},
			{attack: bothSides(func(s *Session) Pipeline { train, _ := s.Data().Holdout(0.2); return train })},
		},
	}
}

// mergedGroups is a person with one row in each of three groups, which a step makes one of.
func mergedGroups(codes string, merge func(Pipeline) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		var counts [2][]float64
		for side, own := range []string{codes, "y1"} {
			f := visitsOf(t, 4, func(i int) []string {
				if i == 0 {
					return strings.Split(own, ",")
				}
				return []string{"y1", "y2"}
			})
			p := must(Demo(f, 1, ReplaceOne)).Data().Bound(Contributing{Groups: 3, RowsPerGroup: 1, By: []string{"code"}})
			v, q := exactly(t, merge(p).By("code").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan())
			counts[side], charged = v.(*Table).Counts, q.price.Cost.Sensitivity
			without = math.Sqrt(6) // three groups of one row, and three others
		}
		for i, a := range counts[0] {
			shown = math.Hypot(shown, a-counts[1][i])
		}
		return shown, charged, without
	}
}

// bothSides is a joint release of several parts of the people, and then one of another part. Somebody is in the last of the joint
// release, and in the one after it.
func bothSides(second func(s *Session) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		s := private(t, numbered(t, 200), ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
		target := Target{Epsilon: 1, Delta: 1e-6}
		train, test := s.Data().Holdout(0.5)
		joint := Together(target, train.Histogram("y", Target{}).Weight(0.01), second(s).Histogram("y", Target{}))
		without = must(joint.Release(t.Context())).Status.Spent.Epsilon
		last := test.Histogram("y", target)
		charged = must(last.Release(t.Context())).Status.Spent.Epsilon
		// A level for another moves each release by so many units of its noise.
		parts := must(joint.plan().joint.calibrated()).parts
		c, after := parts[len(parts)-1].q.price.Cost, must(last.Cost()).Release
		mu := math.Hypot(c.Sensitivity/c.Sigma, after.Sensitivity/after.Sigma)
		g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, 1e-5))
		return g.Epsilon, charged, without
	}
}

// anotherSplit releases one side of each of two splits. Somebody is on both.
func anotherSplit(t *testing.T) (shown, charged, without float64) {
	s := private(t, numbered(t, 200), ledgerPath(t), Budget{Epsilon: 4, Delta: 1e-5})
	target := Target{Epsilon: 1, Delta: 1e-6}
	train, _ := s.Data().Holdout(0.5)
	_, test := s.Data().Holdout(0.8)
	mu := 0.0
	for _, side := range []Pipeline{train, test} {
		pl := side.Histogram("y", target)
		c := must(pl.Cost()).Release
		mu = math.Hypot(mu, c.Sensitivity/c.Sigma)
		without, charged = charged, must(pl.Release(t.Context())).Status.Spent.Epsilon
	}
	g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, 1e-5))
	return g.Epsilon, charged, without
}

// groupsAfter are what is known of the groups of a person with two rows, in one group each, after a step that makes a column another one.
// Both rows may be in one group of it.
func groupsAfter(was frames.Column, becomes ...frames.Column) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		st := stage.Stage{
			In: mustSchema(was, frames.Numeric("x", 0, 1)), Out: mustSchema(append(becomes, frames.Numeric("x", 0, 1))...),
			Contributions: stage.Contributions{Rows: 2, Groups: 2, PerGroup: 1, By: []string{was.Name}},
		}
		got := contributionsBehind(nil, st, stage.Propagation{Role: stage.RolePublic})
		return 2, float64(got.PerGroup), 1
	}
}

// behindGroups is what a table of two groups with a row each is charged for after a step, against what it is at once.
func behindGroups(after func(Pipeline) Pipeline) func(t *testing.T) (shown, charged, without float64) {
	return func(t *testing.T) (shown, charged, without float64) {
		s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne))
		table := func(p Pipeline) float64 {
			return must(p.By("ward").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Cost()).Release.Sensitivity
		}
		at := s.Data().Bound(Contributing{Groups: 2, RowsPerGroup: 1, By: []string{"ward"}})
		return math.Sqrt(8), table(after(at)), table(at) // both rows of one group, and then of another
	}
}

// ownStep is a step of the caller's that states something else than is so.
type ownStep struct {
	custom
	states func(*stage.Propagation)
}

func (ownStep) String() string { return "own" }

func (o ownStep) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := o.custom.Propagate(st)
	o.states(&pr)
	return pr, err
}

// ofOwn is the error of a chain with such a step.
func ofOwn(states func(*stage.Propagation)) func(t *testing.T) error {
	return func(t *testing.T) error {
		return errOf(demo(t, tinyFrame(t, 40, 1)).Data().With(ownStep{states: states}).Schema())
	}
}

// forgetful is a chain in which a step forgets that another freed a row.
func forgetful(t *testing.T) Pipeline {
	return demo(t, tinyFrame(t, 40, 1)).Data().Impute(Midpoint{}, "pay").QuantileBin(3, "pay").With(ownStep{states: func(pr *stage.Propagation) { pr.Pair.F = 0 }})
}

// withheld is a sum of a column that a step displaces and says nothing of.
func withheld(t *testing.T) (float64, float64, float64) {
	return forced{
		rel: ReplaceOne, schema: gapped(), sides: filledByOne(300), hide: clean,
		end:  func(p Pipeline) *plan { return filled(p).Drop("g").Sum(Target{Epsilon: 1, Delta: 1e-6}).plan() },
		told: tells(func(e Estimates) float64 { return e.Values[0] }),
	}.shown(t)
}
