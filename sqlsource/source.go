package sqlsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
	"github.com/dpkit-go/dpnb/sqlsource/internal/feed"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// table is the rows of a query in the order of its key, as they are: frames.Check holds them to the schema.
type table struct {
	db     Database
	schema frames.Schema
	query  Query
	shape  shape.Shape
	rows   int
	turns  feed.Turns[*sql.Tx]
	whole  atomic.Bool // all rows were read once

	snapshot snapshot // of a transaction of the caller's
}

// rowsOf finds the columns of a query and counts its rows.
func rowsOf(ctx context.Context, db Database, s frames.Schema, q Query) (*table, error) {
	if err := shape.Check(s, q.SQL, q.Key); err != nil {
		return nil, err
	}
	q.Args, q.Key = slices.Clone(q.Args), slices.Clone(q.Key)
	t := &table{db: db, schema: s, query: q}
	if _, many := db.(*sql.DB); !many {
		t.turns.OneConnection()
	}
	in, tx, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	t.snapshot = snapshotOf(ctx, db)
	if err := errors.Join(t.describe(ctx, in), t.number(ctx, in)); err != nil {
		end(tx)
		return nil, err
	}
	t.turns.Hold(tx)
	return t, nil
}

// begin returns where to ask, and the transaction that it began, if it did. A driver that knows no isolation has plain ones: rows that change are
// found by their fingerprint all the same.
func (t *table) begin(ctx context.Context) (Database, *sql.Tx, error) {
	db, ok := t.db.(interface {
		BeginTx(ctx context.Context, opts *sql.TxOptions) (*sql.Tx, error)
	})
	if !ok {
		return t.db, nil, nil
	}
	tx, err := db.BeginTx(ctx, Snapshot())
	if err != nil && !fault.Gone(err) && ctx.Err() == nil {
		tx, err = db.BeginTx(ctx, nil)
	}
	if err != nil {
		return nil, nil, fault.Withhold("begin a transaction", err)
	}
	return tx, tx, nil
}

// end gives a transaction back, in which nothing was written.
func end(tx *sql.Tx) {
	if tx != nil {
		_ = tx.Rollback()
	}
}

// describe finds the columns.
func (t *table) describe(ctx context.Context, in Database) error {
	rows, err := in.QueryContext(ctx, t.query.shape(), t.query.Args...)
	switch {
	case err != nil && fault.State(err) == cachedPlan: // of a query of before, which the driver prepared
		return shape.Changed()
	case err != nil:
		return fault.Unread(err)
	}
	defer rows.Close()
	types, err := rows.ColumnTypes()
	if err != nil {
		return fault.Unread(err)
	}
	for rows.Next() { // none
	}
	if err := rows.Err(); err != nil {
		return fault.Unread(err)
	}
	var names, declared []string
	for _, c := range types {
		names, declared = append(names, c.Name()), append(declared, cells.TypeName(c.DatabaseTypeName()))
	}
	t.shape, err = shape.Bind(t.schema, t.query.Key, names, declared)
	return err
}

// number counts the rows.
func (t *table) number(ctx context.Context, in Database) error {
	if len(t.shape.Columns) == 0 {
		return nil // describe says why
	}
	rows, err := in.QueryContext(ctx, t.query.count(), t.query.Args...)
	if err != nil {
		return fault.Withhold("count the rows", err)
	}
	defer rows.Close()
	var n int64
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return fault.Withhold("count the rows", err)
		}
	}
	if err := rows.Err(); err != nil {
		return fault.Withhold("count the rows", err)
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
	tx, ok := t.turns.Held()
	in := Database(tx)
	if !ok {
		var err error
		if in, tx, err = t.begin(ctx); err != nil {
			return err
		}
	}
	defer end(tx)
	err := feed.Scan(ctx, t.schema, func(ctx context.Context, w *feed.Writer) error { return t.read(ctx, in, w) }, fn)
	if err == nil {
		t.whole.Store(true)
	}
	return err
}

// read sends the query and writes its rows.
func (t *table) read(ctx context.Context, in Database, w *feed.Writer) error {
	rows, err := in.QueryContext(ctx, t.query.ordered(t.shape.Key), t.query.Args...)
	switch {
	case err != nil && fault.State(err) == cachedPlan:
		return shape.Changed()
	case err != nil:
		return fault.Withhold("read rows", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || len(names) != len(t.shape.Columns) {
		return shape.Changed()
	}
	row := newReaders(t.shape.Columns)
	for rows.Next() {
		b, i, err := w.Next()
		if err != nil {
			return err
		}
		if err := rows.Scan(row.into...); err != nil {
			return fault.Withhold(fmt.Sprintf("row %d", w.Row()), err)
		}
		if err := row.put(b, i, w.Row()); err != nil {
			if t.whole.Load() {
				err = fmt.Errorf("%w: %w", frames.ErrChanged, err)
			}
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return fault.Withhold(fmt.Sprintf("behind row %d", w.Row()), err)
	}
	return nil
}

// cachedPlan is what PostgreSQL says where a column has another type than when the query was prepared: the SQLSTATE of what it does not support.
const cachedPlan = "0A000"
