package dpkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// TestTopK: people count once in each of their groups, however many rows they have there; without noise the order is that of the numbers, and
// with little noise as well.
func TestTopK(t *testing.T) {
	var all []visit
	for who := range 300 {
		all = append(all, visit{who, 1, 1, 1, 0}) // lung: everybody
		if who < 200 {
			all = append(all, visit{who, 1, 1, 2, 0}, visit{who, 2, 1, 2, 0}) // skin: twice each
		}
		if who < 10 {
			for range 90 {
				all = append(all, visit{who, float64(who), 1, 0, 0}) // heart: most rows
			}
		}
	}
	f := visitFrame(t, all)
	p := must(Demo(f, 1, AddRemove)).Data().Bound(Contributing{Groups: 4, RowsPerGroup: 50, By: []string{"ward"}})
	got := must(p.TopK(3, Target{Epsilon: 3}, "ward").Release(t.Context())).Value
	if want := "[[lung] [skin] [heart]]"; fmt.Sprint(got.Groups) != want || got.Among != 4 {
		t.Errorf("got %v of %d, want %s of 4", got.Groups, got.Among, want)
	}
	if m := must(got.Margin(0.95)); !(m > 0 && m < 60) {
		t.Errorf("margin %g", m)
	}
	s := must(Demo(f, 1, AddRemove)).Data()
	exact := must(OnPublic(frames.Public(f))).Data().PerPerson(MostFrequent{Column: "ward"}).TopK(2, Target{}, "ward")
	if got := must(exact.Release(t.Context())).Value; fmt.Sprint(got.Groups) != "[[skin] [lung]]" || got.Rate != 0 {
		t.Errorf("without noise: %v", got)
	}
	for name, c := range map[string]struct {
		plan AnyPlan
		says string
		is   error
	}{
		"no rank":         {p.TopK(0, Target{Epsilon: 1}, "ward"), "k: got 0", ErrParameter},
		"all groups":      {p.TopK(4, Target{Epsilon: 1}, "ward"), "fewer than the 4 groups", ErrParameter},
		"no column":       {p.TopK(1, Target{Epsilon: 1}), "one group", ErrParameter},
		"numbers":         {p.TopK(1, Target{Epsilon: 1}, "stay"), "want public levels", ErrColumn},
		"noise":           {p.TopK(1, Target{Epsilon: 1, Noise: NoiseGaussian}, "ward"), "drawn from weights", ErrParameter},
		"rows of people":  {s.TopK(1, Target{Epsilon: 1}, "ward"), "rows are of people", ErrOrder},
		"further rows":    {s.PerPerson(MostFrequent{Column: "ward"}, MeanOf{Column: "stay"}).Dedup(Exact{}, "ward").TopK(1, Target{Epsilon: 1}, "ward"), "frees further rows", ErrOrder},
		"private queries": {s.PerPerson(MostFrequent{Column: "ward"}, MeanOf{Column: "stay"}).Impute(PrivateMean{Share: 0.1}, "mean of stay").TopK(1, Target{Epsilon: 1}, "ward"), "", nil},
	} {
		_, err := c.plan.plan().Cost()
		if err == nil || c.is != nil && !errors.Is(err, c.is) || !strings.Contains(fmt.Sprint(err), c.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTopKCostsTheSameInAnyNumberOfGroups: and k ranks less than k times one where δ is above 0.
func TestTopKCostsTheSameInAnyNumberOfGroups(t *testing.T) {
	rate := func(rel accountant.Neighbours, groups, k int, of Target) float64 {
		s := must(Demo(visitFrame(t, []visit{{1, 1, 1, 1, 0}, {2, 1, 1, 2, 0}}), 1, rel))
		r := must(s.Data().Bound(Contributing{Groups: groups, RowsPerGroup: 7, By: []string{"ward"}}).TopK(k, of, "ward").Release(t.Context()))
		if g := r.Cost.Guarantee; !(g.Epsilon <= of.Epsilon && g.Epsilon > 0.99*of.Epsilon) {
			t.Errorf("%v, %d ranks: a guarantee of %v for %v", rel, k, g, of)
		}
		return r.Value.Rate
	}
	pure := Target{Epsilon: 1}
	for groups := 1; groups <= 4; groups++ {
		for rel, want := range map[accountant.Neighbours]float64{ReplaceOne: 0.5, AddRemove: 1} {
			for k := 1; k <= 3; k++ {
				if got := rate(rel, groups, k, pure); !(got <= want/float64(k) && got > 0.999*want/float64(k)) {
					t.Errorf("%v, %d groups, %d ranks: η = %g, want %g", rel, groups, k, got, want/float64(k))
				}
			}
		}
	}
	if one, three := rate(AddRemove, 4, 1, Target{Epsilon: 1, Delta: 1e-6}), rate(AddRemove, 4, 3, Target{Epsilon: 1, Delta: 1e-6}); !(one > 1 && three > one/3) {
		t.Errorf("η = %g for one rank and %g for three", one, three)
	}
}

// orders are the probabilities of all lists of k groups, as peeling draws them.
func orders(people []float64, eta float64, k int) map[string]float64 {
	out := map[string]float64{}
	var walk func(name string, left []int, p float64)
	walk = func(name string, left []int, p float64) {
		if len(people)-len(left) == k {
			out[name] = p
			return
		}
		total := 0.0
		for _, g := range left {
			total += math.Exp(eta * people[g])
		}
		for i, g := range left {
			walk(fmt.Sprint(name, g), slices.Delete(slices.Clone(left), i, i+1), p*math.Exp(eta*people[g])/total)
		}
	}
	left := make([]int, len(people))
	for g := range left {
		left[g] = g
	}
	walk("", left, 1)
	return out
}

// TestTopKReachesItsEpsilon: of all that a person may do, in any number of groups, the law of the lists moves by no more than is claimed, and by
// nearly as much where groups are few people's; a range of η for a person who is replaced is too little. What is drawn has that law.
func TestTopKReachesItsEpsilon(t *testing.T) {
	const groups = 4
	for k := 1; k < groups; k++ {
		for rel, moves := range map[accountant.Neighbours]float64{AddRemove: 1, ReplaceOne: 2} {
			const eta = 0.4
			worst := 0.0
			for _, base := range [][]float64{{1, 1, 1, 1}, {1, 9, 9, 9}, {1, 1, 30, 30}, {1, 2, 3, 4}, {30, 30, 1, 1}, {1, 40, 40, 40}} {
				for a := range 1 << groups {
					for b := range 1 << groups {
						if rel == AddRemove && b != 0 {
							continue
						}
						x, y := slices.Clone(base), slices.Clone(base)
						for g := range groups {
							x[g] += float64(a >> g & 1)
							y[g] += float64(b >> g & 1)
						}
						p, q := orders(x, eta, k), orders(y, eta, k)
						for list := range p {
							worst = max(worst, math.Abs(math.Log(p[list]/q[list])))
						}
					}
				}
			}
			claim := float64(k) * moves * eta
			if !(worst <= claim*(1+1e-12) && worst > 0.6*claim) {
				t.Errorf("%v, %d ranks: lists move by %g, claimed %g", rel, k, worst, claim)
			}
			if rel == ReplaceOne && !(worst > claim/2) {
				t.Errorf("%d ranks: a range of η for each is not refuted: %g", k, worst)
			}
		}
	}
	// What is drawn, 4000 times: shares are off by 6.5 standard deviations with probability below 1e-10 each.
	schema := mustSchema(frames.Category("a", "0", "1", "2", "3"), frames.Numeric("z", 0, 1), frames.Label("y", "no", "yes"))
	var rows [][]float64
	for g, n := range []int{3, 5, 4, 1} {
		for range n {
			rows = append(rows, []float64{float64(g), 0, 0})
		}
	}
	plan := must(Demo(frameOf(t, schema, rows), 1, AddRemove)).Data().TopK(2, Target{Epsilon: 1}, "a")
	values := must(plan.Replicate(t.Context(), 4000))
	seen := map[string]float64{}
	for _, v := range values {
		seen[v.Groups[0][0]+v.Groups[1][0]]++
	}
	for list, p := range orders([]float64{3, 5, 4, 1}, values[0].Rate, 2) {
		if share := seen[list] / 4000; math.Abs(share-p) > 6.5*math.Sqrt(p*(1-p)/4000) {
			t.Errorf("list %s comes with share %g, want %g", list, share, p)
		}
	}
}
