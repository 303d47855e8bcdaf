package stage

// Kind says how a step of a chain comes by what it needs to know.
type Kind string

const (
	// Public steps use public facts: they cost nothing.
	Public Kind = "public"
	// Fitted steps learn from private rows without noise: every row moves when one changes, and the
	// noise at the end grows.
	Fitted Kind = "non-private"
	// TestedFit is a fitted step whose price rests on a number that a private test certifies.
	TestedFit Kind = "tested"
	// Private steps learn from a noisy release of their own, with a share of the budget.
	Private Kind = "private"
	// LeftOut is the chain without the step.
	LeftOut Kind = "left out"
	// Release is another mechanism at the end of the chain.
	Release Kind = "release"
)

// Alternative is another way to take a step.
type Alternative struct {
	Kind Kind
	Step Preprocessor
	// Same says that the way does the same job, whatever is released, so that the predicted error decides. Otherwise it is listed and not
	// recommended.
	Same bool
	// SameModel says that the way does the same job in front of a model of linear scores, which spans the same functions of the rows with
	// either. What other releases tell would change.
	SameModel bool
	Note      string
}
