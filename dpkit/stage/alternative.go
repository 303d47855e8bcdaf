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
)

// Alternative is another way to take a step.
type Alternative struct {
	Kind Kind
	Step Preprocessor
	// Same says that the way does the same job, so that its price alone decides. Otherwise it is
	// listed and not recommended.
	Same bool
	// Adequate says that the answers to its private queries are accurate enough to use, by the rule in Note.
	Adequate bool
	Note     string
}
