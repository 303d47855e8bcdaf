package tables

import (
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// worst goes through all bags on both sides.
func worst(c contributions, norm func(a, b int) float64) (most float64) {
	a, b := make([]int, c.cells), make([]int, c.cells)
	var side func(at []int, g, rows, groups int, then func())
	side = func(at []int, g, rows, groups int, then func()) {
		if g == len(at) {
			then()
			return
		}
		for n := 0; n <= min(rows, c.perGroup); n++ {
			used := 0
			if n > 0 {
				used = 1
			}
			if used > groups {
				break
			}
			at[g] = n
			side(at, g+1, rows-n, groups-used, then)
		}
		at[g] = 0
	}
	side(a, 0, c.rows, c.groups, func() {
		measure := func() {
			s := 0.0
			for g := range a {
				s += norm(a[g], b[g])
			}
			most = max(most, s)
		}
		if c.rel == accountant.AddRemove {
			measure()
			return
		}
		side(b, 0, c.rows, c.groups, measure)
	})
	return most
}

func (c contributions) square(a, b int) float64 {
	x, y, person := float64(a), float64(b), 0.0
	if (a > 0) != (b > 0) {
		person = 1
	}
	return c.people*c.people*person + (x-y)*(x-y) + c.weights*(x+y)*(x+y)
}

func (c contributions) size(a, b int) float64 {
	x, y, person := float64(a), float64(b), 0.0
	if (a > 0) != (b > 0) {
		person = 1
	}
	return c.people*person + math.Abs(x-y) + c.weights*(x+y)
}

// TestContributionsByEnumeration: over small numbers of all kinds, the distance in ℓ2 is that of the worst pair of bags; that in ℓ1 is never
// below it.
func TestContributionsByEnumeration(t *testing.T) {
	for rows := 1; rows <= 4; rows++ {
		for perGroup := 1; perGroup <= 3; perGroup++ {
			for groups := 1; groups <= 3; groups++ {
				for cells := 1; cells <= 4; cells++ {
					for _, s := range []float64{0, 0.3, 1, 2.5} {
						for _, people := range []float64{0, 0.5, 1, 3} {
							for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
								c := contributions{rows: rows, perGroup: perGroup, groups: groups, cells: cells, weights: s, people: people, rel: rel}
								want, got := math.Sqrt(worst(c, c.square)), c.l2()
								if !(got >= want*(1-0x1p-50)) || !(got <= want*(1+1e-9)) {
									t.Errorf("%+v: ℓ2 %.17g, want %.17g", c, got, want)
								}
								if want, got := worst(c, c.size), c.l1(); !(got >= want*(1-0x1p-50)) || people == 0 && rel == accountant.AddRemove && got > want*(1+1e-9) {
									t.Errorf("%+v: ℓ1 %.17g, want %.17g", c, got, want)
								}
							}
						}
					}
				}
			}
		}
	}
}

// TestContributionsOfMany: beyond what is enumerated the distance stays above it, and where the table has room for both sides it is attained.
func TestContributionsOfMany(t *testing.T) {
	for _, s := range []float64{0, 0.5, 1, 3} {
		for _, people := range []float64{0, 1} {
			for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
				t.Run(fmt.Sprint(s, people, rel), func(t *testing.T) {
					c := contributions{rows: 60, perGroup: 4, groups: 20, cells: 200, weights: s, people: people, rel: rel}
					// 60 rows stand in 15 groups of 4, or in 20 groups: 13 of 4, one of 2 and 6 of 1.
					of15, of20 := 15*people*people+(1+s)*240, 20*people*people+(1+s)*(13*16+4+6)
					want := max(of15, of20)
					if rel == accountant.ReplaceOne {
						if want *= 2; s > 1 { // both sides in the same groups
							want = 4 * s * 240
							if people > 0 && c.l2()*c.l2() < want {
								t.Errorf("got %g, want at least %g", c.l2()*c.l2(), want)
							}
						}
					}
					if got := c.l2() * c.l2(); got < want || people == 0 && got > want*(1+1e-9) || s <= 1 && got > want*(1+1e-9) {
						t.Errorf("got %g, want %g", got, want)
					}
				})
			}
		}
	}
}

// TestOneRowEach: a person with one row has the distance of a row, to the bit.
func TestOneRowEach(t *testing.T) {
	for _, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
		for _, cells := range []int{1, 2, 5000} {
			for _, s := range []float64{0, 1 - 0x1p-39, 2} {
				got, want := oneRowEach(s, cells, rel).l2(), oneRow(s, cells, rel)
				if rel == accountant.ReplaceOne {
					want *= 2
				}
				if got != want {
					t.Errorf("%v, %d groups, S = %g: got %.17g, want %.17g", rel, cells, s, got, want)
				}
			}
		}
	}
}
