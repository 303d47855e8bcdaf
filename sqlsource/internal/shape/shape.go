package shape

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
)

// Shape is what a query's columns are.
type Shape struct {
	Columns []Column
	Key     []int // places of the key
}

// Column is one of the query.
type Column struct {
	Name     string
	Declared string      // its type, as the database names it; "" for none
	Cell     *cells.Cell // nil: the schema does not read it
	Feature  int         // place in a row; -1: it is the label or the person
	Keyed    bool
}

// Sorted are the columns of the key that the schema reads: rows that are ordered by those have places that tell of cells.
func (s Shape) Sorted() (names []string) {
	for _, at := range s.Key {
		if c := s.Columns[at]; c.Cell != nil {
			names = append(names, c.Name)
		}
	}
	return names
}

// From is a query as a table q. What follows a comment stands on a line of its own.
func From(sql string) string { return "FROM (" + Inside(sql) + "\n) AS q" }

// Inside is a query without what ends it.
func Inside(sql string) string { return strings.TrimRight(sql, "; \t\r\n") }

// Check reports a query that cannot be sent.
func Check(s frames.Schema, sql string, key []string) error {
	switch {
	case s.Len() == 0:
		return fmt.Errorf("sqlsource: got a schema without columns, want the query's: make it with frames.NewSchema: %w", frames.ErrSchema)
	case strings.TrimSpace(sql) == "":
		return fmt.Errorf("sqlsource: got an empty Query.SQL, want a SELECT: %w", frames.ErrOptions)
	case len(key) == 0:
		return fmt.Errorf("sqlsource: got no Query.Key, want the columns by which rows are told apart and ordered, such as a primary key: name them, "+
			"or select ctid (PostgreSQL) or rowid (SQLite) and name that: %w", fault.ErrKey)
	}
	for i, name := range key {
		if slices.Contains(key[:i], name) {
			return fmt.Errorf("sqlsource: got %q twice in Query.Key, want each column once: %w", name, fault.ErrKey)
		}
	}
	return nil
}

// SameKey is the error of two rows that have one.
func SameKey(row int) error {
	return fmt.Errorf("sqlsource: rows %d and %d have one key: name columns in Query.Key that tell all rows apart: %w", row-1, row, fault.ErrKey)
}

// Bad is the error of a cell of another type.
func (c *Column) Bad(row int, f cells.Fault) error {
	return fmt.Errorf("sqlsource: row %d, column %q: got %s, want %s: cast it in the query, or declare the column as what it is: %w", row, c.Name, f.Got, f.Want, f.Of)
}

// Changed is the error of a query that has other columns than it had.
func Changed() error {
	return fmt.Errorf("sqlsource: read rows: the query has other columns than when it was opened: open it again: %w", frames.ErrChanged)
}

// Bind finds the columns of a schema and of a key among those of a query.
func Bind(s frames.Schema, key, names, declared []string) (Shape, error) {
	at := func(name, whose string) (int, error) {
		i := slices.Index(names, name)
		switch {
		case i < 0:
			return 0, fmt.Errorf("sqlsource: column %q of the %s: the query has %s: name it as in the query (AS), or declare it Ignored: %w", name, whose, told(names), frames.ErrHeader)
		case slices.Contains(names[i+1:], name):
			return 0, fmt.Errorf("sqlsource: column %q of the %s: the query has two of that name: rename one (AS): %w", name, whose, frames.ErrHeader)
		}
		return i, nil
	}
	columns := make([]Column, len(names))
	for i := range columns {
		columns[i] = Column{Name: names[i], Declared: declared[i], Feature: -1}
	}
	feature := 0
	for _, c := range s.Columns() {
		if c.Kind == frames.KindIgnored {
			continue
		}
		i, err := at(c.Name, "schema")
		if err != nil {
			return Shape{}, err
		}
		cell := cells.New(c, declared[i])
		if err := cell.Suits(declared[i]); err != nil {
			return Shape{}, err
		}
		columns[i].Cell = &cell
		if c.Kind == frames.KindNumeric || c.Kind == frames.KindCategory || c.Kind == frames.KindText {
			columns[i].Feature = feature
			feature++
		}
	}
	out := Shape{Columns: columns}
	for _, name := range key {
		i, err := at(name, "key")
		if err != nil {
			return Shape{}, err
		}
		columns[i].Keyed = true
		out.Key = append(out.Key, i)
	}
	return out, nil
}

// told names a few of a query's columns.
func told(names []string) string {
	const most = 10
	if len(names) > most {
		return fmt.Sprintf("%d others, such as %q", len(names), names[:most])
	}
	return fmt.Sprintf("%q", names)
}

// Named gives the error of a check the name of what was read.
func Named(err error) error {
	var load *frames.LoadError
	if errors.As(err, &load) {
		load.Name = "query"
	}
	return err
}
