package dpkit

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestEveryPlansEventIsPricedAndStored: what a plan charges is an event that the accountant prices by its best route, and that is
// read back from its stored form. Where it covers the plan's own law, as a ledger charges by Gaussians, it costs more than the plan
// promises.
func TestEveryPlansEventIsPricedAndStored(t *testing.T) {
	t.Parallel()
	priced := 0
	for name, f := range frozenData(t) {
		rel := ReplaceOne
		if name == "zeroed" || name == "zeroed-numbers" {
			rel = AddRemove
		}
		s := must(Demo(f, 1, rel))
		for _, c := range frozenPlans(s, name) {
			q, err := c.plan.quote()
			if err != nil {
				t.Errorf("%s/%s: %v", name, c.name, err)
				continue
			}
			e, g := q.price.Event, q.price.Guarantee
			b, err := accountant.Marshal(e)
			if err != nil {
				t.Errorf("%s/%s: %v", name, c.name, err)
				continue
			}
			back, err := accountant.Unmarshal(b)
			if err != nil || back.String() != e.String() {
				t.Errorf("%s/%s: reads back as %v, %v, want %v", name, c.name, back, err, e)
			}
			best, err := accountant.Best(e, rel, g.Delta, accountant.BestOptions{})
			if err != nil || !(best.Epsilon > 0) || math.IsInf(best.Epsilon, 1) {
				t.Errorf("%s/%s: best route %v, %v, want a finite ε beside %v", name, c.name, best, err, g)
			}
			if g.Delta > 0 {
				d, err := accountant.BestDelta(e, rel, g.Epsilon, accountant.BestOptions{})
				if err != nil || !(d.Delta >= 0) || !(d.Delta < 1) {
					t.Errorf("%s/%s: best δ %v, %v, want one below 1 beside %v", name, c.name, d, err, g)
				}
			}
			priced++
		}
	}
	if priced < 130 {
		t.Errorf("priced %d plans", priced)
	}
}
