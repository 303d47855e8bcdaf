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
// may miss. A column with fewer than two distinct values is ignored. Without a header the names
// are c1, c2, … No column becomes a label: change the columns and call [NewSchema] again.
//
// Never use it on private rows: bounds and levels that follow the data reveal it, and void every
// guarantee that assumes them to be public.
func InferPublicSchema(path string, o CSVOptions) (Schema, error) {
	if err := o.validate(); err != nil {
		return Schema{}, err
	}
	f, err := openFile(path)
	if err != nil {
		return Schema{}, err
	}
	defer f.Close()
	text, err := unpack(f, path)
	if err != nil {
		return Schema{}, err
	}
	cols, err := inferColumns(text, o)
	if err != nil {
		return Schema{}, fmt.Errorf("frames: infer: %s: %w", path, err)
	}
	return NewSchema(cols...)
}

func inferColumns(r io.Reader, o CSVOptions) ([]Column, error) {
	rr, err := newRecordReader(r, o)
	if err != nil {
		return nil, err
	}
	var guesses []*guess
	rows := 0
	for header := o.Header; ; {
		fields, err := rr.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w: fix the line", rr.line, err)
		}
		if guesses == nil {
			for i, field := range fields {
				g := &guess{name: fmt.Sprintf("c%d", i+1), levels: map[string]bool{}, missing: newCellParser(Column{}, o.missing(), false)}
				if header {
					g.name = string(trimmed(field, o))
				}
				guesses = append(guesses, g)
			}
			if header {
				continue
			}
		}
		if len(fields) != len(guesses) {
			return nil, fmt.Errorf("line %d: got %s, want %d: %w: fix the line", rr.first, count(len(fields), "field"), len(guesses), ErrRagged)
		}
		rows++
		for i, field := range fields {
			guesses[i].add(trimmed(field, o))
		}
	}
	if rows == 0 {
		return nil, fmt.Errorf("got 0 rows, want at least 1: check the file: %w", ErrEmpty)
	}
	cols := make([]Column, len(guesses))
	for i, g := range guesses {
		cols[i] = g.column()
	}
	return cols, nil
}

func trimmed(field []byte, o CSVOptions) []byte {
	if o.TrimSpace {
		return trimSpace(field)
	}
	return field
}

// guess gathers what the cells of one column allow.
type guess struct {
	name    string
	missing *cellParser
	misses  bool
	text    bool // some cell is not a number
	seen    bool
	lo, hi  float64
	levels  map[string]bool
}

func (g *guess) add(cell []byte) {
	if g.missing.isMissing(cell) {
		g.misses = true
		return
	}
	g.levels[string(cell)] = true
	v, ok := parseNumber(cell)
	switch {
	case !ok:
		g.text = true
	case !g.seen:
		g.lo, g.hi, g.seen = v, v, true
	default:
		g.lo, g.hi = min(g.lo, v), max(g.hi, v)
	}
}

func (g *guess) column() Column {
	var c Column
	switch {
	case !g.text && g.lo < g.hi:
		c = Numeric(g.name, g.lo, g.hi)
	case g.text && len(g.levels) > 1:
		c = Category(g.name, slices.Sorted(maps.Keys(g.levels))...)
	default:
		return Ignored(g.name)
	}
	c.Missing = g.misses
	return c
}
