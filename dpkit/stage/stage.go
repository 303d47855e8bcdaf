package stage

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/budget"
	"github.com/dpkit-go/dpnb/frames"
)

// Stage is the public context of a step in its chain.
type Stage struct {
	In, Out frames.Schema // of the rows that go in, and that come out: what Check was given, and what it answered
	Before  pair.State    // on the rows that go in
	After   pair.State    // on the rows that come out; zero in Propagate, which computes it
	Taint   Taint         // of the columns that go in
	// Empty says that rows may have been removed: an empty row keeps its place and contributes
	// nothing. The free row can then be empty on one side.
	Empty bool
	// Unordered says that the rows of the two sides correspond to each other up to a permutation
	// only: a step or a mechanism that looks at the position of a row has no bound.
	Unordered bool

	// People says that rows are of people, each of whom may have any number of them: N counts the people. Only public maps of one row at a
	// time, and steps that bound what a person contributes, have a price there.
	People bool

	// Contributions bound the rows of a person behind a step that bounds them: N counts places, Contributions.Rows for each person, one
	// person's behind the other unless Unordered. Zero where rows are people, and where they are People's without a bound.
	Contributions Contributions

	// Spent is what private steps took of the budget. The engine sets it for mechanisms; a step reads zero.
	Spent budget.Spent
}

// Bounds returns the public bounds of a feature's values. Where rows may be empty they include 0:
// a fit counts an empty row as a row of zeros.
func (st Stage) Bounds(c frames.Column) (lo, hi float64) {
	if st.MayBeEmpty() {
		return min(c.Lo, 0), max(c.Hi, 0)
	}
	return c.Lo, c.Hi
}

// MayBeEmpty reports whether the free row may be empty on one side: a row that a step removed, or
// the row that the neighbouring dataset does not have.
func (st Stage) MayBeEmpty() bool {
	return st.Empty || st.Before.Neighbours == accountant.AddRemove
}

// EmptyImage completes the pair behind a map that sends rows of zeros elsewhere: a free row that is
// empty on one side stays empty, so that the two differ by up to the norm of the other's image.
func (st Stage) EmptyImage(p pair.State) pair.State {
	if st.MayBeEmpty() {
		p.DFree = max(p.DFree, p.R)
	}
	return p
}
