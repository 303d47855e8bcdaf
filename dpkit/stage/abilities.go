package stage

// A byColumn is a step that makes each column, or block of columns, of some columns of the same row alone, at no cost: others
// change neither its image nor the price of what comes behind.
type ByColumn interface {
	// Origin names the columns and blocks that a column or block behind the step is made of.
	Origin(unit string) []string
}

// A labelBlind step looks at no label: neither its fit nor its price changes with it.
type LabelBlind interface{ LabelBlind() }

// A follower is a step of this module whose price, or whether it makes sense, depends on the steps before it. The driver of a
// chain calls it behind Propagate.
type Follower interface {
	Preprocessor
	Follow(before []PricedStep, st Stage, pr *Propagation) error
}
