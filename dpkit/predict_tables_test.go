package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// cells are the counts and the sums of groups or periods in the order of their predictions: of each the count and then its sums, in the
// units of the columns.
func cells(counts []float64, sums [][]float64, measures []TableMeasure) (all []float64) {
	for g, n := range counts {
		all = append(all, n)
		for i, m := range measures {
			all = append(all, sums[i][g]*(m.Hi-m.Lo)/2)
		}
	}
	return all
}

// marginsCover: in 400 demonstrations the noise on numbers is within its predicted margin about as often as the level says. 6.5 deviations of
// a share of n draws are passed once in 1e10.
func marginsCover[V any](t *testing.T, of func(Pipeline) Plan[V], numbers func(V) []float64) {
	t.Helper()
	const releases, level = 400, 0.95
	f := tinyFrame(t, 2000, 5)
	exact := numbers(must(of(must(OnPublic(frames.Public(f))).Data()).Release(t.Context())).Value)
	for _, rel := range []*Session{must(Demo(f, 1, ReplaceOne)), must(Demo(f, 2, AddRemove))} {
		plan := of(rel.Data())
		p := must(plan.Error(level))
		if p.Level != level || len(p.Margin) != len(exact) {
			t.Fatalf("%d numbers are predicted at level %v, want %d", len(p.Margin), p.Level, len(exact))
		}
		within := make([]int, len(exact))
		for _, v := range must(plan.Replicate(t.Context(), releases)) {
			for i, x := range numbers(v) {
				if math.Abs(x-exact[i]) <= p.Margin[i] {
					within[i]++
				}
			}
		}
		off := 6.5 * math.Sqrt(level*(1-level)/releases)
		for i, n := range within {
			if share := float64(n) / releases; !(math.Abs(share-level) <= off) {
				t.Errorf("%v, %s: %.4f are within the margin %g, want %v ± %.3f", rel.neighbours, p.Names[i], share, p.Margin[i], level, off)
			}
		}
	}
}

// TestPredictedMarginsOfTablesCover: of tables by groups and of cumulative ones, number by number.
func TestPredictedMarginsOfTablesCover(t *testing.T) {
	target := Target{Epsilon: 1, Delta: 1e-6}
	t.Run("table", func(t *testing.T) {
		marginsCover(t, func(p Pipeline) Plan[Table] {
			return p.By("work").Count().Sum("age").Share("income", "high").Table(target)
		}, func(v Table) []float64 { return cells(v.Counts, v.Sums, v.Measures) })
	})
	t.Run("cumulative", func(t *testing.T) {
		marginsCover(t, func(p Pipeline) Plan[Series] {
			return p.Bin([]float64{30, 50}, "age").By("age").Count().Share("income", "high").Cumulative(target)
		}, func(v Series) []float64 { return cells(v.Counts, v.Sums, v.Measures) })
	})
}
