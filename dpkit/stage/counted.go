package stage

// Counted says in words what is counted behind a step, where that is not what was counted before it. All of it is made of public facts.
type Counted struct {
	// Rows says which rows are counted, such as "at most 3 rows a person; rows beyond are not counted"; "" where they are those before.
	Rows string
	// Values says what became of values of Columns, such as "stay clamped to [0, 30]"; "" where they are those before. A column of
	// another name is no such value: it says itself what it is.
	Values  string
	Columns []string
	// Lost says what is left out or moved without a trace: how far it moves a number follows from no public fact, and no prediction or
	// interval has it. "" where nothing is.
	Lost string
}

// A Counter is a [Preprocessor] that drops rows, makes rows of others, or changes values. Whatever is released behind it says so. A step of
// another module that is no Counter is named in place of its words.
type Counter interface {
	// Counted is what is counted behind the step at a stage of a chain, after Check.
	Counted(st Stage) Counted
}
