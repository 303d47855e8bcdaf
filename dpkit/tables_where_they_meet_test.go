package dpkit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestQuantilesBesidePeople: ranks and cells of people stand apart. All of 400 people are in ward d, at the lower bound.
func TestQuantilesBesidePeople(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "a", "b", "c", "d"), frames.Numeric("x", 0, 1), frames.Label("y", "no", "yes")))
	data := ofPersons(t, frameOf(t, schema, slices.Repeat([][]float64{{3, 0, 0}}, 1200)), 3)
	p := must(Demo(data, 1, ReplaceOne)).Data().Bound(Contributing{Rows: 3})
	v := must(p.By("ward").Count().People().Quantile(0.5, "x").Table(Target{Epsilon: 500, Delta: 1e-6}).Release(t.Context())).Value
	for g, people := range []float64{0, 0, 0, 400} {
		if !(math.Abs(v.People[g]-people) < 5) || !(math.Abs(v.Counts[g]-3*people) < 5) {
			t.Errorf("ward %v: got %g people with %g rows, want about %g with %g", v.Groups[g], v.People[g], v.Counts[g], people, 3*people)
		}
	}
	if m := v.Quantiles[0].Values[3]; !(m < 0.01) {
		t.Errorf("median of ward d: got %g, want about 0", m)
	}
	if sorted := must(v.SortedBy("people")); sorted.Groups[0][0] != "d" || !(sorted.People[0] > 395) || !(sorted.Counts[0] > 1195) {
		t.Errorf("sorted: got %v with people %v and rows %v, want d first", sorted.Groups, sorted.People, sorted.Counts)
	}
}

// TestQuantileOfALabel: it is the label that is ranked, also where a step displaces the first feature.
func TestQuantileOfALabel(t *testing.T) {
	schema := must(frames.NewSchema(frames.Numeric("x", 0, 1).MayMiss(), frames.Category("ward", "a", "b"), frames.NumericLabel("y", 0, 100)))
	var cells [][]float64
	for i := range 200 {
		x := float64(i%3) / 2
		if i%5 == 0 {
			x = math.NaN()
		}
		cells = append(cells, []float64{x, float64(i % 2), 65 + float64(i*37%200)/20})
	}
	p := must(Demo(frameOf(t, schema, cells), 1, ReplaceOne)).Data().Impute(Mean{}, "x")
	v := must(p.By("ward").Quantile(0.5, "y").Table(Target{Epsilon: 100}).Release(t.Context())).Value
	for g, m := range v.Quantiles[0].Values {
		if !(math.Abs(m-70) < 1) {
			t.Errorf("ward %v: got the median %g, want about 70", v.Groups[g], m)
		}
	}
}
