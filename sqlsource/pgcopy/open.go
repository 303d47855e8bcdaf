package pgcopy

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// Database is what a query is sent to: a pgx.Conn, a pool of them (package pgxpool), or a pgx.Tx of the caller's.
type Database interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

var _, _ Database = (*pgx.Conn)(nil), pgx.Tx(nil)

// Snapshot are the options of a transaction that sees one state of the database and writes nothing.
func Snapshot() pgx.TxOptions {
	return pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
}

// Open is [sqlsource.Open] for PostgreSQL. COPY takes no parameters: Query.Args must be empty. A Scan that ends before its last row (an error,
// a context) closes the connection, and with it a transaction of the caller's; a pool opens another.
//
// Types are those of sqlsource: integers, floats, numeric, boolean, date, timestamp, text, uuid, bytea and enumerations.
func Open(ctx context.Context, db Database, s frames.Schema, q sqlsource.Query) (*frames.Checked, error) {
	t, err := rowsOf(ctx, db, s, q)
	if err != nil {
		return nil, err
	}
	defer t.close() // of a check that read nothing
	src, err := frames.Check(ctx, t)
	return src, shape.Named(err)
}

// Read is [Open] into memory, for rows that many passes read, or that others change.
func Read(ctx context.Context, db Database, s frames.Schema, q sqlsource.Query) (*frames.Frame, error) {
	t, err := rowsOf(ctx, db, s, q)
	if err != nil {
		return nil, err
	}
	defer t.close()
	f, err := frames.Collect(ctx, t)
	return f, shape.Named(err)
}
