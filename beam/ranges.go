package beam

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
)

// Ranges are the rows of a query, parted by ranges of one of its columns, each of which a worker reads through a connection of its own.
type Ranges struct {
	// Driver is the name that the driver has in database/sql, such as "pgx": the program imports it.
	Driver string
	// DSN is the name of the variable of the environment, in each worker's, that says how to connect. What it says is in no job, file or error.
	DSN string
	// SQL is one SELECT, without parameters, and Key are the columns by which its rows are told apart and ordered, as in [sqlsource.Query]. Public.
	SQL string
	Key []string
	// By is a column of integers, and Cuts where one range ends and the next begins, in ascending order: n cuts make n + 1 ranges, the first with all that is less
	// than the first cut, and with what is NULL. Public, as the key is: part by what says nothing private, such as a serial number. Every range has rows.
	By   string
	Cuts []int64
	// Snapshot has all workers see the state of the database as it was at the beginning, however others write, for as long as the context of OpenRanges lasts: on
	// PostgreSQL alone, by a transaction of this process whose snapshot workers import (pg_export_snapshot). Without it each range is what it was when it was
	// opened, or a pass fails with [frames.ErrChanged].
	Snapshot bool
}

// OpenRanges is [Open] of ranges of a query. Rows have the order of the ranges, and of the key in each.
func OpenRanges(ctx context.Context, of Ranges, s frames.Schema, o Options) (*frames.Sharded, error) {
	if err := errors.Join(o.validate(), of.validate()); err != nil {
		return nil, err
	}
	schema, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	of.Key, of.Cuts = slices.Clone(of.Key), slices.Clone(of.Cuts)
	t := task{Schema: schema, Ranges: &of}
	if of.Snapshot {
		if t.Snapshot, err = of.export(ctx); err != nil {
			return nil, err
		}
	}
	for i := range len(of.Cuts) + 1 {
		t.Shards = append(t.Shards, shard{Path: fmt.Sprintf("range %d of the query", i+1)})
	}
	return opened(ctx, &reader{task: t, options: o}, s, "ranges of the query")
}

func (r Ranges) validate() error {
	fail := func(field, got, want string) error {
		return fmt.Errorf("beam: ranges: %s: got %s, want %s: %w", field, got, want, ErrOptions)
	}
	switch {
	case !slices.Contains(sql.Drivers(), r.Driver):
		return fail("Driver", fmt.Sprintf("%q", r.Driver), fmt.Sprintf("one of %q, which this program imports: import the driver as _", sql.Drivers()))
	case r.DSN == "" || strings.ContainsAny(r.DSN, " =:/@"):
		return fail("DSN", "another text", "the name of a variable of the environment, such as DATABASE_URL, which holds how to connect: it may hold a password")
	case r.By == "":
		return fail("By", "no column", "the one whose ranges are shards, such as a serial number")
	}
	for i := range r.Cuts {
		if i > 0 && r.Cuts[i] <= r.Cuts[i-1] {
			return fail("Cuts", fmt.Sprintf("%d behind %d", r.Cuts[i], r.Cuts[i-1]), "ascending numbers")
		}
	}
	return nil
}

// query is that of a range. Together they have each row once: a comparison of two values that are there is true or false.
func (r Ranges) query(i int) sqlsource.Query {
	by := `q."` + strings.ReplaceAll(r.By, `"`, `""`) + `"`
	var holds string
	switch n := len(r.Cuts); {
	case n == 0:
		holds = "1 = 1"
	case i == 0:
		holds = fmt.Sprintf("%s < %d OR %s IS NULL", by, r.Cuts[0], by)
	case i == n:
		holds = fmt.Sprintf("%s >= %d", by, r.Cuts[n-1])
	default:
		holds = fmt.Sprintf("%s >= %d AND %s < %d", by, r.Cuts[i-1], by, r.Cuts[i])
	}
	return sqlsource.Query{SQL: "SELECT * FROM (" + strings.TrimRight(r.SQL, "; \t\r\n") + "\n) AS q WHERE " + holds, Key: r.Key}
}

// databases are those that this process is connected to, by what a worker is told.
var databases sync.Map // of func() (*sql.DB, error) by driver and variable

// connect is the pool of this process.
func (r Ranges) connect() (*sql.DB, error) {
	open, _ := databases.LoadOrStore([2]string{r.Driver, r.DSN}, sync.OnceValues(func() (*sql.DB, error) {
		dsn, ok := os.LookupEnv(r.DSN)
		if !ok {
			return nil, fmt.Errorf("beam: ranges: the variable %s is not set in the environment of this process: set it for driver and workers: %w", r.DSN, ErrOptions)
		}
		db, err := sql.Open(r.Driver, dsn)
		if err != nil { // whose words may hold the password
			return nil, fmt.Errorf("beam: ranges: what %s holds is no address that the driver %s reads: %w", r.DSN, r.Driver, sqlsource.ErrConnect)
		}
		return db, nil
	}))
	return open.(func() (*sql.DB, error))()
}

// export begins a transaction whose snapshot others can import until the context is done.
func (r Ranges) export(ctx context.Context) (snapshot string, err error) {
	db, err := r.connect()
	if err != nil {
		return "", err
	}
	tx, err := db.BeginTx(ctx, sqlsource.Snapshot())
	if err == nil {
		err = tx.QueryRowContext(ctx, "SELECT pg_export_snapshot()").Scan(&snapshot)
	}
	if err != nil {
		if tx != nil {
			_ = tx.Rollback()
		}
		return "", fmt.Errorf("beam: ranges: Snapshot: no snapshot could be exported, want PostgreSQL and a connection to it: leave Snapshot out for another database: %w", sqlsource.ErrConnect)
	}
	return snapshot, nil
}

// within is the database as a worker sees it, and what ends that.
func (t *task) within(ctx context.Context) (in sqlsource.Database, end func(), err error) {
	db, err := t.Ranges.connect()
	if err != nil || t.Snapshot == "" {
		return db, func() {}, err
	}
	tx, err := db.BeginTx(ctx, sqlsource.Snapshot())
	if err == nil {
		if _, err = tx.ExecContext(ctx, "SET TRANSACTION SNAPSHOT '"+strings.ReplaceAll(t.Snapshot, "'", "''")+"'"); err == nil {
			return tx, func() { _ = tx.Rollback() }, nil
		}
		_ = tx.Rollback()
	}
	return nil, nil, fmt.Errorf("beam: ranges: the snapshot of the driver cannot be imported, want the same server, and a driver whose context is not done: %w", sqlsource.ErrConnect)
}
