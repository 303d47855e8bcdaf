package sqlsource

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// Query is what rows are read by.
type Query struct {
	// SQL is one SELECT (or WITH … SELECT, or VALUES). Its columns are found by name; those that neither the schema nor Key names are not used.
	// It is public, as the schema is.
	SQL string
	// Args are its parameters, written as the driver wants them: $1 or ?. Public too.
	Args []any
	// Key names columns of the query whose values, together, tell all rows apart, such as a primary key; the schema need not have them. Rows
	// are read in their order, which is checked. A database has no order of its own, and a fingerprint, by which a ledger
	// knows data again, and mechanisms that read one row after the other rest on one. Name what says nothing private: where rows are sorted by
	// a value that differs between neighbouring tables, all rows behind it move. Where the key is a column that the schema reads, other than of a table of people, a
	// session takes rows to have no places ([frames.SortedBy]), and refuses what goes by them: Holdout, and one pass over rows in turn. Tables without a key have ctid in PostgreSQL, rowid in SQLite.
	Key []string
}

// shape gives the columns without reading rows.
func (q Query) shape() string { return "SELECT * " + shape.From(q.SQL) + " WHERE 1 = 0" }

// count gives the number of rows.
func (q Query) count() string { return "SELECT count(*) " + shape.From(q.SQL) }

// ordered gives the rows in the order of the key, whose columns stand at these places.
func (q Query) ordered(key []int) string {
	places := make([]string, len(key))
	for i, at := range key {
		places[i] = fmt.Sprint(at + 1)
	}
	return "SELECT * " + shape.From(q.SQL) + " ORDER BY " + strings.Join(places, ", ")
}
