package grouped

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// Dialect is a database whose arithmetic is known: doubles of IEEE 754, one operation at a time, and exact sums of integers.
type Dialect int

const (
	None       Dialect = iota // another one: rows are read
	PostgreSQL                // version() begins with its name
	SQLite                    // each value has a type of its own
)

// Query is a grouping as a database is asked for it.
type Query struct {
	SQL  string
	Args []any // behind those of the query

	by   []*cells.Cell
	sums int
}

// unsteady are words of queries that may have other rows whenever they run, in one state of the database: those that draw, and those that take some of
// the rows, where the order leaves open which. Scans find that by the rows' hash, sums would not.
var unsteady = regexp.MustCompile(`(?i)\b(\w*random\w*|\w*rand|tablesample|limit|fetch|offset|uuid_generate\w*|uuidv[47]|clock_timestamp|timeofday|nextval|row_number|distinct\s+on)\b`)

// New writes a query, or reports false for a grouping that is not pushed down: of columns of other types than are known to be read alike, or of a
// query that may have other rows the next time.
func New(d Dialect, sql string, args int, found shape.Shape, q frames.Grouping) (Query, bool) {
	if unsteady.MatchString(sql) {
		return Query{}, false
	}
	w := &writer{d: d, next: args}
	out := Query{sums: len(q.Sums)}
	for i, name := range q.By {
		c, ok := columnOf(found, name)
		if !ok || !c.Cell.Levels() || !w.spelled(c) {
			return out, false
		}
		w.inner = append(w.inner, w.level(c)+" AS g"+strconv.Itoa(i))
		out.by = append(out.by, c.Cell)
	}
	bad := []string{"0"}
	var sums []string
	var values []string // columns that are summed
	for i, s := range q.Sums {
		c, ok := columnOf(found, s.Column)
		if !ok || !w.number(c) || !(s.Half > 0) || !(s.Weight > 0) || !(s.Steps > 0) {
			return out, false
		}
		k := slices.Index(values, s.Column)
		if k < 0 {
			k = len(values)
			values = append(values, s.Column)
			w.value(k, c, s)
			bad = append(bad, fmt.Sprintf("CASE WHEN d%d IS NULL THEN 1 ELSE 0 END", k))
		}
		sums = append(sums, w.sum(i, k, s))
	}
	out.SQL, out.Args = w.text(sql, len(q.By), len(q.Sums), strings.Join(bad, " + "), sums), w.args
	return out, true
}

func columnOf(found shape.Shape, name string) (shape.Column, bool) {
	for _, c := range found.Columns {
		if c.Name == name && c.Cell != nil {
			return c, true
		}
	}
	return shape.Column{}, false
}

// writer writes the levels of a query that stand one in the other, so that no expression is written twice.
type writer struct {
	d    Dialect
	next int // parameters before
	args []any

	inner []string // levels, and values as doubles
	moved []string // values less their middle; NULL: not within the schema
	units []string // u of [frames.GridSum]
	steps []string // its integers as doubles
}

// double is a number as a parameter: its bits, whatever the database makes of decimals.
func (w *writer) double(v float64) string {
	w.args = append(w.args, v)
	w.next++
	if w.d == PostgreSQL {
		return fmt.Sprintf("CAST($%d AS double precision)", w.next)
	}
	return fmt.Sprintf("CAST(?%d AS REAL)", w.next)
}

// name is a column of q.
func name(c shape.Column) string { return `q."` + strings.ReplaceAll(c.Name, `"`, `""`) + `"` }

// level is a column of levels, of which values that differ are told apart, whatever the collation.
func (w *writer) level(c shape.Column) string {
	switch {
	case w.d == SQLite:
		return name(c)
	case slices.Contains([]string{"INT2", "INT4", "INT8"}, c.Declared):
		return "CAST(" + name(c) + " AS bigint)"
	case c.Declared == "BOOL":
		return name(c)
	}
	return "CAST(" + name(c) + ` AS text) COLLATE "C"`
}

// spelled reports a column of levels whose values the database casts to the text that its drivers read, where it does not keep them as such: it writes
// bytes in hexadecimal digits, and hosts of networks with a mask.
func (w *writer) spelled(c shape.Column) bool {
	known := []string{"INT2", "INT4", "INT8", "BOOL", "TEXT", "VARCHAR", "BPCHAR", "NAME", "UUID", "CITEXT"}
	return w.d == SQLite || slices.Contains(known, c.Declared) || strings.Trim(c.Declared, "0123456789") == "" // types of the user's, as enumerations, have no name here
}

// number reports a column whose values are doubles, or are read as such. In SQLite each value says what it is.
func (w *writer) number(c shape.Column) bool {
	return c.Cell.Numeric() && (w.d == SQLite || slices.Contains([]string{"INT2", "INT4", "INT8", "FLOAT4", "FLOAT8", "NUMERIC"}, c.Declared))
}

// value writes u of a column. The bounds hold out NaN and infinities too, which stand above all numbers in PostgreSQL.
func (w *writer) value(k int, c shape.Column, s frames.GridSum) {
	read := "CAST(" + name(c) + " AS double precision)"
	if w.d == SQLite {
		read = "CASE WHEN typeof(" + name(c) + ") IN ('integer', 'real') THEN CAST(" + name(c) + " AS REAL) END"
	}
	w.inner = append(w.inner, fmt.Sprintf("%s AS v%d", read, k))
	col := c.Cell.Column
	lo, hi, mid := w.double(col.Lo), w.double(col.Hi), w.double(s.Mid)
	cases := fmt.Sprintf("WHEN v%d BETWEEN %s AND %s THEN v%[1]d - %[4]s", k, lo, hi, mid)
	if col.Clamp {
		most := w.double(math.MaxFloat64)
		cases += fmt.Sprintf(" WHEN v%d < %s AND v%[1]d >= -%[3]s THEN %[2]s - %[4]s WHEN v%[1]d > %[5]s AND v%[1]d <= %[3]s THEN %[5]s - %[4]s", k, lo, most, mid, hi)
	}
	w.moved = append(w.moved, fmt.Sprintf("CASE %s END AS d%d", cases, k))
	least, greatest := "LEAST", "GREATEST"
	if w.d == SQLite {
		least, greatest = "min", "max"
	}
	// Numbers that add nothing to any sum are 0 at once: PostgreSQL refuses results that underflow.
	w.units = append(w.units, fmt.Sprintf("CASE WHEN abs(d%d) < %s THEN %s ELSE %s(%s(d%[1]d / %[6]s, -%[7]s), %[7]s) END AS u%[1]d",
		k, w.double(s.Half*0x1p-300), w.double(0), least, greatest, w.double(s.Half), w.double(1)))
}

// sum writes the integers of a sum, and what adds them up.
func (w *writer) sum(i, k int, s frames.GridSum) string {
	v := "u" + strconv.Itoa(k)
	if s.Centre > 0 {
		v = fmt.Sprintf("(%s * %[1]s - %s)", v, w.double(s.Centre))
	}
	w.steps = append(w.steps, fmt.Sprintf("%s * %s * %s AS e%d", w.double(s.Weight), v, w.double(s.Steps), i))
	e := "e" + strconv.Itoa(i)
	if w.d == PostgreSQL {
		return "CAST(round(" + e + ") AS bigint)" // ties to even
	}
	// Adding 2^52 rounds a number below it to an integer, ties to even; those above are integers.
	big := w.double(0x1p52)
	return fmt.Sprintf("CAST(CASE WHEN abs(%s) >= %s THEN %[1]s WHEN %[1]s >= 0 THEN (%[1]s + %[2]s) - %[2]s ELSE (%[1]s - %[2]s) + %[2]s END AS INTEGER)", e, big)
}

// text puts the levels together. What is summed is 0 where a row is not within the schema, which is counted.
func (w *writer) text(sql string, by, sums int, bad string, add []string) string {
	var outer, groups []string
	for i := range by {
		g := "g" + strconv.Itoa(i)
		outer = append(outer, g)
		if w.d == SQLite {
			g += " COLLATE BINARY"
		}
		groups = append(groups, g)
	}
	outer = append(outer, "CAST(count(*) AS text)", "CAST(sum("+bad+") AS text)")
	for _, s := range add {
		outer = append(outer, "CAST(sum(coalesce("+s+", 0)) AS text)")
	}
	from := "SELECT " + strings.Join(append(w.inner, "1 AS one"), ", ") + " FROM q"
	for i, level := range [][]string{w.moved, w.units, w.steps} {
		if len(level) > 0 {
			from = fmt.Sprintf("SELECT t%d.*, %s FROM (%s) AS t%[1]d", i, strings.Join(level, ", "), from)
			if w.d == PostgreSQL { // which would write the levels into one another else, and compute each expression many times
				from += " OFFSET 0"
			}
		}
	}
	text := "WITH q AS (" + shape.Inside(sql) + "\n) SELECT " + strings.Join(outer, ", ") + " FROM (" + from + ") AS t"
	if by > 0 {
		text += " GROUP BY " + strings.Join(groups, ", ")
	}
	return text
}

// Width is how many columns the answer has.
func (q Query) Width() int { return len(q.by) + 2 + q.sums }

// Row reads a row of the answer: false for one that is not as the rows would be read.
func (q Query) Row(values []any, levels []float64, sums []int64) (rows int64, ok bool) {
	if len(values) != q.Width() {
		return 0, false
	}
	for i, c := range q.by {
		if levels[i] = math.NaN(); values[i] != nil {
			code, _, f := c.Of(values[i])
			if f.Of != nil {
				return 0, false
			}
			levels[i] = code
		}
	}
	numbers := make([]int64, 2+q.sums)
	for i := range numbers {
		var text string
		switch v := values[len(q.by)+i].(type) {
		case string:
			text = v
		case []byte:
			text = string(v)
		case nil: // of no rows
			text = "0"
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return 0, false
		}
		numbers[i] = n
	}
	copy(sums, numbers[2:])
	return numbers[0], numbers[1] == 0
}
