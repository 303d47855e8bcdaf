package tables

import (
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// TestWeightsForMargins: at one ε what is asked is missed by less than with even weights, and by no more than with any other weights of a grid.
func TestWeightsForMargins(t *testing.T) {
	schema := must(frames.NewSchema(frames.Category("ward", "a", "b"), frames.Numeric("x", -3, 5), frames.Numeric("y", 0, 1), frames.Label("back", "no", "yes")))
	with := func(s TableStatistic, margin float64) TableStatistic {
		s.Margin, s.Confidence = margin, 0.9
		return s
	}
	count, sum, mean := TableStatistic{Of: Count}, TableStatistic{Of: Sum, Column: "x"}, TableStatistic{Of: Mean, Column: "y"}
	for _, of := range [][]TableStatistic{
		{with(count, 5), with(mean, 0.1)},
		{with(count, 10), with(mean, 0.1), with(sum, 300)},
		{with(sum, 100), with(TableStatistic{Of: Variance, Column: "y"}, 0.01)},
	} {
		for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
			t.Run(fmt.Sprint(of, rel), func(t *testing.T) {
				st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(3000, stage.StartRadius(schema), rel)), Empty: true}
				r := Release{By: []string{"ward"}, Of: of, Target: query.Target{Epsilon: 1, Delta: 1e-6}}
				c := must(r.Calibrate(st))
				got := c.askedOf(r, st)
				best := 0.0
				try := func(w []float64) {
					other := *c
					other.weights = make([]float64, len(c.weights))
					for i, b := range other.blocks() {
						b.weigh(&other, w[i])
					}
					other.Sigma = c.Sigma * oneRow(other.norms().l2, c.n, rel) / oneRow(c.norms().l2, c.n, rel)
					if v := other.askedOf(r, st); best == 0 || v < best {
						best = v
					}
				}
				for _, a := range []float64{0.05, 0.2, 0.5, 0.7, 0.85, 1, 1.4, 2, 5, 20} {
					for _, b := range []float64{0.05, 0.2, 0.5, 0.7, 0.85, 1, 1.4, 2, 5, 20} {
						try([]float64{a, b})
					}
				}
				even := must(Release{By: r.By, Of: r.Of, Target: r.Target}.Calibrate(st))
				even.weigh()
				even.Sigma = c.Sigma * oneRow(even.norms().l2, c.n, rel) / oneRow(c.norms().l2, c.n, rel)
				if !(got <= best*(1+1e-6)) || !(got < 0.99*even.askedOf(r, st)) {
					t.Errorf("missed by %g, by other weights %g, by even ones %g", got, best, even.askedOf(r, st))
				}
			})
		}
	}
}
