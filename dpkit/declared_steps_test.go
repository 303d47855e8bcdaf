package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

const (
	codes  = "a code of a level is no number, and what the step states is of numbers"
	leaves = "the domain of a column says that it has no cell between its bounds and 0, where a filled row would be"
	holes  = "a cell that misses is no number, and what the step states is of numbers"
)

// stepConditions are those that steps declare.
func stepConditions() map[string][]conditionCase {
	target := Target{Epsilon: 1, Delta: 1e-6}
	raw := func(t *testing.T) Pipeline { return demo(t, tinyFrame(t, 40, 1)).Data() }
	ends := func(says, unshown string, chain func(t *testing.T) Pipeline) conditionCase {
		return refusedBy(says, unshown, func(t *testing.T) error { return errOf(chain(t).Schema()) })
	}
	return map[string][]conditionCase{
		"onehot/displaced": {ends("a level that changes moves a row", "a step that says what a level moves by states √2, which OneHot keeps", func(t *testing.T) Pipeline {
			return onGaps(t).Impute(Midpoint{}, "x").With(relevelled{Column: "g"}).OneHot()
		})},
		"keyed/displaced": {afterNudge(func(p Pipeline) Pipeline { return p.Bin([]float64{0.5}, "x") }, "differs in common rows")},
		"dedup/displaced": {afterNudge(func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 0.125}, "x", "z") }, "differs in common rows")},
		"mutate/displaced": {afterNudge(func(p Pipeline) Pipeline {
			return p.Mutate("w", MutateOptions{Func: "test.halves", Version: "1", From: []string{"x"}, Hi: 1})
		}, "no Lipschitz constant")},
		"standardize/certified-displaced": {ends("certified spread", "a spread that is certified on both sides has no bound between them, and no pair is known that passes below it", func(t *testing.T) Pipeline {
			return raw(t).Select("pay").Impute(Mean{}, "pay").Standardize(Standard{MinSpread: Declare(0.5)}, "pay")
		})},
		"mean/no-zero-to-shrink-to": {
			ends("no 0 to shrink to", codes, func(t *testing.T) Pipeline { return inBall(t).Bin([]float64{0.2}, "z").Impute(Mean{}, "x") }),
			ends("no 0 to shrink to", leaves, func(t *testing.T) Pipeline {
				return inBall(t).Mutate("v", MutateOptions{From: []string{"z"}, Func: "test.halves", Version: "1", Lo: 0.1, Hi: 1}).Impute(Mean{}, "x")
			}),
			ends("no 0 to shrink to", leaves, func(t *testing.T) Pipeline {
				return inBall(t).Mutate("v", MutateOptions{From: []string{"z"}, Func: "test.halves", Version: "1", Lo: -1, Hi: -0.1}).Impute(Mean{}, "x")
			}),
		},
		"units/category":  {refusedBy("encode it with OneHot", codes, func(t *testing.T) error { return costOf(raw(t).Mean(target)) })},
		"units/missing":   {refusedBy("Impute first", holes, func(t *testing.T) error { return costOf(raw(t).Select("pay").Mean(target)) })},
		"clip/category":   {ends("before ClipNorm", codes, func(t *testing.T) Pipeline { return raw(t).ClipNorm(1) })},
		"scale/category":  {ends("before Scale", codes, func(t *testing.T) Pipeline { return raw(t).Scale() })},
		"pca/category":    {ends("is a category", codes, func(t *testing.T) Pipeline { return raw(t).PCA(Tikhonov{Lambda: 0.1}) })},
		"pca/missing":     {ends("Impute before PCA", holes, func(t *testing.T) Pipeline { return raw(t).OneHot().PCA(Tikhonov{Lambda: 0.1}) })},
		"impute/category": {ends("before imputing", codes, func(t *testing.T) Pipeline { return raw(t).Impute(Mean{}) })},
		"ridge/missing": {ends("may be missing itself", holes, func(t *testing.T) Pipeline {
			return raw(t).OneHot().Impute(Ridge{Lambda: 1, On: []string{"home"}}, "pay")
		})},
		"ridge/category": {ends("is a category", codes, func(t *testing.T) Pipeline { return onGaps(t).Impute(Ridge{Lambda: 1}, "x") })},
		"winsorize/missing": {ends("may hold missing cells", holes, func(t *testing.T) Pipeline {
			return raw(t).Winsorize(SmoothedQuantile{Q: 0.25, Window: 0.3}, "pay")
		})},
		"impute/named-category": {ends("is a category", codes, func(t *testing.T) Pipeline { return raw(t).Impute(Median{}, "work") })},
		"ridge/named-category":  {ends("is a category", codes, func(t *testing.T) Pipeline { return raw(t).Impute(Ridge{Lambda: 1, On: []string{"work"}}, "pay") })},
		"per-person/nobody": {ends("one person's already", "nobody's rows are in no bag", func(t *testing.T) Pipeline {
			return raw(t).With(naming{}).PerPerson(MeanOf{Column: "age"})
		})},
		"holdout/rows-of-people": {ends("all rows of a person belong on one side", "people have no place yet", func(t *testing.T) Pipeline {
			return setAside(visiting(t), 0.5)
		})},
		"holdout/rows-in-order": {
			ends("put Holdout before it", "rows that were put in order by a cell have no place of their own", func(t *testing.T) Pipeline {
				return setAside(must(Demo(must(frames.Check(t.Context(), inOrderOfAge{tinyFrame(t, 60, 3)})), 1, ReplaceOne)).Data(), 0.5)
			}),
		},
		"holdout/twice": {ends("one split of the people has two sides", "a ledger has one name for what a release reads", func(t *testing.T) Pipeline {
			return setAside(setAside(raw(t), 0.5), 0.5)
		})},
		"holdout/after-queries": {
			{refused: func(t *testing.T) error { return errOf(setAside(filled(onGaps(t)), 0.5).Schema()) }, says: "put Holdout before it", attack: fitOfBothSides},
			ends("may read rows of both sides", "the query is in the event of the release, and a ledger charges one side for it", func(t *testing.T) Pipeline {
				return setAside(raw(t).OneHot().Impute(PrivateMean{Share: 0.1}), 0.5)
			}),
			ends("may read rows of both sides", "what a step of the caller's reads is the caller's", func(t *testing.T) Pipeline { return setAside(raw(t).With(custom{}), 0.5) }),
		},
		"join/rows-by-rows": {ends("multiplies rows", "so many rows as there are have no bound", func(t *testing.T) Pipeline {
			s, second := twoTables(t)
			return s.Data().PerPerson(CountRows{Max: 3}).JoinPeople(second)
		})},
		"join/unbounded-rows": {ends("name how many rows of a person are paired", "how many rows there are has no bound", func(t *testing.T) Pipeline {
			s, second := twoTables(t)
			return s.Data().JoinPeople(second).PerPerson(CountRows{Max: 3})
		})},
		"join/others-rows": {
			ends("one person's alone", "whose rows they are is known no more", func(t *testing.T) Pipeline {
				s, second := twoTables(t)
				return s.Data().Bound(Contributing{Rows: 2}).JoinPeople(second.PerPerson(CountRows{Max: 3, As: "drugs"}))
			}),
		},
	}
}

// naming is a step of the caller's that says whose the rows are, which it cannot know.
type naming struct{ custom }

func (naming) String() string { return "naming" }

func (naming) Check(in frames.Schema) (frames.Schema, error) {
	return frames.NewSchema(append([]frames.Column{frames.Person("id")}, in.Columns()...)...)
}

// inBall are rows in a ball that is smaller than their domain.
func inBall(t *testing.T) Pipeline {
	s := mustSchema(frames.Numeric("x", -1, 1).MayMiss(), frames.Numeric("z", -1, 1), frames.Numeric("w", -1, 1))
	return demo(t, frameOf(t, s, times(20, 0.1, 0.2, 0.1))).Data().ClipNorm(0.5)
}

// twoTables are visits, and a further table of the same people.
func twoTables(t *testing.T) (*Session, Pipeline) {
	t.Helper()
	s := must(Demo(visitFrame(t, []visit{{1, 1, 2, 0, 0}, {2, 1, 4, 1, 1}}), 1, ReplaceOne))
	return s, must(s.AddTable("drugs", drugFrame(t, []drug{{1, 2, 3, 0}})))
}

// afterNudge is a step behind one that displaces x by little, of rows that are near where the step jumps.
func afterNudge(then func(Pipeline) Pipeline, says string) conditionCase {
	s := mustSchema(frames.Numeric("x", 0, 1), frames.Numeric("z", 0, 1), frames.Label("y", "no", "yes"))
	chain := func(p Pipeline) Pipeline { return then(p.With(nudge{Column: "x", By: 1e-9})) }
	var sides [2][][]float64
	for side, first := range []float64{0, 1} {
		sides[side] = [][]float64{{first, 1, 0}}
		for i := range 6 { // each first one is just below a jump, and above it after a nudge
			z := float64(i) / 8
			sides[side] = append(sides[side], []float64{0.5 - 0.5e-9, z, 0}, []float64{0.5, z, 1})
		}
	}
	return conditionCase{
		refused: func(t *testing.T) error {
			return errOf(chain(must(Demo(frameOf(t, s, sides[0]), 1, ReplaceOne)).Data()).Schema())
		},
		says: says,
		attack: func(t *testing.T) (float64, float64, float64) {
			return attackedChain{schema: s, sides: sides, chain: chain, hide: alone}.shown(t)
		},
	}
}

// fitOfBothSides is a mean that is fitted to both sides of a split: a row of one side moves those of the other, which a ledger charges
// nothing.
func fitOfBothSides(t *testing.T) (shown, _, without float64) {
	var sums [2]float64
	n := 40
	for side, x := range []float64{1, 0} {
		table := times(n, math.NaN(), 0, 1)
		stages, _, err := setAside(must(Demo(frameOf(t, gapped(), table), 1, ReplaceOne)).Data(), 0.5).trace()
		if err != nil {
			t.Fatal(err)
		}
		kept := must(stages[0].Step.(rows.Sided).Side(stages[0].Stage))
		for i := range table {
			if !kept.Kept[i] { // a row of the other side
				table[i] = []float64{x, 0, 1}
				break
			}
		}
		for i, row := range sideOf(t, filled(must(Demo(frameOf(t, gapped(), table), 1, ReplaceOne)).Data())) {
			if kept.Kept[i] {
				sums[side] += row[0]
			}
		}
	}
	return math.Abs(sums[0] - sums[1]), 0, 0
}
