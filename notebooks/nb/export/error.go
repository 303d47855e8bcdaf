package export

import (
	"errors"
	"fmt"
)

// ErrExport is wrapped by every error about what a notebook holds.
var ErrExport = errors.New("the notebook cannot be exported")

// Error is what stands in the way of an export, and where. Numbers count from 1.
type Error struct {
	Cell int // among the code cells that are not empty: the n of In[n]
	Line int // of the cell
	Msg  string
}

func (e *Error) Error() string { return fmt.Sprintf("nb: cell %d line %d: %s", e.Cell, e.Line, e.Msg) }

func (e *Error) Unwrap() error { return ErrExport }

// Position is a line of a cell.
type Position struct{ Cell, Line int }

func (p Position) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("cell %d", p.Cell)
	}
	return fmt.Sprintf("cell %d line %d", p.Cell, p.Line)
}

// problems collects errors, so that a user sees all of them at once.
type problems struct{ errs []error }

func (p *problems) add(cell, line int, format string, args ...any) {
	p.errs = append(p.errs, &Error{Cell: cell, Line: line, Msg: fmt.Sprintf(format, args...)})
}

func (p *problems) err() error { return errors.Join(p.errs...) }
