package pgcopy

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
	"github.com/dpkit-go/dpnb/sqlsource/internal/feed"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// table is the rows of a query in the order of its key, as they are: frames.Check holds them to the schema.
type table struct {
	db     Database
	schema frames.Schema
	sql    string // as it was given
	query  string // COPY …
	shape  shape.Shape
	fixed  string // settings of a transaction of the caller's in which rows cannot change; "" for another one
	fields []field
	rows   int
	turns  feed.Turns[pgx.Tx]
	whole  atomic.Bool // all rows were read once
}

// rowsOf finds the columns of a query and counts its rows.
func rowsOf(ctx context.Context, db Database, s frames.Schema, q sqlsource.Query) (*table, error) {
	if err := shape.Check(s, q.SQL, q.Key); err != nil {
		return nil, err
	}
	if len(q.Args) > 0 {
		return nil, fmt.Errorf("sqlsource: pgcopy: got %d parameters, want none, which COPY does not take: write them into Query.SQL, or use sqlsource.Open: %w", len(q.Args), frames.ErrOptions)
	}
	t := &table{db: db, schema: s, sql: q.SQL}
	_, tx := db.(pgx.Tx)
	if _, conn := db.(*pgx.Conn); conn || tx {
		t.turns.OneConnection()
	}
	in, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.describe(ctx, in, q); err != nil {
		end(in)
		return nil, err
	}
	t.turns.Hold(in)
	return t, nil
}

// begin starts a transaction, or in one of the caller's a savepoint.
func (t *table) begin(ctx context.Context) (tx pgx.Tx, err error) {
	if db, ok := t.db.(interface {
		BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
	}); ok {
		tx, err = db.BeginTx(ctx, Snapshot())
	} else {
		tx, err = t.db.Begin(ctx)
	}
	if err != nil {
		return nil, withhold("begin a transaction", err)
	}
	return tx, nil
}

// end gives a transaction back, in which nothing was written.
func end(tx pgx.Tx) {
	if tx != nil {
		_ = tx.Rollback(context.Background())
	}
}

// leave gives one back in which all went well: of a savepoint in a transaction of the caller's the locks stay, without which others could empty the
// table, or write its view anew, before it is read again.
func leave(ctx context.Context, tx pgx.Tx) {
	_ = tx.Commit(ctx)
}

// withhold is that of the module, which sees in a connection that is closed one that is gone.
func withhold(doing string, err error) error {
	var connect interface{ SafeToRetry() bool } // pgx: nothing was sent
	if fault.State(err) == "" && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) &&
		(errors.As(err, &connect) || strings.Contains(err.Error(), "conn closed") || strings.Contains(err.Error(), "failed to connect")) {
		return fault.Lost(doing, err)
	}
	return fault.Withhold(doing, err)
}

// describe finds the columns and counts the rows.
func (t *table) describe(ctx context.Context, in pgx.Tx, q sqlsource.Query) error {
	from := shape.From(q.SQL)
	all, err := in.Conn().PgConn().Prepare(ctx, "", "SELECT * "+from+" WHERE false", nil)
	if err != nil {
		return fault.Unread(err)
	}
	var names, declared []string
	for _, f := range all.Fields {
		names, declared = append(names, f.Name), append(declared, types[f.DataTypeOID])
	}
	found, err := shape.Bind(t.schema, q.Key, names, declared)
	if err != nil {
		return err
	}
	t.shape = found
	if t.fixed, err = fixed(ctx, t.db, in); err != nil {
		return err
	}
	var read, key []string
	for i := range found.Columns {
		c := &found.Columns[i]
		if c.Cell == nil && !c.Keyed {
			continue
		}
		value, err := t.value(ctx, in, c, all.Fields[i].DataTypeOID)
		if err != nil {
			return err
		}
		t.fields = append(t.fields, field{Column: *c, value: value, plain: c.Cell != nil && c.Cell.Numeric() && c.Declared == "FLOAT8"})
		read = append(read, "q."+pgx.Identifier{c.Name}.Sanitize())
	}
	for _, at := range found.Key {
		key = append(key, "q."+pgx.Identifier{found.Columns[at].Name}.Sanitize())
	}
	if len(t.fields) > math.MaxInt16 {
		return fmt.Errorf("sqlsource: pgcopy: got %d columns, want at most %d: %w", len(t.fields), math.MaxInt16, frames.ErrLimit)
	}
	t.query = "COPY (SELECT " + strings.Join(read, ", ") + " " + from + " ORDER BY " + strings.Join(key, ", ") + ") TO STDOUT (FORMAT binary)"
	var n int64
	if err := in.QueryRow(ctx, "SELECT count(*) "+from).Scan(&n); err != nil {
		return withhold("count the rows", err)
	}
	if n > math.MaxInt {
		return fmt.Errorf("sqlsource: got %d rows, want at most %d: %w", n, math.MaxInt, frames.ErrLimit)
	}
	t.rows = int(n)
	return nil
}

// close ends the transaction that no scan took.
func (t *table) close() {
	if tx, ok := t.turns.Held(); ok {
		end(tx)
	}
}

func (t *table) Schema() frames.Schema { return t.schema }

// SortedBy implements [frames.Sorter].
func (t *table) SortedBy() []string { return t.shape.Sorted() }

func (t *table) Rows() int { return t.rows }

// Scan reads the rows in one transaction.
func (t *table) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	if err := t.turns.Wait(ctx); err != nil {
		return err
	}
	defer t.turns.Next()
	in, ok := t.turns.Held()
	if !ok {
		var err error
		if in, err = t.begin(ctx); err != nil {
			return err
		}
	}
	defer end(in)
	err := feed.Scan(ctx, t.schema, func(ctx context.Context, w *feed.Writer) error { return t.read(ctx, in, w) }, fn)
	if err == nil {
		t.whole.Store(true)
		leave(ctx, in)
	}
	return err
}

// read sends the query and writes its rows.
func (t *table) read(ctx context.Context, in pgx.Tx, w *feed.Writer) error {
	rows := &stream{fields: slices.Clone(t.fields), to: w}
	_, err := in.Conn().PgConn().CopyTo(ctx, rows, t.query)
	switch {
	case rows.failed != nil && t.whole.Load() && (errors.Is(rows.failed, sqlsource.ErrType) || errors.Is(rows.failed, frames.ErrDate)):
		return fmt.Errorf("%w: %w", frames.ErrChanged, rows.failed)
	case rows.failed != nil:
		return rows.failed
	case err != nil:
		return withhold(fmt.Sprintf("behind row %d", w.Row()), err)
	}
	return rows.ended()
}
