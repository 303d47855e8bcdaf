package viz

// block is one part of a view. Its words are clean: see clean.
type block interface{ text(w *textWriter) }

// banner is a warning that cannot be overlooked.
type banner struct {
	Head string // in capitals: it must stand out in plain text too
	Body string
}

// para is a sentence.
type para struct{ Text string }

// grid is a table. A cell may have several lines.
type grid struct {
	Caption string
	Columns []column
	Rows    [][]string
	Foot    bool // the last row stands apart from the others
}

// folded is a table behind a line that opens it, for HTML alone: it says again what another block says.
type folded struct {
	Summary string
	Grid    grid
}

func (folded) text(*textWriter) {}

type column struct {
	Head  string
	Right bool // numbers
	Whole bool // a cell is one word, such as a path: it is never broken, and may stick out
	Least int  // columns of text below which it is not narrowed; 0: 10
}

// facts is a list of names and what they stand for.
type facts []fact

type fact struct {
	Name, Value string
	Alarm       bool
}

// meter is a bar from 0 to Max, filled up to Value.
type meter struct {
	Label      string
	Value, Max float64
}

// share is the filled part, in [0, 1].
func (m meter) share() float64 {
	if !(m.Max > 0) || !(m.Value > 0) {
		return 0
	}
	return min(m.Value/m.Max, 1)
}
