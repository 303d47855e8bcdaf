package tables

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// counting is a table of counts that is made of the bags of all people: rows are numbers of groups.
type counting func(people [][]int) []float64

const wrongGroups = 4

// apart is how far tables of counts lie apart at most in pairs that differ in one person's bag.
func (table counting) apart(seed uint64, bag func(*rand.Rand) []int) (most float64) {
	rng := rand.New(rand.NewPCG(seed, 23))
	for range 300 {
		var a [][]int
		for range 12 {
			a = append(a, bag(rng))
		}
		b := slices.Clone(a)
		b[rng.IntN(len(b))] = bag(rng)
		most = max(most, between(table(a), table(b)))
	}
	return most
}

func between(a, b []float64) (d float64) {
	for g := range a {
		d = math.Hypot(d, a[g]-b[g])
	}
	return d
}

// frequentGroups keeps of each person the rows of the two groups that are the most frequent in the whole table, or, where own, of the two that come
// first among theirs.
func frequentGroups(own bool) counting {
	return func(people [][]int) []float64 {
		frequency := make([]int, wrongGroups)
		for _, bag := range people {
			for _, g := range bag {
				frequency[g]++
			}
		}
		counts := make([]float64, wrongGroups)
		for _, bag := range people {
			groups := slices.Compact(slices.Sorted(slices.Values(bag)))
			if !own {
				slices.SortFunc(groups, func(a, b int) int { return cmp.Or(frequency[b]-frequency[a], a-b) })
			}
			for _, g := range groups[:min(2, len(groups))] {
				counts[g]++ // one row of a group
			}
		}
		return counts
	}
}

// TestGroupsByFrequencyBelieveTooLittle: groups of a person that are chosen by what is frequent in the whole table move with somebody else's rows, by
// more than a table pays for; groups that are chosen by that person's rows alone do not, and attain it.
func TestGroupsByFrequencyBelieveTooLittle(t *testing.T) {
	bag := func(rng *rand.Rand) (out []int) {
		for range 1 + rng.IntN(4) {
			out = append(out, rng.IntN(wrongGroups))
		}
		return out
	}
	believed := contributions{rows: 2, perGroup: 1, groups: 2, cells: wrongGroups, rel: accountant.ReplaceOne}.l2()
	if d := frequentGroups(false).apart(1, bag); !(d > 1.2*believed) {
		t.Errorf("by what is frequent: tables lie %g apart, and the attack misses what is wrong with %g", d, believed)
	}
	if d := frequentGroups(true).apart(1, bag); !(d <= believed) || !(d >= 0.99*believed) {
		t.Errorf("by a person's own rows: tables lie %g apart, charged are %g", d, believed)
	}
	// Of many people one decides for all.
	all := slices.Repeat([][]int{{0, 1, 2}}, 1000)
	a := frequentGroups(false)(append(slices.Clone(all), []int{0}))
	b := frequentGroups(false)(append(slices.Clone(all), []int{2}))
	if d := between(a, b); !(math.Abs(d-math.Hypot(1000, 1001)) < 2) {
		t.Errorf("%v and %v lie %g apart", a, b, d)
	}
}

// shift is a row of another people's table: who works where, by the key that visits have too, and of which kind they are.
type shift struct{ key, group int }

// joined counts the joined rows of visits, which are keys, and shifts by the group of the shift. Of the joined rows of each owner of a visit at most
// keep stay, the first by their values; 0: all.
func joined(visits [][]int, shifts []shift, keep int) []float64 {
	counts := make([]float64, wrongGroups)
	for _, bag := range visits {
		var rows []int
		for _, key := range bag {
			for _, s := range shifts {
				if s.key == key {
					rows = append(rows, s.group)
				}
			}
		}
		if slices.Sort(rows); keep > 0 {
			rows = rows[:min(keep, len(rows))]
		}
		for _, g := range rows {
			counts[g]++
		}
	}
	return counts
}

// TestJoinsBelieveTooLittle: a joined row of two people's tables has two owners. Bounds on what the owners of visits contribute, before the join or
// behind it, do not bound what one owner of a shift moves. A join with a public table of at most M rows for a key leaves K·M rows of each
// person, and K believed is too few.
func TestJoinsBelieveTooLittle(t *testing.T) {
	charged := func(rows int) float64 {
		return contributions{rows: rows, perGroup: rows, groups: rows, cells: wrongGroups, rel: accountant.ReplaceOne}.l2()
	}
	// One row of each owner of a visit, all of the same key; one owner of one shift of that key moves to another group.
	visits := slices.Repeat([][]int{{7}}, 1000)
	for _, keep := range []int{0, 1} {
		d := between(joined(visits, []shift{{7, 0}}, keep), joined(visits, []shift{{7, 1}}, keep))
		if !(math.Abs(d-1000*math.Sqrt2) < 1e-9) || !(d > 900*charged(1)) {
			t.Errorf("at most %d joined rows of the owner of a visit: the owner of a shift moves tables by %g", keep, d)
		}
	}
	// Small tables, where the person who differs owns shifts.
	for _, keep := range []int{0, 1, 2} {
		rng := rand.New(rand.NewPCG(uint64(keep), 24))
		most := 0.0
		for range 300 {
			var visits [][]int
			for range 6 {
				visits = append(visits, []int{rng.IntN(3)})
			}
			shifts := []shift{{rng.IntN(3), rng.IntN(wrongGroups)}, {rng.IntN(3), rng.IntN(wrongGroups)}}
			other := slices.Clone(shifts)
			other[0] = shift{rng.IntN(3), rng.IntN(wrongGroups)}
			most = max(most, between(joined(visits, shifts, keep), joined(visits, other, keep)))
		}
		if believed := charged(max(keep, 1)); !(most > 1.4*believed) {
			t.Errorf("at most %d joined rows: tables lie %g apart, and the attack misses what is wrong with %g", keep, most, believed)
		}
	}
	// A public table of three rows for each key, and two rows of a person: K = 2, M = 3.
	public := []shift{{0, 0}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {2, 2}, {2, 3}, {2, 3}}
	d := counting(func(people [][]int) []float64 { return joined(people, public, 0) }).apart(2, func(rng *rand.Rand) []int {
		return []int{rng.IntN(3), rng.IntN(3)}
	})
	if !(d > charged(2)) || !(d <= charged(6)) || !(d >= 0.99*charged(6)) {
		t.Errorf("with a public table: tables lie %g apart; %g are charged for K rows, %g for K·M", d, charged(2), charged(6))
	}
}
