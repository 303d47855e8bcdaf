package sqlsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/fault"
	"github.com/dpkit-go/dpnb/sqlsource/internal/feed"
)

// table is the rows of a query in the order of its key, as they are: frames.Check holds them to the schema.
type table struct {
	db     Database
	schema frames.Schema
	query  Query
	shape  shape
	rows   int
	turn   chan struct{} // of one connection; nil where scans have one each
	whole  atomic.Bool   // all rows were read once

	first sync.Mutex
	held  *sql.Tx // in which the rows were counted, for the first scan
}

// shape is what a query's columns are.
type shape struct {
	columns []column
	key     []int // places of the key
}

// column is one of the query.
type column struct {
	name     string
	declared string
	cell     *cells.Cell // nil: the schema does not read it
	feature  int         // place in a row; -1: it is the label or the person
	keyed    bool
}

// rowsOf finds the columns of a query and counts its rows.
func rowsOf(ctx context.Context, db Database, s frames.Schema, q Query) (*table, error) {
	if s.Len() == 0 {
		return nil, fmt.Errorf("sqlsource: got a schema without columns, want the query's: make it with frames.NewSchema: %w", frames.ErrSchema)
	}
	if err := q.check(); err != nil {
		return nil, err
	}
	q.Args, q.Key = slices.Clone(q.Args), slices.Clone(q.Key)
	t := &table{db: db, schema: s, query: q}
	if _, many := db.(*sql.DB); !many {
		t.turn = make(chan struct{}, 1)
	}
	in, tx, err := t.begin(ctx)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(t.describe(ctx, in), t.number(ctx, in)); err != nil {
		end(tx)
		return nil, err
	}
	t.held = tx
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
	if err != nil {
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
	t.shape, err = bind(t.schema, t.query.Key, names, declared)
	return err
}

// bind finds the columns of a schema and of a key among those of a query.
func bind(s frames.Schema, key, names, declared []string) (shape, error) {
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
	columns := make([]column, len(names))
	for i := range columns {
		columns[i] = column{name: names[i], declared: declared[i], feature: -1}
	}
	feature := 0
	for _, c := range s.Columns() {
		if c.Kind == frames.KindIgnored {
			continue
		}
		i, err := at(c.Name, "schema")
		if err != nil {
			return shape{}, err
		}
		cell := cells.New(c, declared[i])
		if err := cell.Suits(declared[i]); err != nil {
			return shape{}, err
		}
		columns[i].cell = &cell
		if c.Kind == frames.KindNumeric || c.Kind == frames.KindCategory {
			columns[i].feature = feature
			feature++
		}
	}
	out := shape{columns: columns}
	for _, name := range key {
		i, err := at(name, "key")
		if err != nil {
			return shape{}, err
		}
		columns[i].keyed = true
		out.key = append(out.key, i)
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

// number counts the rows.
func (t *table) number(ctx context.Context, in Database) error {
	if len(t.shape.columns) == 0 {
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

func (t *table) Schema() frames.Schema { return t.schema }

func (t *table) Rows() int { return t.rows }

// Scan reads the rows in one transaction.
func (t *table) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	if t.turn != nil {
		select {
		case t.turn <- struct{}{}:
			defer func() { <-t.turn }()
		case <-ctx.Done():
			return fmt.Errorf("sqlsource: scan stopped before row 1: %w", context.Cause(ctx))
		}
	}
	t.first.Lock()
	tx := t.held
	t.held = nil
	t.first.Unlock()
	in := Database(tx)
	if tx == nil {
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
	rows, err := in.QueryContext(ctx, t.query.ordered(t.shape.key), t.query.Args...)
	switch {
	case err != nil && fault.State(err) == cachedPlan:
		return changedColumns()
	case err != nil:
		return fault.Withhold("read rows", err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil || len(names) != len(t.shape.columns) {
		return changedColumns()
	}
	row := newReaders(t.shape.columns)
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

func changedColumns() error {
	return fmt.Errorf("sqlsource: read rows: the query has other columns than when it was opened: open it again: %w", frames.ErrChanged)
}
