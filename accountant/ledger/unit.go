package ledger

import "github.com/dpkit-go/dpnb/accountant"

// Unit is what two neighbouring datasets differ in: whom a budget protects. A ledger has one, in its header; those of the format's
// version 1, which does not say, are per row.
type Unit = accountant.Unit

// The units of a budget.
const (
	PerRow    = accountant.PerRow    // who has several rows has the budget several times
	PerPerson = accountant.PerPerson // each person with all of their rows

	// What a person did in one period, with all rows of it.
	PerPersonDay   = accountant.PerPersonDay
	PerPersonWeek  = accountant.PerPersonWeek
	PerPersonMonth = accountant.PerPersonMonth
	PerPersonYear  = accountant.PerPersonYear
)
