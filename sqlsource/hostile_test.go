package sqlsource_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// secret is what stands in cells, and in no error.
const secret = "7391"

// TestHostile: what does not suit the schema is an error that says where and what to do, and holds no cell.
func TestHostile(t *testing.T) {
	ctx := context.Background()
	num := func(name string) frames.Column { return frames.Numeric(name, 0, 100) }
	fine := func(sql string) sqlsource.Query { return sqlsource.Query{SQL: sql, Key: []string{"id"}} }
	for _, c := range []struct {
		name    string
		columns []frames.Column
		query   sqlsource.Query
		is      error
		says    string
		only    string // one database
	}{
		{"sound", []frames.Column{num("x")}, fine("SELECT id, 5 AS x FROM t"), nil, "", ""},
		{"no query", []frames.Column{num("x")}, fine(" "), frames.ErrOptions, "want a SELECT", ""},
		{"no key", []frames.Column{num("x")}, sqlsource.Query{SQL: "SELECT id, 5 AS x FROM t"}, sqlsource.ErrKey, "ctid (PostgreSQL) or rowid (SQLite)", ""},
		{"a key twice", []frames.Column{num("x")}, sqlsource.Query{SQL: "SELECT id, 5 AS x FROM t", Key: []string{"id", "id"}}, sqlsource.ErrKey, `got "id" twice`, ""},
		{"a key that is not there", []frames.Column{num("x")}, sqlsource.Query{SQL: "SELECT id, 5 AS x FROM t", Key: []string{"no"}}, frames.ErrHeader, `column "no" of the key: the query has ["id" "x"]`, ""},
		{"a key of few values", []frames.Column{num("x")}, sqlsource.Query{SQL: "SELECT 3 * id AS id, 5 AS x, id / 2 AS half FROM t", Key: []string{"half"}}, sqlsource.ErrKey, "rows 2 and 3 have one key", ""},
		{"a column that is not there", []frames.Column{num("y")}, fine("SELECT id, 5 AS x FROM t"), frames.ErrHeader, `column "y" of the schema: the query has ["id" "x"]`, ""},
		{"two columns of a name", []frames.Column{num("x")}, fine("SELECT id, 5 AS x, 6 AS x FROM t"), frames.ErrHeader, "two of that name", "PostgreSQL"},
		{"no such table", []frames.Column{num("x")}, fine("SELECT id, 5 AS x FROM nothing"), sqlsource.ErrQuery, "nothing", ""},
		{"no SQL", []frames.Column{num("x")}, fine("SELEKT"), sqlsource.ErrQuery, "", ""},
		{"two statements", []frames.Column{num("x")}, fine("SELECT id, 5 AS x FROM t; DROP TABLE t"), sqlsource.ErrQuery, "", ""},
		{"a statement that writes", []frames.Column{num("x")}, fine("DELETE FROM t RETURNING id, 5 AS x"), sqlsource.ErrQuery, "", ""},
		{"no rows", []frames.Column{num("x")}, fine("SELECT id, 5 AS x FROM t WHERE id > 100"), frames.ErrEmpty, "", ""},
		{"out of bounds", []frames.Column{num("x")}, fine("SELECT id, CASE id WHEN 4 THEN 7391 ELSE 5 END AS x FROM t"), frames.ErrBounds, `query: row 4, column "x"`, ""},
		{"NULL where none may be", []frames.Column{num("x")}, fine("SELECT id, CASE id WHEN 2 THEN NULL ELSE 5 END AS x FROM t"), frames.ErrMissing, `row 2, column "x"`, ""},
		{"a level that is none", []frames.Column{frames.Category("x", "A", "B")}, fine("SELECT id, CASE id WHEN 3 THEN '7391' ELSE 'A' END AS x FROM t"), frames.ErrLevel, `row 3, column "x"`, ""},
		{"nobody's row", []frames.Column{frames.Person("x"), num("id")}, fine("SELECT id, CASE id WHEN 3 THEN ' ' ELSE '7391' END AS x FROM t"), frames.ErrMissing, `row 3, column "x"`, ""},
		{"text for numbers", []frames.Column{num("x")}, fine("SELECT id, CAST('7391' AS text) AS x FROM t"), sqlsource.ErrType, "got type TEXT", "PostgreSQL"},
		{"text in a column of numbers", []frames.Column{num("x")}, fine("SELECT id, CASE id WHEN 3 THEN 'x7391' ELSE 5 END AS x FROM t"), sqlsource.ErrType, `row 3, column "x": got a text that is no number`, "SQLite"},
		{"hexadecimal", []frames.Column{num("x")}, fine("SELECT id, CASE id WHEN 3 THEN '0x7391' ELSE 5 END AS x FROM t"), sqlsource.ErrType, `row 3, column "x": got a text that is no number`, "SQLite"},
		{"numbers for days", []frames.Column{frames.Date("x", "2020-01-01", "2024-12-31")}, fine("SELECT id, 7391 AS x FROM t"), sqlsource.ErrType, "want dates", ""},
		{"text that is no day", []frames.Column{frames.Date("x", "2020-01-01", "2024-12-31")}, fine("SELECT id, '2023-02-30' AS x FROM t"), frames.ErrDate, `row 1, column "x": got a text that is no day, want one written as 2020-01-01`, ""},
		{"a day for nobody", []frames.Column{frames.Person("x"), num("id")}, fine("SELECT id, date '2024-01-31' AS x FROM t"), sqlsource.ErrType, "got a time, want text or integers", "PostgreSQL"},
		{"floats for levels", []frames.Column{frames.Category("x", "1", "2")}, fine("SELECT id, id + 0.5 AS x FROM t"), sqlsource.ErrType, "want text, integers or booleans", ""},
		{"a list", []frames.Column{num("x")}, fine("SELECT id, ARRAY[7391] AS x FROM t"), sqlsource.ErrType, `row 1, column "x"`, "PostgreSQL"},
		{"what the server cannot cast", []frames.Column{num("x")}, fine("SELECT id, CAST(CASE id WHEN 3 THEN 'x7391' ELSE '5' END AS integer) AS x FROM t"), sqlsource.ErrQuery, "SQLSTATE 22P02", "PostgreSQL"},
		{"what the server cannot cast at once", []frames.Column{num("x")}, fine("SELECT id, CAST('x7391' AS integer) AS x FROM t"), sqlsource.ErrQuery, "SQLSTATE 22P02", "PostgreSQL"},
		{"what the server cannot divide", []frames.Column{num("x")}, fine("SELECT id, 7391 / (id - 3) AS x FROM t"), sqlsource.ErrQuery, "SQLSTATE 22012", "PostgreSQL"},
		{"an endless day", []frames.Column{frames.Date("x", "2020-01-01", "2024-12-31")}, fine("SELECT id, date 'infinity' AS x FROM t"), frames.ErrDate, `row 1, column "x"`, "PostgreSQL"},
		{"an infinite number", []frames.Column{frames.Unbounded("x")}, fine("SELECT id, CAST('-infinity' AS double precision) AS x FROM t"), frames.ErrNumber, `row 1, column "x"`, "PostgreSQL"},
		{"an infinite decimal", []frames.Column{frames.Unbounded("x")}, fine("SELECT id, CAST('infinity' AS numeric) AS x FROM t"), frames.ErrNumber, `row 1, column "x"`, "PostgreSQL"},
		{"a decimal beyond all numbers", []frames.Column{frames.Unbounded("x")}, fine("SELECT id, CAST('1e400' AS numeric) AS x FROM t"), frames.ErrNumber, `row 1, column "x"`, "PostgreSQL"},
		{"a parameter too few", []frames.Column{num("x")}, fine("SELECT id, 5 AS x FROM t WHERE id < $1"), sqlsource.ErrQuery, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, db *sql.DB, postgres bool) {
				if c.only != "" && (c.only == "PostgreSQL") != postgres {
					return
				}
				pgtest.Do(t, db, "CREATE TABLE t (id integer PRIMARY KEY)", "INSERT INTO t VALUES (1), (2), (3), (4), (5), (6)")
				s := pgtest.Schema(t, c.columns...)
				_, err := sqlsource.Open(ctx, db, s, c.query)
				if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want %v with %q", err, c.is, c.says)
				}
				_, read := sqlsource.Read(ctx, db, s, c.query)
				if !errors.Is(read, c.is) || read != nil && !strings.Contains(read.Error(), c.says) && !errors.Is(c.is, frames.ErrEmpty) {
					t.Errorf("Read: got %v, want %v with %q", read, c.is, c.says)
				}
				for _, err := range []error{err, read} {
					if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, secret) && c.name != "no such table" {
						t.Errorf("a cell is in %s", text)
					}
				}
				var n int
				if err := db.QueryRow("SELECT count(*) FROM t").Scan(&n); err != nil || n != 6 {
					t.Errorf("the table has %d rows: %v", n, err)
				}
				if used := db.Stats().InUse; used != 0 {
					t.Errorf("%d connections are still in use", used)
				}
			})
		})
	}
}

// TestChanges: rows that change between two passes are an error of the later one; a transaction sees none of it.
func TestChanges(t *testing.T) {
	ctx := context.Background()
	scan := func(src frames.Source) error { return src.Scan(ctx, func(*frames.Block) error { return nil }) }
	s := pgtest.Schema(t, frames.Numeric("x", 0, 100))
	q := sqlsource.Query{SQL: "SELECT id, x FROM t", Key: []string{"id"}}
	for _, c := range []struct {
		name, change string
		back         string
	}{
		{"another cell", "UPDATE t SET x = 8 WHERE id = 2", "UPDATE t SET x = 7 WHERE id = 2"},
		{"a row more", "INSERT INTO t VALUES (9, 7)", "DELETE FROM t WHERE id = 9"},
		{"a row less", "DELETE FROM t WHERE id = 3", "INSERT INTO t VALUES (3, 7)"},
		{"out of bounds", "UPDATE t SET x = 101 WHERE id = 1", "UPDATE t SET x = 7 WHERE id = 1"},
		{"NULL", "UPDATE t SET x = NULL WHERE id = 1", "UPDATE t SET x = 7 WHERE id = 1"},
		{"rows in another place", "UPDATE t SET id = 20 WHERE id = 1", "UPDATE t SET id = 1 WHERE id = 20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			each(t, func(t *testing.T, db *sql.DB, postgres bool) {
				pgtest.Do(t, db, "CREATE TABLE t (id integer PRIMARY KEY, x double precision)", "INSERT INTO t VALUES (1, 7), (2, 7), (3, 7), (4, 1)")
				if c.name == "rows in another place" {
					pgtest.Do(t, db, "UPDATE t SET x = 5 WHERE id = 1")
				}
				if !postgres {
					pgtest.Do(t, db, "PRAGMA journal_mode=WAL") // readers do not hinder writers
				}
				src, err := sqlsource.Open(ctx, db, s, q)
				if err != nil {
					t.Fatal(err)
				}
				tx, err := db.BeginTx(ctx, sqlsource.Snapshot())
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				still, err := sqlsource.Open(ctx, tx, s, q)
				if err != nil {
					t.Fatal(err)
				}
				if err := scan(src); err != nil {
					t.Errorf("before: %v", err)
				}
				pgtest.Do(t, db, c.change)
				if err := scan(src); !errors.Is(err, frames.ErrChanged) {
					t.Errorf("got %v, want ErrChanged", err)
				}
				if err := scan(still); err != nil {
					t.Errorf("in a transaction: %v", err)
				}
				if c.name == "rows in another place" {
					return
				}
				pgtest.Do(t, db, c.back)
				if err := scan(src); err != nil {
					t.Errorf("as before: %v", err)
				}
			})
		})
	}
	t.Run("another type", func(t *testing.T) {
		each(t, func(t *testing.T, db *sql.DB, postgres bool) {
			pgtest.Do(t, db, "CREATE TABLE t (id integer PRIMARY KEY, x integer)", "INSERT INTO t VALUES (1, 7), (2, 7)")
			src, err := sqlsource.Open(ctx, db, s, q)
			if err != nil {
				t.Fatal(err)
			}
			pgtest.Do(t, db, "DROP TABLE t", "CREATE TABLE t (id integer PRIMARY KEY, x text)", "INSERT INTO t VALUES (1, 'seven'), (2, '7')")
			if err := scan(src); !errors.Is(err, frames.ErrChanged) || strings.Contains(err.Error(), "seven") {
				t.Errorf("got %v, want ErrChanged", err)
			}
			pgtest.Do(t, db, "DROP TABLE t")
			if err := scan(src); !errors.Is(err, sqlsource.ErrQuery) {
				t.Errorf("got %v, want ErrQuery", err)
			}
		})
	})
}

// TestGone: a server that goes away in the middle of a pass is an error with the row, and a context that ends is one that says so.
func TestGone(t *testing.T) {
	ctx := context.Background()
	db, other := own(t, pgtest.DSN(t)), pgtest.Open(t)
	s := pgtest.Schema(t, frames.Numeric("x", 0, 1e9))
	q := sqlsource.Query{SQL: "SELECT i AS id, i AS x FROM generate_series(1, 200000) i", Key: []string{"id"}}
	src, err := sqlsource.Open(ctx, db, s, q)
	if err != nil {
		t.Fatal(err)
	}
	kill := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%generate_series%' AND pid <> pg_backend_pid()"
	blocks := 0
	err = src.Scan(ctx, func(*frames.Block) error {
		if blocks++; blocks == 1 {
			pgtest.Do(t, other, kill)
		}
		return nil
	})
	if !errors.Is(err, sqlsource.ErrConnect) || !strings.Contains(err.Error(), "behind row") {
		t.Errorf("got %v, want ErrConnect", err)
	}
	stopped, stop := context.WithCancel(ctx)
	err = src.Scan(stopped, func(*frames.Block) error { stop(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	own := errors.New("enough")
	if err = src.Scan(ctx, func(*frames.Block) error { return own }); !errors.Is(err, own) {
		t.Errorf("got %v, want what the function said", err)
	}
	if err = src.Scan(ctx, func(*frames.Block) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	_, err = sqlsource.Open(short, db, s, sqlsource.Query{SQL: "SELECT 1 AS id, pg_sleep(20), 1 AS x", Key: []string{"id"}})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want DeadlineExceeded", err)
	}
}

// TestWrites: a query that writes is refused by the read-only transaction, in PostgreSQL.
func TestWrites(t *testing.T) {
	db := own(t, pgtest.DSN(t))
	pgtest.Do(t, db, "CREATE SEQUENCE n")
	_, err := sqlsource.Open(context.Background(), db, pgtest.Schema(t, frames.Numeric("x", 0, 9)), sqlsource.Query{SQL: "SELECT 1 AS id, nextval('n') AS x", Key: []string{"id"}})
	if !errors.Is(err, sqlsource.ErrQuery) || !strings.Contains(err.Error(), "25006") {
		t.Errorf("got %v, want a refusal", err)
	}
}

// talker is a driver that says the password in every error.
type talker struct{ fail string }

func (d talker) Open(string) (driver.Conn, error) {
	if d.fail == "open" {
		return nil, errors.New("dial postgres://user:hunter2@db: refused")
	}
	return d, nil
}
func (d talker) Prepare(string) (driver.Stmt, error) { return nil, errors.New("hunter2") }
func (d talker) Close() error                        { return nil }
func (d talker) Begin() (driver.Tx, error)           { return d, nil }
func (d talker) Commit() error                       { return nil }
func (d talker) Rollback() error                     { return nil }
func (d talker) Columns() []string                   { return []string{"id", "x"} }
func (d talker) Next(to []driver.Value) error {
	if d.fail == "rows" {
		return errors.New("hunter2")
	}
	return io.EOF
}

func (d talker) QueryContext(_ context.Context, query string, _ []driver.NamedValue) (driver.Rows, error) {
	if d.fail == "count" && strings.Contains(query, "count(*)") {
		return nil, errors.New("hunter2")
	}
	if strings.Contains(query, "1 = 0") {
		d.fail = ""
	}
	return d, nil
}

// TestTalkativeDriver: what a driver says of connections and rows is not repeated, whichever way the error is printed.
func TestTalkativeDriver(t *testing.T) {
	for _, fail := range []string{"open", "count", "rows"} {
		name := "talker " + fail
		sql.Register(name, talker{fail})
		db, err := sql.Open(name, "postgres://user:hunter2@db")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		_, err = sqlsource.Open(context.Background(), db, pgtest.Schema(t, frames.Numeric("x", 0, 9)), sqlsource.Query{SQL: "SELECT", Key: []string{"id"}})
		if err == nil {
			t.Fatalf("%s: no error", fail)
		}
		for e := err; e != nil; e = errors.Unwrap(e) {
			if text := fmt.Sprintf("%v %+v %#v", e, e, e); strings.Contains(text, "hunter2") {
				t.Errorf("%s: %s", fail, text)
			}
		}
	}
}
