package pgcopy

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
	"github.com/dpkit-go/dpnb/sqlsource/internal/grouped"
)

// fixed are the settings of a transaction of the caller's that sees one state of the database and writes nothing; "" for another one.
func fixed(ctx context.Context, db Database, in pgx.Tx) (session string, err error) {
	if _, ok := db.(pgx.Tx); !ok {
		return "", nil
	}
	var version, isolation, readOnly string
	err = in.QueryRow(ctx, "SELECT version(), current_setting('transaction_isolation'), current_setting('transaction_read_only')").Scan(&version, &isolation, &readOnly)
	if err == nil && strings.HasPrefix(version, "PostgreSQL ") && (isolation == "repeatable read" || isolation == "serializable") && readOnly == "on" {
		session, err = grouped.Settings(ctx, askIn(in))
	}
	if err != nil {
		return "", withhold("look at the transaction", err)
	}
	return session, nil
}

// askIn reads a query's row in a transaction.
func askIn(in pgx.Tx) grouped.Ask {
	return func(ctx context.Context, sql string, args []any, into ...any) error {
		return in.QueryRow(ctx, sql, args...).Scan(into...)
	}
}

// still reports that the transaction's settings are as they were and that the query yields the rows that it yielded.
func (t *table) still(ctx context.Context, in pgx.Tx) (bool, error) {
	session, err := grouped.Settings(ctx, askIn(in))
	if err != nil || session != t.fixed {
		return false, err
	}
	return grouped.Steady(ctx, askIn(in), t.sql, nil)
}

// Grouped implements [frames.Grouper] in such a transaction.
func (t *table) Grouped(ctx context.Context, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	if t.fixed == "" {
		return false, nil
	}
	ask, ok := grouped.New(grouped.PostgreSQL, t.sql, 0, t.shape, q)
	if !ok {
		return false, nil
	}
	if err := t.turns.Wait(ctx); err != nil {
		return false, err
	}
	defer t.turns.Next()
	in, err := t.begin(ctx)
	if err != nil {
		return false, err
	}
	defer end(in) // back to the savepoint, whatever the database refused
	still, err := t.still(ctx, in)
	if still && err == nil {
		done, err = t.ask(ctx, in, ask, len(q.By), len(q.Sums), each)
	}
	if err != nil && (ctx.Err() != nil || fault.Gone(err)) {
		return false, withhold("add rows up", err)
	}
	return done && err == nil, nil
}

// ask sends the query and hands its rows on.
func (t *table) ask(ctx context.Context, in pgx.Tx, ask grouped.Query, by, sums int, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	rows, err := in.Query(ctx, ask.SQL, ask.Args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	levels, totals := make([]float64, by), make([]int64, sums)
	for rows.Next() {
		values, err := rows.Values()
		if err != nil {
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
