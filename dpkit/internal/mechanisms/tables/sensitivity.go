package tables

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// contributions are what a person adds to a table at most: all of it public.
type contributions struct {
	rows     int // K ≥ 1: of a person
	perGroup int // R ≥ 1: of a person in one group
	groups   int // G ≥ 1: groups that a person has rows in
	cells    int // groups of the table

	// A row adds (1, s₁u₁, …, s_m u_m), |u_j| ≤ 1, to its group, of which l2 reads the sum of the squares of s and l1 that of their sizes. A
	// person adds people to a further cell of each group that it has rows in; 0: the table has no such cells.
	weights float64
	people  float64
	rel     accountant.Neighbours
}

// oneRowEach are the contributions where rows are people.
func oneRowEach(weights float64, cells int, rel accountant.Neighbours) contributions {
	return contributions{rows: 1, perGroup: 1, groups: 1, cells: cells, weights: weights, rel: rel}
}

// contributionsOf are what a person, whose rows were bounded, adds to a table by such columns. What bounds rows in groups of other columns
// bounds those of the table where one is a crossing of more columns than the other: groups of the finer one have no more rows each, and
// there are no more of the coarser one. ok is false where a person has one row, or where steps behind the bound freed further rows.
func contributionsOf(st stage.Stage, by []string, cells int, weights, people float64) (c contributions, ok bool) {
	to := st.Contributions
	if to.Rows <= 1 || st.Before.F != to.Rows {
		return oneRowEach(weights, cells, st.Before.Neighbours), false
	}
	c = contributions{rows: to.Rows, perGroup: to.Rows, groups: to.Rows, cells: cells, weights: weights, people: people, rel: st.Before.Neighbours}
	within := func(a, b []string) bool {
		return !slices.ContainsFunc(a, func(name string) bool { return !slices.Contains(b, name) })
	}
	//dp:charges table/groups-of-other-columns one group of the bound may be several of the table
	//dp:lift within(to.By, by) => true
	if len(to.By) > 0 && within(to.By, by) {
		c.perGroup = to.PerGroup
	}
	if len(to.By) > 0 && within(by, to.By) {
		c.groups = to.Groups
	}
	return c.closed(), true
}

// closed makes K ≤ G·R, R ≤ K and G ≤ K, none of which leaves out a bag of rows. No person has rows in more groups than there are.
func (c contributions) closed() contributions {
	c.groups = min(c.groups, c.cells, c.rows)
	if c.perGroup = min(c.perGroup, c.rows); c.groups < (c.rows+c.perGroup-1)/c.perGroup {
		c.rows = c.groups * c.perGroup
	}
	return c
}

// enumerated is up to how many groups of a person l2 goes through all bags that may be the worst, where it has no closed form that is
// attained. Beyond, it is the closed form, which is above.
const enumerated = 12

// l2 bounds the distance of the tables of two neighbouring datasets, rounded up (docs/theory/tables.md#several-rows-of-a-person). With a_g and
// b_g rows of the person in group g on the two sides its square is the largest of
//
//	Σ_g p²(1[a_g > 0] − 1[b_g > 0])² + (a_g − b_g)² + S(a_g + b_g)²
//
// over what is allowed on each side, b = 0 under add/remove. It is convex in a and b where they are positive, so that a worst side has
// rows in i groups, R of them in all but some that have 1 and at most one in between.
func (c contributions) l2() float64 {
	c = c.closed()
	p2, s := c.people*c.people, c.weights
	if c.rel == accountant.AddRemove {
		return stage.Up(math.Sqrt(c.largest(p2, 1+s)))
	}
	// Twice one side: (a − b)² + S(a + b)² is at most max(1 + S, 2S)(a² + b²), attained in different groups for S ≤ 1 and in the same for S ≥ 1.
	most := 2 * c.largest(p2, max(1+s, 2*s))
	if c.groups <= enumerated {
		most = min(most, c.both(p2))
	}
	return stage.Up(math.Sqrt(most))
}

// largest is the largest Σ_g one·1[a_g > 0] + square·a_g² of one side: given the number of groups, the rows stand in as few as can be.
func (c contributions) largest(one, square float64) (most float64) {
	for groups := 1; groups <= c.groups; groups++ {
		if one == 0 {
			groups = c.groups
		}
		least := 1.0 // rows in each of the groups; without a cell of people nothing is gained by a row for itself
		if one == 0 {
			least = 0
		}
		left, full := float64(c.rows)-least*float64(groups), float64(groups)
		if r := float64(c.perGroup) - least; r > 0 {
			full = min(full, math.Floor(left/r))
		}
		r := float64(c.perGroup)
		sum := full * r * r
		if full < float64(groups) {
			rest := least + left - full*(r-least)
			sum += rest*rest + (float64(groups)-full-1)*least*least
		}
		most = max(most, one*float64(groups)+square*sum)
	}
	return most
}

// both is the exact maximum over two sides. Beyond what the sides have for themselves a group in which both have rows, a and b, adds
// 2(S − 1)ab − 2p²: for S ≤ 1 there are as few of those as the table's groups allow, of the smallest numbers, the least with the largest;
// for S > 1 they are of the largest, in the same order.
func (c contributions) both(p2 float64) (most float64) {
	sides := c.sides(p2 > 0)
	for _, a := range sides {
		for _, b := range sides {
			alone := 0.0
			for _, side := range [2][]float64{a, b} {
				for _, rows := range side {
					alone += p2 + (1+c.weights)*rows*rows
				}
			}
			n := min(len(a), len(b))
			for shared := max(0, len(a)+len(b)-c.cells); shared <= n; shared++ {
				move := alone
				for i := range shared { // sides fall
					x, y := a[i], b[i]
					if c.weights <= 1 {
						x, y = a[len(a)-1-i], b[len(b)-shared+i]
					}
					move += 2*(c.weights-1)*x*y - 2*p2
				}
				most = max(most, move)
			}
		}
	}
	return most
}

// sides are the bags that may be the worst on one side, as the rows in each group, falling: some groups at R, one in between where rows are
// left, and some at 1 where single rows count.
func (c contributions) sides(singles bool) [][]float64 {
	out := [][]float64{{}}
	r := c.perGroup
	for full := 0; full <= c.groups && full*r <= c.rows; full++ {
		for ones := 0; full+ones <= c.groups && full*r+ones <= c.rows; ones++ {
			if ones > 0 && (!singles || r == 1) {
				break
			}
			side := slices.Concat(slices.Repeat([]float64{float64(r)}, full), slices.Repeat([]float64{1}, ones))
			out = append(out, side)
			if left := min(c.rows-full*r-ones, r-1); left > 1 || left == 1 && !singles {
				if full+ones < c.groups {
					out = append(out, slices.Insert(slices.Clone(side), full, float64(left)))
				}
			}
		}
	}
	return out
}

// l1 bounds the distance in the sum of absolute values, rounded up: with σ = Σ|s_j|, a row adds 1 + σ under add/remove, a person that has
// rows in m groups m·p. Two sides move at most twice that; in a table of one group the counts, and the person, cancel.
func (c contributions) l1() float64 {
	c = c.closed()
	rows, groups := float64(c.rows), float64(c.groups)
	one := (1+c.weights)*rows + c.people*groups
	switch {
	case c.rel == accountant.AddRemove:
	case c.cells == 1:
		one = max(one, 2*c.weights*rows)
	default:
		one *= 2
	}
	return stage.Up(one)
}
