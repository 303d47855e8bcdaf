package dpkit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// samePrice is by how much the price of an event may be above the guarantee, relative: nothing but rounding.
const samePrice = 1e-9

// sameDelta is by how much its δ may be above: a best order is looked for anew, and δ moves by many times what ε does.
const sameDelta = 1e-4

// requireOnePrice checks that the event of a plan costs what the plan promises, at the δ of the promise, in both ways, and that what is
// stored of the event costs the same.
func requireOnePrice(t *testing.T, e accountant.Event, rel accountant.Neighbours, g accountant.Guarantee) {
	t.Helper()
	same := func(what string, got, want float64, err error) {
		t.Helper()
		if err != nil || !(got >= want) || !(got <= want*(1+samePrice)) {
			t.Errorf("%s of the event is %v (%v), the guarantee has %v by %s\n%v", what, got, err, want, g.Route, e)
		}
	}
	best, err := accountant.Best(e, rel, g.Delta, accountant.BestOptions{})
	same("ε", best.Epsilon, g.Epsilon, err)
	if d, err := accountant.BestDelta(e, rel, g.Epsilon, accountant.BestOptions{}); err != nil || !(d.Delta <= g.Delta*(1+sameDelta)) || math.IsNaN(d.Delta) {
		t.Errorf("δ of the event at ε = %v is %v (%v), the guarantee has %v", g.Epsilon, d.Delta, err, g.Delta)
	}
	b, err := accountant.Marshal(e)
	if err != nil {
		t.Error(err)
		return
	}
	back, err := accountant.Unmarshal(b)
	if err != nil || back.String() != e.String() {
		t.Errorf("%v reads back as %v, %v", e, back, err)
		return
	}
	again, err := accountant.Best(back, rel, g.Delta, accountant.BestOptions{})
	same("ε, as it was stored,", again.Epsilon, g.Epsilon, err)
}

// TestEveryEventCostsItsGuarantee: every kind of release, with every choice that it has, in both relations and at targets far apart, has an
// event whose price at the δ of its guarantee is the ε of its guarantee. There are no exceptions.
func TestEveryEventCostsItsGuarantee(t *testing.T) {
	t.Parallel()
	targets := []Budget{{Epsilon: 1, Delta: 1e-6}, {Epsilon: 20, Delta: 1e-3}, {Epsilon: 0.05, Delta: 1e-9}}
	data := entryData(t)
	priced, stated, kinds := map[string]int{}, map[string]bool{}, 0
	everyMechanism(t, func(t *testing.T, e mechanismEntry, _ Pipeline, m knownMechanism) {
		kinds++
		for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
			base := e.end(must(Demo(data[e.data], 1, rel)).Data())
			plans := map[string]*plan{"": base}
			if e.beside != nil {
				plans["behind steps"] = e.beside(must(Demo(data[e.data], 1, rel)).Data())
			}
			for _, p := range parametersOf(base.m) {
				names, values := choices(p.typ)
				for i, v := range values {
					plans[p.path+" "+names[i]] = m.end(base.p, withSetting(base.m, p, v))
				}
			}
			for name, pl := range plans {
				for i, b := range targets {
					if i == 2 && name != "" {
						continue // the others are far apart
					}
					to, ok := pl.retargeted(b.Epsilon, b.Delta)
					if !ok {
						t.Fatal("no target to replace")
					}
					q, err := to.quote()
					if err != nil {
						continue // another label, relation or δ
					}
					t.Run(fmt.Sprint(name, " ", rel, " ", b.Epsilon), func(t *testing.T) {
						requireOnePrice(t, q.price.Event, rel, q.price.Guarantee)
						if c := to.costOf(q); c.Guarantee.Budget != q.price.Guarantee.Budget {
							t.Errorf("Cost prints %v, want %v", c.Guarantee, q.price.Guarantee)
						}
					})
					priced[e.kind]++
					if strings.HasPrefix(q.price.Event.String(), "Stated(") {
						stated[e.kind+" "+name] = true
					}
				}
			}
		}
		if priced[e.kind] < 2 {
			t.Errorf("priced %d times", priced[e.kind])
		}
	})
	if kinds < 35 || len(stated) < 10 {
		t.Errorf("%d kinds; stated by a route of their own: %v", kinds, stated)
	}
}

// TestEveryPlansEventIsPricedAndStored: the events of plans that are frozen, with private, tested and displaced steps, cost their
// guarantees too.
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
			t.Run(name+"/"+c.name, func(t *testing.T) { requireOnePrice(t, q.price.Event, rel, q.price.Guarantee) })
			priced++
		}
	}
	if priced < 130 {
		t.Errorf("priced %d plans", priced)
	}
}

// TestJointEventsCostTheirGuarantees: so do plans that are released together, of one plan, of Gaussian ones, of pure ones, of those that a
// Gaussian covers, and of those that may fail.
func TestJointEventsCostTheirGuarantees(t *testing.T) {
	t.Parallel()
	for rel, target := range map[accountant.Neighbours]Target{ReplaceOne: {Epsilon: 1, Delta: 1e-6}, AddRemove: {Epsilon: 8, Delta: 1e-4}} {
		d := must(Demo(tinyFrame(t, 400, 1), 1, rel)).Data()
		filled := d.OneHot().Impute(Midpoint{}).Scale()
		tested := d.OneHot().Impute(Mean{Pad: 1, MaxMissing: Test(250, Tested{Share: 0.3, Delta: 1e-8})}).Scale()
		for name, plans := range map[string][]AnyPlan{
			"one":      {filled.FitLogistic(ByMixing{})},
			"alone":    {filled.FitLogistic(ByObjective{Alone: true})},
			"Gaussian": {d.Count(Target{}, Is("work", "a")), filled.Mean(Target{})},
			"pure":     {d.Count(Target{Noise: NoiseLaplace}, Is("work", "a")), d.Quantile(Target{}, 0.5, "age")},
			"mixed":    {d.Quantile(Target{}, 0.5, "age"), filled.Mean(Target{})},
			"covered":  {filled.FitLogistic(ByMixing{}), filled.Mean(Target{})},
			"sampled":  {filled.FitLogistic(ByGradient{Steps: 5, Solver: PoissonSampling{Rate: 0.1}}), filled.Mean(Target{})},
			"a pass":   {filled.FitLogistic(ByGradient{Solver: ByIteration{}}), filled.Mean(Target{})},
			"tested":   {tested.Mean(Target{}), d.Count(Target{}, Is("work", "a"))},
		} {
			t.Run(fmt.Sprint(name, " ", rel), func(t *testing.T) {
				p := Together(target, plans...)
				c, err := p.Cost()
				if err != nil {
					t.Fatal(err)
				}
				e, of, err := p.Event()
				if err != nil || of != rel {
					t.Fatal(of, err)
				}
				requireOnePrice(t, e, rel, c.Guarantee)
			})
		}
	}
}
