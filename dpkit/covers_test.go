package dpkit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/frames"
)

// marginTests are, of each kind of release whose error is predicted with a level, the test that its margins hold as often as that says.
// TestEveryMarginHasItsTest keeps them complete.
var marginTests = map[string]func(*testing.T){
	"means": TestPredictedMarginsCover, "sum": TestPredictedMarginsCover, "count": TestPredictedMarginsCover, "histogram": TestPredictedMarginsCover,
	"table": TestPredictedMarginsOfTablesCover, "cumulative": TestPredictedMarginsOfTablesCover,
	"choice": TestChooseFindsTheBetter,
	"found":  TestFurtherMarginsCover, "table/top": TestFurtherMarginsCover, "score": TestFurtherMarginsCover, "correlation": TestFurtherMarginsCover,
	"quantile": TestFurtherMarginsCover, "gram": TestFurtherMarginsCover, "mean/unbounded": TestFurtherMarginsCover,
}

// TestEveryMarginHasItsTest: a kind of release whose error is predicted with a level stands in marginTests, and no other does: what is
// expected of a model or a sketch has no level.
func TestEveryMarginHasItsTest(t *testing.T) {
	levelled := map[string]bool{}
	everyMechanism(t, func(t *testing.T, e mechanismEntry, d Pipeline, _ knownMechanism) {
		p, err := e.end(d).predicted(0.95)
		if levelled[e.kind] = err == nil && p.Level != 0; levelled[e.kind] && marginTests[e.kind] == nil {
			t.Error("its margins have a level, and no test: add one to marginTests")
		}
	})
	for k := range marginTests {
		if !levelled[k] {
			t.Errorf("%s has no margin with a level", k)
		}
	}
}

// coverDraws are so many that 6.5 standard deviations of a share of them at level 0.95 are 0.03: shares within are in [0.92, 0.98], but
// for 8e-11 each.
const coverDraws = 2300

// covering is a plan whose noise is compared with its margin.
type covering struct {
	name  string
	bound bool // the margin may hold more often than the level says
	// noise tells of each number how far off draws were, in multiples of its margin.
	noise func(t *testing.T, level float64) [][]float64
}

// noiseOf compares what a plan draws with what it says without noise.
func noiseOf[V any](f *frames.Frame, of func(Pipeline) Plan[V], numbers func(V) []float64) func(*testing.T, float64) [][]float64 {
	return func(t *testing.T, level float64) [][]float64 {
		exact := numbers(must(of(must(OnPublic(frames.Public(f))).Data()).Release(t.Context())).Value)
		plan := of(must(Demo(f, 7, ReplaceOne)).Data())
		margin := must(plan.Error(level)).Margin
		out := make([][]float64, len(exact))
		for _, v := range must(plan.Replicate(t.Context(), coverDraws)) {
			got := numbers(v)
			for i, x := range exact {
				out[i] = append(out[i], math.Abs(got[i]-x)/margin[min(i, len(margin)-1)])
			}
		}
		return out
	}
}

// offBy compares by how much draws are off, which the rows say, with the margin.
func offBy[V any](f *frames.Frame, of func(Pipeline) Plan[V], by func(v V, rows [][]float64) float64) func(*testing.T, float64) [][]float64 {
	return func(t *testing.T, level float64) [][]float64 {
		var rows [][]float64
		must(0, f.Scan(t.Context(), func(b *frames.Block) error {
			for i := range b.Rows {
				rows = append(rows, slices.Clone(b.Row(i)))
			}
			return nil
		}))
		plan := of(must(Demo(f, 7, ReplaceOne)).Data())
		margin, off := must(plan.Error(level)).Margin[0], make([]float64, 0, coverDraws)
		for _, v := range must(plan.Replicate(t.Context(), coverDraws)) {
			off = append(off, by(v, rows)/margin)
		}
		return [][]float64{off}
	}
}

// TestFurtherMarginsCover: noise is within the predicted margin of scores, correlations, ranks of groups, groups that are found, quantiles,
// second moments and means without bounds in 0.92 to 0.98 of the demonstrations at level 0.95; margins that are bounds hold at least so often.
func TestFurtherMarginsCover(t *testing.T) {
	target := Target{Epsilon: 1, Delta: 1e-6}
	people, prices, even := tinyFrame(t, 2000, 5), priceFrame(t, 2000), evenFrame(t)
	for _, c := range []covering{
		{"score of classes", false, noiseOf(people, func(p Pipeline) Plan[Score] { return p.Score(target, tiltedModel(p, 0, 0.1, -4)) }, meansOf)},
		{"score of numbers", false, noiseOf(prices, func(p Pipeline) Plan[Score] { return p.Score(target, constantModel(p, 20)) }, meansOf)},
		{"mean product", false, noiseOf(even, func(p Pipeline) Plan[CorrelationMatrix] { return p.Correlation(target, "a", "b") }, func(m CorrelationMatrix) []float64 {
			return []float64{m.Products[1] / float64(m.Rows)}
		})},
		{"squares", false, noiseOf(even, func(p Pipeline) Plan[GramMatrix] { return p.Scale().Gram(target) }, func(g GramMatrix) []float64 {
			return []float64{g.Second[0], g.Second[3], g.Second[1] * math.Sqrt2} // off the diagonal it has half the variance
		})},
		{"people of found groups", false, noiseOf(visitsOf(t, 450, commonCodes), func(p Pipeline) Plan[Table] {
			return p.Bound(oneOfEach).By("code").People().Found(Target{Epsilon: 2, Delta: 1e-6})
		}, func(v Table) (n []float64) {
			for _, code := range []string{"E11", "I10", "J45"} {
				n = append(n, must(v.At("people", code)).Value)
			}
			return n
		})},
		{"first rank", true, offBy(people, func(p Pipeline) Plan[Ranking] { return p.TopK(1, Target{Epsilon: 0.02}, "work") }, func(v Ranking, rows [][]float64) float64 {
			in, most := map[string]float64{}, 0.0
			for _, row := range rows {
				level := sums.MissingLevel
				if !math.IsNaN(row[1]) {
					level = []string{"a", "b", "c"}[int(row[1])]
				}
				in[level]++
			}
			for _, n := range in {
				most = max(most, n)
			}
			return most - in[v.Groups[0][0]]
		})},
		{"rank of a quantile", true, offBy(people, func(p Pipeline) Plan[QuantileEstimate] { return p.Quantile(Target{Epsilon: 0.3}, 0.5, "age") }, func(v QuantileEstimate, rows [][]float64) float64 {
			below, upTo, half := 0.0, 0.0, float64(len(rows))/2
			for _, row := range rows {
				if row[0] < v.Value {
					below++
				}
				if row[0] <= v.Value {
					upTo++
				}
			}
			return max(below-half, half-upTo, 0)
		})},
		{"mean without bounds", false, noiseOf(openFrame(t, gaussianRows(21, 1000, 1, 1, 1, 40), nil, frames.Column{}), func(p Pipeline) Plan[MeanEstimate] {
			return p.UnboundedMean(UnboundedMeans{Epsilon: 3, Delta: 1e-6})
		}, func(v MeanEstimate) []float64 { return v.Values })},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			const level = 0.95
			for i, off := range c.noise(t, level) {
				within := 0
				for _, x := range off {
					if x <= 1 {
						within++
					}
				}
				t.Logf("number %d: %.4f", i, float64(within)/coverDraws)
				if share := float64(within) / coverDraws; len(off) != coverDraws || !(share >= 0.92 && (c.bound || share <= 0.98)) {
					t.Errorf("number %d: %d of %d are within the margin at level %g", i, within, len(off), level)
				}
			}
		})
	}
}

// meansOf are the measures of a score as they are predicted: RMSE before its root.
func meansOf(s Score) (out []float64) {
	for i, v := range s.Sums {
		unit := 1.0
		switch s.Measures[i] {
		case ScoreLogLoss:
			unit = math.Log(100) // probabilities are clipped to a hundredth
		case ScoreRMSE:
			unit = s.Range * s.Range
		case ScoreAbsolute:
			unit = s.Range
		}
		out = append(out, v/float64(s.Rows)*unit)
	}
	return out
}

// evenFrame has two columns that do not correlate.
func evenFrame(t *testing.T) *frames.Frame {
	var rows [][]float64
	for i := range 4000 {
		rows = append(rows, []float64{0.25 + 0.5*float64(i%2), 2.5 + 5*float64(i/2%2), 0})
	}
	return frameOf(t, must(frames.NewSchema(frames.Numeric("a", 0, 1), frames.Numeric("b", 0, 10), frames.Label("y", "no", "yes"))), rows)
}
