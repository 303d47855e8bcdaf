package frames

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// InferPublicSchema proposes a schema from the rows of a file that the caller declares public: a
// column whose present cells are all finite decimal numbers is numeric within the smallest and
// largest one, any other is a category with the levels that occur, sorted; one with a missing cell
// may miss. A column with fewer than two distinct values is ignored, and so is one of text with more
// than 65 536, which names its rows rather than sorting them. Without a header the names
// are c1, c2, … No column becomes a label: change the columns and call [NewSchema] again. The file is read twice
// if it holds text; errors about its content are [*LoadError].
//
// Never use it on private rows: bounds and levels that follow the data reveal it, and void every
// guarantee that assumes them to be public.
func InferPublicSchema(path string, o CSVOptions) (Schema, error) {
	if err := o.validate(); err != nil {
		return Schema{}, err
	}
	t := &inference{name: path, o: o}
	if err := t.pass((*guess).measure); err != nil {
		return Schema{}, err
	}
	if slices.ContainsFunc(t.guesses, func(g guess) bool { return g.text }) {
		if err := t.pass(t.collect); err != nil {
			return Schema{}, err
		}
	}
	cols := make([]Column, len(t.guesses))
	for i := range t.guesses {
		cols[i] = t.guesses[i].column()
	}
	return NewSchema(cols...)
}

// inference is what a public table allows.
type inference struct {
	name    string
	o       CSVOptions
	guesses []guess // by field; nil before the first record
	held    int     // about the bytes of the levels of all columns
}

// guess is what the cells of one column allow.
type guess struct {
	name    string
	missing *markers
	format  *numberReader
	misses  bool
	text    bool // some cell is not a number
	seen    bool
	many    bool // more different texts than a category has
	lo, hi  float64
	levels  map[string]bool // of a column of text
}

// pass reads the file once and gives each cell that is not missing to add.
func (t *inference) pass(add func(g *guess, cell []byte) error) error {
	return withFiles([]string{t.name}, func(files []io.Reader) error {
		text, err := unpack(files[0], t.name)
		if err != nil {
			return err
		}
		rr, err := newRecordReader(text, t.o)
		if err != nil {
			return &LoadError{Name: t.name, Problems: []error{err}}
		}
		rows := 0
		for header := t.o.Header; ; header = false {
			fields, err := rr.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err == nil {
				err = t.record(rr, fields, header, add)
			}
			if err != nil {
				return t.refuse(rr, err)
			}
			if !header {
				rows++
			}
		}
		switch {
		case rows == 0:
			return t.refuse(rr, fmt.Errorf("got 0 rows, want at least 1: check the file: %w", ErrEmpty))
		case rows == 1 && rr.cr > 0: // more likely a file of many lines than one row
			return t.refuse(rr, fmt.Errorf("got 1 row that holds line ends, want several rows: check the file: %w", ErrEmpty))
		}
		return nil
	})
}

// refuse places an error in the file.
func (t *inference) refuse(rr *recordReader, err error) error {
	var place *CellError
	switch {
	case errors.Is(err, ErrQuote):
		err = &CellError{Line: rr.first, Err: fmt.Errorf("%w: fix the line", err)}
	case !errors.As(err, &place) && !errors.Is(err, ErrEmpty):
		return fmt.Errorf("frames: %s: read after line %d: %w", t.name, rr.line, err)
	}
	return &LoadError{Name: t.name, Problems: []error{err}, LoneCR: rr.cr}
}

// record takes one record, the first of which says how many columns there are. Its errors are [*CellError].
func (t *inference) record(rr *recordReader, fields [][]byte, header bool, add func(g *guess, cell []byte) error) error {
	if t.guesses == nil {
		if rr.extra > 0 {
			return &CellError{Line: rr.first, Err: fmt.Errorf("%d fields are %w of %d: check the separator, or declare the columns", len(fields)+rr.extra, ErrLimit, rr.keep)}
		}
		t.start(fields, header)
	}
	if header {
		return nil
	}
	if n := len(fields) + rr.extra; n != len(t.guesses) {
		return &CellError{Line: rr.first, Err: fmt.Errorf("%w: got %d, want %d: fix the line", ErrRagged, n, len(t.guesses))}
	}
	for i, cell := range fields {
		g := &t.guesses[i]
		if t.o.TrimSpace {
			cell = trimSpace(cell)
		}
		if g.missing.match(cell) {
			g.misses = true
			continue
		}
		if err := add(g, cell); err != nil {
			return &CellError{Line: rr.fieldLine(i), Field: i + 1, Err: err}
		}
	}
	return nil
}

// start names the columns.
func (t *inference) start(fields [][]byte, header bool) {
	t.guesses = make([]guess, len(fields))
	common := newMarkers(t.o.missing())
	for i, field := range fields {
		g := &t.guesses[i]
		g.missing = common
		if !header {
			g.name = fmt.Sprintf("c%d", i+1)
		} else if g.name = string(field); t.o.TrimSpace {
			g.name = string(trimSpace(field))
		}
		g.format = newNumberReader(t.o.number(g.name))
		if own, ok := t.o.MissingIn[g.name]; ok {
			g.missing = newMarkers(missingMarkers(own))
		}
	}
}

// measure tells numbers from text.
func (g *guess) measure(cell []byte) error {
	v, ok := g.format.number(cell)
	switch {
	case !ok:
		g.text = true
	case !g.seen:
		g.lo, g.hi, g.seen = v, v, true
	default:
		g.lo, g.hi = min(g.lo, v), max(g.hi, v)
	}
	return nil
}

// collect gathers the levels of a column of text.
func (t *inference) collect(g *guess, cell []byte) error {
	const each = 64 // about what a level takes beside its text
	if !g.text || g.many || g.levels[string(cell)] {
		return nil
	}
	if g.levels == nil {
		g.levels = map[string]bool{}
	}
	g.levels[string(cell)] = true
	t.held += each + len(cell)
	if len(g.levels) > maxGuessedLevels {
		for l := range g.levels {
			t.held -= each + len(l)
		}
		g.many, g.levels = true, nil
	}
	if t.held > maxGuessedText {
		return fmt.Errorf("the levels of all columns are %w of %d bytes: declare the columns of long texts", ErrLimit, maxGuessedText)
	}
	return nil
}

func (g *guess) column() Column {
	var c Column
	switch {
	case !g.text && g.lo < g.hi:
		c = Numeric(g.name, g.lo, g.hi)
	case len(g.levels) > 1:
		c = Category(g.name, slices.Sorted(maps.Keys(g.levels))...)
	default:
		return Ignored(g.name)
	}
	c.Missing = g.misses
	return c
}
