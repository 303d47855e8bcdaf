package sqlsource

import (
	"context"
	"database/sql"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
	"github.com/dpkit-go/dpnb/sqlsource/internal/grouped"
)

// snapshot is what is known of a transaction of the caller's: rows are added up in the database only where they cannot change between what was
// checked and that.
type snapshot struct {
	tx      *sql.Tx
	dialect grouped.Dialect
	written int64  // SQLite: rows that the connection changed so far
	session string // PostgreSQL: its settings
}

// snapshotOf looks at a transaction. Nothing is known of other databases.
func snapshotOf(ctx context.Context, db Database) snapshot {
	tx, ok := db.(*sql.Tx)
	if !ok {
		return snapshot{}
	}
	s := snapshot{tx: tx}
	var version, isolation, readOnly string
	if err := tx.QueryRowContext(ctx, "SELECT version()").Scan(&version); err != nil { // SQLite has no such function; its transactions survive that
		var dirty int
		err := tx.QueryRowContext(ctx, "SELECT total_changes(), (SELECT read_uncommitted FROM pragma_read_uncommitted), sqlite_version()").Scan(&s.written, &dirty, &version)
		if err == nil && dirty == 0 {
			s.dialect = grouped.SQLite
		}
		return s
	}
	if !strings.HasPrefix(version, "PostgreSQL ") {
		return s
	}
	err := tx.QueryRowContext(ctx, "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')").Scan(&isolation, &readOnly)
	if err != nil || isolation != "repeatable read" && isolation != "serializable" || readOnly != "on" {
		return s
	}
	if s.session, err = grouped.Settings(ctx, s.ask); err == nil {
		s.dialect = grouped.PostgreSQL
	}
	return s
}

// ask reads a query's row.
func (s snapshot) ask(ctx context.Context, sql string, args []any, into ...any) error {
	return s.tx.QueryRowContext(ctx, sql, args...).Scan(into...)
}

// still reports that nothing was written since, and that the query yields the rows that it yielded.
func (s snapshot) still(ctx context.Context, q Query) (bool, error) {
	switch s.dialect {
	case grouped.PostgreSQL: // it is read-only, and a transaction in which rows were read stays so
		session, err := grouped.Settings(ctx, s.ask)
		if err != nil || session != s.session {
			return false, err
		}
		return grouped.Steady(ctx, s.ask, q.SQL, q.Args)
	case grouped.SQLite:
		var written int64
		if err := s.tx.QueryRowContext(ctx, "SELECT total_changes()").Scan(&written); err != nil || written != s.written {
			return false, err
		}
		return steadyLite(ctx, s.tx, q)
	}
	return false, nil
}

// Grouped implements [frames.Grouper] in a transaction of the caller's that sees one state of the database and writes nothing.
func (t *table) Grouped(ctx context.Context, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	in := t.snapshot
	if in.dialect == grouped.None {
		return false, nil
	}
	ask, ok := grouped.New(in.dialect, t.query.SQL, len(t.query.Args), t.shape, q)
	if !ok {
		return false, nil
	}
	if err := t.turns.Wait(ctx); err != nil {
		return false, err
	}
	defer t.turns.Next()
	// What the database refuses is read as rows instead: in PostgreSQL a transaction ends with its first error, but back to a savepoint.
	if _, err := in.tx.ExecContext(ctx, "SAVEPOINT dpnb_grouped"); err != nil {
		return false, fault.Withhold("add rows up", err)
	}
	still, err := in.still(ctx, t.query)
	if still && err == nil {
		done, err = t.ask(ctx, ask, len(q.By), len(q.Sums), each)
	}
	if err != nil && (ctx.Err() != nil || fault.Gone(err)) {
		return false, fault.Withhold("add rows up", err)
	}
	for _, end := range []string{"ROLLBACK TO SAVEPOINT dpnb_grouped", "RELEASE SAVEPOINT dpnb_grouped"} {
		if _, err := in.tx.ExecContext(ctx, end); err != nil {
			return false, fault.Withhold("add rows up", err)
		}
	}
	return done && err == nil, nil
}

// ask sends the query and hands its rows on.
func (t *table) ask(ctx context.Context, ask grouped.Query, by, sums int, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	args := append(append([]any{}, t.query.Args...), ask.Args...)
	rows, err := t.snapshot.tx.QueryContext(ctx, ask.SQL, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	values, into := make([]any, ask.Width()), make([]any, ask.Width())
	for i := range into {
		into[i] = &values[i]
	}
	levels, totals := make([]float64, by), make([]int64, sums)
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return false, err
		}
		n, ok := ask.Row(values, levels, totals)
		if !ok {
			return false, nil
		}
		each(levels, n, totals)
	}
	return true, rows.Err()
}
