package sqlsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// Database is what a query is sent to: a [sql.DB], a [sql.Conn], or a [sql.Tx] of the caller's.
type Database interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

var _, _, _ Database = (*sql.DB)(nil), (*sql.Conn)(nil), (*sql.Tx)(nil)

// Snapshot are the options of a transaction that sees one state of the database and writes nothing.
func Snapshot() *sql.TxOptions {
	return &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true}
}

// Open counts and checks the rows of a query once, which are then read anew at every Scan, in constant memory.
//
// Of a [sql.DB] or a [sql.Conn] every Scan is a read-only transaction of its own that sees one state of the rows ([Snapshot]; the first one
// is that of the count). Rows that change between two Scans are found by their hash, and the second fails with [frames.ErrChanged]. Where
// others write all day, either begin a transaction and open that, which sees its first state until it ends, or [Read] the rows:
//
//	tx := cell.Must(db.BeginTx(ctx, sqlsource.Snapshot()))
//	defer tx.Rollback()
//	rows := cell.Must(sqlsource.Open(ctx, tx, schema, query))
//
// Scans of a transaction or a connection wait for one another.
//
// Columns are found by name, as the query spells them. Numbers come from integers, floats, decimals
// (the nearest float64) and booleans; a [frames.Date] from dates, from the day in UTC of a time, or
// from text as the column is written; levels and a [frames.Text] from text, integers (in decimals)
// and booleans ("true", "false"); a [frames.Person] from text, UUIDs and integers. Space around an
// identifier is refused, but that with which char(n) pads. NULL is a missing cell, and so is a NaN.
//
// Errors wrap [ErrConnect], [ErrQuery], [ErrType], [ErrKey] or errors of package frames, and name rows in the order of the key, from 1. They
// never repeat the words of a server about rows, nor those of a driver about a connection.
func Open(ctx context.Context, db Database, s frames.Schema, q Query) (*frames.Checked, error) {
	t, err := rowsOf(ctx, db, s, q)
	if err != nil {
		return nil, err
	}
	defer t.close() // of a check that read nothing
	src, err := frames.Check(ctx, t)
	return src, shape.Named(err)
}

// OpenAs is [Open] of what another process has opened before, and told by [frames.Opened]: rows are read at each Scan alone, which fails with
// [frames.ErrChanged] where they, or the columns of the query, are not what they were. Rows are not added up by the database.
func OpenAs(ctx context.Context, db Database, s frames.Schema, q Query, told []byte) (*frames.Checked, error) {
	t, err := rowsOf(ctx, db, s, q)
	switch {
	case errors.Is(err, ErrType) || errors.Is(err, frames.ErrHeader):
		return nil, fmt.Errorf("%w: %w", frames.ErrChanged, err)
	case err != nil:
		return nil, err
	}
	t.whole.Store(true) // there
	return frames.CheckAs(t, told)
}

// Read is [Open] into memory, for rows that many passes read, or that others change.
func Read(ctx context.Context, db Database, s frames.Schema, q Query) (*frames.Frame, error) {
	t, err := rowsOf(ctx, db, s, q)
	if err != nil {
		return nil, err
	}
	defer t.close()
	f, err := frames.Collect(ctx, t)
	return f, shape.Named(err)
}
