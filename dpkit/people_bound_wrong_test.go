package dpkit

import (
	"cmp"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
)

// A keeping rule is a map from the bags of all people to those that are kept.
type keepingRule func(all [][]string) [][]string

// byFrequency keeps the first k of a person's rows in the order of how often they are in the table, the most frequent first.
func byFrequency(k int) keepingRule {
	return func(all [][]string) (out [][]string) {
		count := map[string]int{}
		for _, bag := range all {
			for _, row := range bag {
				count[row]++
			}
		}
		for _, bag := range all {
			bag = slices.Clone(bag)
			slices.SortFunc(bag, func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
			out = append(out, bag[:min(k, len(bag))])
		}
		return out
	}
}

// groupsByFrequency keeps, of a person's groups of equal rows, the g that are the most frequent in the table, and r rows of each.
func groupsByFrequency(g, r int) keepingRule {
	return func(all [][]string) (out [][]string) {
		count := map[string]int{}
		for _, bag := range all {
			for _, row := range bag {
				count[row]++
			}
		}
		for _, bag := range all {
			groups := map[string][]string{}
			for _, row := range bag {
				groups[row] = append(groups[row], row)
			}
			names := slices.SortedFunc(maps.Keys(groups), func(a, b string) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
			var keep []string
			for _, name := range names[:min(g, len(names))] {
				keep = append(keep, groups[name][:min(r, len(groups[name]))]...)
			}
			out = append(out, keep)
		}
		return out
	}
}

// fromOneStream keeps k rows by draws of one seeded stream for all people, one after the other.
func fromOneStream(k int) keepingRule {
	return func(all [][]string) (out [][]string) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, bag := range all {
			bag = slices.Clone(bag)
			rng.Shuffle(len(bag), func(i, j int) { bag[i], bag[j] = bag[j], bag[i] })
			out = append(out, bag[:min(k, len(bag))])
		}
		return out
	}
}

// onceInAll keeps the first k of a person's rows that nobody before has.
func onceInAll(k int) keepingRule {
	return func(all [][]string) (out [][]string) {
		seen := map[string]bool{}
		for _, bag := range all {
			var keep []string
			for _, row := range bag {
				if !seen[row] && len(keep) < k {
					keep, seen[row] = append(keep, row), true
				}
			}
			out = append(out, keep)
		}
		return out
	}
}

// joined keeps k rows by their values, and then joins each with what a public table has of it: three rows.
func joined(k int) keepingRule {
	return func(all [][]string) (out [][]string) {
		for _, bag := range all {
			bag = slices.Clone(bag)
			slices.Sort(bag)
			var rows []string
			for _, row := range bag[:min(k, len(bag))] {
				rows = append(rows, row+"1", row+"2", row+"3")
			}
			out = append(out, rows)
		}
		return out
	}
}

// bound is Bound itself, which leaves k rows of a person, of rows whose text is a ward.
func bound(t *testing.T, k int, to Contributing) keepingRule {
	return func(all [][]string) [][]string {
		var visits []visit
		for who, bag := range all {
			for _, row := range bag {
				visits = append(visits, visit{who: who, ward: slices.Index(wardNames, row)})
			}
		}
		places := kept(t, must(Demo(visitFrame(t, visits), 1, ReplaceOne)).Data().Bound(to))
		var out [][]string
		for ; len(places) > 0; places = places[k:] {
			out = append(out, slices.DeleteFunc(slices.Clone(places[:k]), func(s string) bool { return s == "" }))
		}
		return out
	}
}

// breaks is how many rows of the kept tables differ at most, and of how many people, in pairs that differ in one person's bag.
func (rule keepingRule) breaks(seed uint64) (most, people int) {
	rng := rand.New(rand.NewPCG(seed, 22))
	bag := func() (out []string) {
		for range 1 + rng.IntN(3) {
			out = append(out, wardNames[rng.IntN(3)])
		}
		return out
	}
	for range 60 {
		var a [][]string
		for range 8 {
			a = append(a, bag())
		}
		b := slices.Clone(a)
		at := rng.IntN(len(a))
		b[at] = bag()
		count := map[string]int{}
		more, changed := 0, 0
		x, y := rule(a), rule(b)
		for i := range x {
			slices.Sort(x[i])
			slices.Sort(y[i])
			for _, row := range x[i] {
				count[row]++
			}
			for _, row := range y[i] {
				count[row]--
			}
			if !slices.Equal(x[i], y[i]) {
				changed++
			}
		}
		for _, n := range count {
			more += max(n, 0)
		}
		most, people = max(most, more), max(people, changed)
	}
	return most, people
}

// TestBoundsThatBelieveTooLittle: rules that look at other people's rows, or are followed by what multiplies rows, move more rows than are
// charged, and pairs of tables show it; Bound does not.
func TestBoundsThatBelieveTooLittle(t *testing.T) {
	for k := 1; k <= 2; k++ {
		for name, rule := range map[string]keepingRule{
			"by what is frequent": byFrequency(k), "by one stream for all": fromOneStream(k), "behind Dedup of all": onceInAll(k), "before a join": joined(k),
			"groups by what is frequent": groupsByFrequency(k, 1), "groups of several rows by what is frequent": groupsByFrequency(1, k),
		} {
			if most, people := rule.breaks(7); most <= k && people <= 1 {
				t.Errorf("%s: %d rows of %d people differ, and the attack misses what is wrong with it", name, most, people)
			}
		}
		for _, to := range []Contributing{
			{Rows: k}, {Groups: k, RowsPerGroup: 1, By: []string{"ward"}}, {Groups: 1, RowsPerGroup: k, By: []string{"ward"}},
		} {
			if most, people := bound(t, k, to).breaks(7); most != k || people != 1 {
				t.Errorf("%+v: %d rows of %d people differ, want %d of one", to, most, people, k)
			}
		}
	}
	// 1000 people with rows of two wards, and one person more with one of them: K = 1, or one group of at most two rows.
	all := slices.Repeat([][]string{{"heart", "lung"}}, 1000)
	counts := func(rule keepingRule, last string) (out [2]float64) {
		for _, bag := range rule(append(slices.Clone(all), []string{last})) {
			for _, row := range bag {
				out[slices.Index([]string{"heart", "lung"}, row)]++
			}
		}
		return out
	}
	a, b := counts(byFrequency(1), "heart"), counts(byFrequency(1), "lung")
	if d := math.Hypot(a[0]-b[0], a[1]-b[1]); a != [2]float64{1001, 0} || b != [2]float64{0, 1001} || math.Abs(d-1415.6) > 0.1 {
		t.Errorf("by what is frequent: %v and %v, apart by %g", a, b, d)
	}
	all = slices.Repeat([][]string{{"heart", "heart", "lung", "lung"}}, 1000)
	a, b = counts(groupsByFrequency(1, 2), "heart"), counts(groupsByFrequency(1, 2), "lung")
	if a != [2]float64{2001, 0} || b != [2]float64{0, 2001} {
		t.Errorf("groups by what is frequent: %v and %v", a, b)
	}
}

// TestBehindBoundBelievedTooLittle: who believes that a row is a person behind Bound, that deduplication across people frees no row, or that
// the rows of a removed person displace nobody, is shown a pair of tables that breaks it.
func TestBehindBoundBelievedTooLittle(t *testing.T) {
	for name, c := range map[string]struct {
		chain    func(Pipeline) Pipeline
		believed func(attack.Claim) attack.Claim
	}{
		"a row is a person": {
			chain:    func(p Pipeline) Pipeline { return p },
			believed: func(c attack.Claim) attack.Claim { c.Pair.F = 1; return c },
		},
		"Dedup by keys is free": {
			chain:    func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "u") },
			believed: func(c attack.Claim) attack.Claim { c.Pair.F = 2; return c },
		},
		"a mean moves as with one row": {
			chain: func(p Pipeline) Pipeline { return p.Drop("town", "job").Center() },
			believed: func(c attack.Claim) attack.Claim {
				c.Pair.T1, c.Pair.TF, c.Pair.TInf = c.Pair.T1/2.2, c.Pair.TF/2.2, c.Pair.TInf/2.2
				return c
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := boundAttack{domain: wholeDomain(1), to: Contributing{Rows: 2}, k: 2, chain: c.chain(Pipeline{}).steps, rel: accountant.ReplaceOne, pairs: 100, seed: 3}
			if best, breach, refused := a.run(t); breach != "" || refused != nil {
				t.Fatalf("as it is priced: %v %s %v", best, breach, refused)
			}
			a.believed = c.believed
			if best, breach, _ := a.run(t); breach == "" {
				t.Errorf("the attack misses it: %v", best)
			}
		})
	}
}
