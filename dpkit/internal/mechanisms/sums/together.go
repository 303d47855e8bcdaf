package sums

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Together is a bound on what so many free rows of one person move a sum by that is better than the sum of what each does; zero: none is known.
type Together struct {
	Rows  int
	Moves float64
}

// of is what the free rows of a pair move a sum of d coordinates by, to which each adds c at most: further ones beside those of the person
// come on top.
func (t Together) of(p pair.State, c float64, d int) float64 {
	person := p
	person.F = min(p.F, t.Rows)
	moves := min(stage.UpSum(t.Moves, d), c*float64(person.FreeImages()))
	return stage.Up(moves + c*float64(p.FreeImages()-person.FreeImages()))
}

// togetherOf is what the rows of a person, whose number was bounded, move a sum by to which each adds c at most: under add/remove all of them
// are there on one side, and on the other none (docs/theory/tables.md#bounded-contributions).
func togetherOf(st stage.Stage, c float64) Together {
	k := st.Contributions.Rows
	if k <= 1 || st.Before.Neighbours != accountant.AddRemove || st.Before.F < k {
		return Together{}
	}
	//dp:charges sums/rows-of-a-person all rows of a person move a sum, not one
	//dp:lift float64(k) * c => c
	return Together{Rows: k, Moves: float64(k) * c}
}

// PersonRows is how many rows of one person a bound left, all of which are there on one side under add/remove; 1 where none is known.
func PersonRows(st stage.Stage) int { return max(1, st.Contributions.Rows) }

// FreeRows bounds how many rows come or go between the two sides of a pair, of which k are those of one person. A replaced row both goes
// and comes. Under add/remove all rows of the person are there on one side only; further free rows count as replaced
// (docs/theory/tables.md#quantiles-of-groups).
func FreeRows(p pair.State, k int) float64 {
	if p.Neighbours != accountant.AddRemove {
		return float64(p.FreeImages())
	}
	return float64(2*p.F - min(p.F, max(1, k)))
}
