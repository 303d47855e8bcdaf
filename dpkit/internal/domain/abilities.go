package domain

// What a step of this module says of the columns that it looks at. A step of another module is taken to look at all: what a plan does
// not read does not tell releases apart, and a ledger is not bound to it.

// A ByColumn step makes each column, or block of columns, of some columns of the same row alone, at no cost: others
// change neither its image nor the price of what comes behind. The identity of a release calls it: cells of columns that a plan does
// not read do not tell releases apart.
type ByColumn interface {
	// Origin names the columns and blocks that a column or block behind the step is made of.
	Origin(unit string) []string
}

// A LabelBlind step looks at no label: neither its fit nor its price changes with it. The identity of a release asks for it, as for
// [ByColumn].
type LabelBlind interface{ LabelBlind() }
