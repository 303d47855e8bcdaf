package sqlsource

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// liteSome are words of SQLite's queries and views by which rows are taken or made of several, where the order in which they are read may decide.
var liteSome = regexp.MustCompile(`(?i)\b(limit|offset|distinct|group|having|over|union|intersect|except|recursive)\b`)

// liteOps are operations that read something other than tables, or make one row of several.
var liteOps = []string{"VOpen", "VFilter", "VColumn", "AggStep", "AggStep1", "AggInverse", "AggValue", "AggFinal", "DecrJumpZero", "IfNotZero", "OffsetLimit"}

// steadyLite reports whether a query of SQLite yields the same rows whenever it runs, as long as nothing is written: by the program that it becomes, with its views written out,
// whose functions must be SQLite's own and deterministic.
func steadyLite(ctx context.Context, tx *sql.Tx, q Query) (bool, error) {
	some, err := liteTakesSome(ctx, tx, q.SQL)
	if err != nil || some {
		return false, err
	}
	ops, err := tx.QueryContext(ctx, "EXPLAIN SELECT * "+shape.From(q.SQL), q.Args...)
	if err != nil {
		return false, err
	}
	defer ops.Close()
	columns, err := ops.Columns()
	if err != nil || len(columns) < 6 {
		return false, err
	}
	var functions []string
	cells, into := make([]any, len(columns)), make([]any, len(columns))
	for i := range cells {
		into[i] = &cells[i]
	}
	for ops.Next() {
		if err := ops.Scan(into...); err != nil {
			return false, err
		}
		op := fmt.Sprint(cells[1])
		if slices.Contains(liteOps, op) {
			return false, nil
		}
		if strings.HasSuffix(op, "Func") || strings.HasPrefix(op, "Function") {
			name, _, _ := strings.Cut(text(cells[5]), "(")
			functions = append(functions, name)
		}
	}
	if err := ops.Err(); err != nil {
		return false, err
	}
	for _, name := range functions {
		var wrong bool
		const deterministic = 0x800
		err := tx.QueryRowContext(ctx, "SELECT count(*) = 0 OR sum(builtin = 0 OR flags & ? = 0) > 0 FROM pragma_function_list WHERE name = ? COLLATE NOCASE", deterministic, name).Scan(&wrong)
		if err != nil || wrong || slices.Contains(liteClocks, strings.ToLower(name)) {
			return false, err
		}
	}
	return true, nil
}

// liteClocks are deterministic but for the text "now".
var liteClocks = []string{"date", "time", "datetime", "julianday", "unixepoch", "strftime", "timediff", "current_date", "current_time", "current_timestamp"}

// liteTakesSome reports a query whose text, or that of a view whose name stands in it, has one of those words, and one that may read other files.
func liteTakesSome(ctx context.Context, tx *sql.Tx, query string) (bool, error) {
	var files int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM pragma_database_list WHERE name NOT IN ('main', 'temp')").Scan(&files); err != nil || files > 0 {
		return true, err
	}
	rows, err := tx.QueryContext(ctx, "SELECT name, sql FROM sqlite_master WHERE type = 'view' UNION ALL SELECT name, sql FROM sqlite_temp_master WHERE type = 'view'")
	if err != nil {
		return true, err
	}
	defer rows.Close()
	views := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return true, err
		}
		if strings.Contains(name, `"`) { // which a query writes in another way
			return true, nil
		}
		views[strings.ToLower(name)] += " " + text
	}
	if err := rows.Err(); err != nil {
		return true, err
	}
	all := strings.ToLower(query)
	for more := true; more; {
		more = false
		for name, text := range views {
			if strings.Contains(all, name) {
				all, more = all+" "+strings.ToLower(text), true
				delete(views, name)
			}
		}
	}
	return liteSome.MatchString(all), nil
}

// text is what a driver makes of a text.
func text(cell any) string {
	if b, ok := cell.([]byte); ok {
		return string(b)
	}
	return fmt.Sprint(cell)
}
