package frames

import (
	"errors"
	"fmt"
	"strings"
)

// maxProblems is the number of problems a LoadError spells out.
const maxProblems = 10

// LoadError lists what is wrong with a table: the first ten problems and what ended the reading early, and a count of
// the rest. It repeats no cell, but which cells were refused follows the rows: it is for the data's curator, and
// no guarantee covers it where others read it.
// errors.Is finds the sentinel of every problem, spelled out or not.
type LoadError struct {
	Name     string  // the file, or what the rows came from
	Problems []error // *CellError, or an error about a record or the file
	More     int     // number of problems beyond those
	Stopped  int     // line at which reading ended, because of 10 000 problems or a limit; 0 if all of the text was read
	LoneCR   int     // first line that holds a carriage return (CR) which no line feed follows; 0 for none, or no text

	counts map[error]int // of the problems beyond, by sentinel
}

// CellError is the place of a refused cell or record and the reason. It never holds the cell.
type CellError struct {
	File   string // the one of several files that the rest says a place in; empty where LoadError.Name says it
	Line   int    // line of the file, from 1; 0 if the rows did not come from lines of text
	Row    int    // row of the table, from 1; 0 if Line says the place
	Field  int    // position in the record, from 1; 0 for the whole record
	Column string // name in the schema; empty for the whole record
	Err    error  // wraps ErrBounds, ErrLevel, ErrMissing, ErrNumber, ErrDate, ErrPerson, ErrText, ErrOptions, ErrRagged, ErrIndex, ErrQuote or ErrLimit
}

func (e *CellError) Error() string {
	var at []string
	if e.File != "" {
		at = append(at, e.File)
	}
	if e.Line > 0 {
		at = append(at, fmt.Sprintf("line %d", e.Line))
	}
	if e.Row > 0 {
		at = append(at, fmt.Sprintf("row %d", e.Row))
	}
	if e.Field > 0 {
		at = append(at, fmt.Sprintf("field %d", e.Field))
	}
	if e.Column != "" {
		at = append(at, fmt.Sprintf("column %q", e.Column))
	}
	return strings.Join(at, ", ") + ": " + e.Err.Error()
}

func (e *CellError) Unwrap() error { return e.Err }

func (e *LoadError) Error() string {
	var b strings.Builder
	total := len(e.Problems) + e.More
	if total == 1 {
		fmt.Fprintf(&b, "frames: %s: %v", e.Name, e.Problems[0])
		if e.LoneCR > 0 {
			fmt.Fprintf(&b, "; %s", e.hintCR())
		}
		return b.String()
	}
	fmt.Fprintf(&b, "frames: %s: %d problems", e.Name, total)
	if e.Stopped > 0 {
		fmt.Fprintf(&b, " up to line %d, where reading stopped", e.Stopped)
	}
	for _, p := range e.grouped() {
		fmt.Fprintf(&b, "\n  %s", p)
	}
	if e.More > 0 {
		fmt.Fprintf(&b, "\n  and %d more:", e.More)
		sep := " "
		for _, s := range cellSentinels() {
			if n := e.counts[s]; n > 0 {
				fmt.Fprintf(&b, "%s%d × %v", sep, n, s)
				sep = ", "
			}
		}
	}
	if e.LoneCR > 0 {
		fmt.Fprintf(&b, "\n  %s", e.hintCR())
	}
	return b.String()
}

// hintCR names a cause of many problems: files of old systems end their lines with CR alone, which no reader takes for an end.
func (e *LoadError) hintCR() string {
	return fmt.Sprintf("line %d holds a carriage return that no line feed follows: where CR alone ends lines, convert it (tr '\\r' '\\n')", e.LoneCR)
}

// grouped spells the problems out, those of one column with the same reason together.
func (e *LoadError) grouped() []string {
	type reason struct{ file, column, text string }
	same := map[reason][]string{} // lines
	of := func(p error) (*CellError, reason) {
		c, ok := p.(*CellError)
		if !ok || c.Column == "" || c.Line == 0 || c.Row > 0 {
			return nil, reason{}
		}
		return c, reason{c.File, c.Column, c.Err.Error()}
	}
	for _, p := range e.Problems {
		if c, r := of(p); c != nil {
			same[r] = append(same[r], fmt.Sprint(c.Line))
		}
	}
	var out []string
	for _, p := range e.Problems {
		c, r := of(p)
		lines := same[r]
		switch {
		case c == nil || len(lines) == 1:
			out = append(out, p.Error())
		case len(lines) > 1:
			file := c.File
			if file != "" {
				file += ", "
			}
			out = append(out, fmt.Sprintf("%scolumn %q, field %d: %d cells: %s: lines %s", file, c.Column, c.Field, len(lines), r.text, strings.Join(lines, ", ")))
			same[r] = nil // told
		}
	}
	return out
}

// Unwrap returns the problems that are spelled out.
func (e *LoadError) Unwrap() []error { return e.Problems }

// Is reports whether a problem beyond those spelled out wraps the target.
func (e *LoadError) Is(target error) bool {
	for s, n := range e.counts {
		if n > 0 && errors.Is(s, target) {
			return true
		}
	}
	return false
}

// add counts a problem, and spells it out if it is among the first.
func (e *LoadError) add(sentinel error, spell func() error) {
	if len(e.Problems) < maxProblems {
		e.Problems = append(e.Problems, spell())
		return
	}
	if e.counts == nil {
		e.counts = map[error]int{}
	}
	e.More++
	e.counts[sentinel]++
}

// full reports whether so much is wrong that the rest of the table adds nothing.
func (e *LoadError) full() bool { return len(e.Problems)+e.More >= maxCounted }

// err returns the list as an error, nil if it is empty.
func (e *LoadError) err() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

func cellSentinels() []error {
	return []error{ErrBounds, ErrLevel, ErrMissing, ErrNumber, ErrDate, ErrPerson, ErrRagged, ErrIndex, ErrQuote, ErrText, ErrOptions}
}
