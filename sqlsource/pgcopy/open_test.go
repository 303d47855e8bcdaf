package pgcopy_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
	"github.com/dpkit-go/dpnb/sqlsource/pgcopy"
)

func TestMain(m *testing.M) { pgtest.Main(m) }

func pool(t testing.TB) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(context.Background(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestTypes: the rows are those of database/sql, to the fingerprint, for every type and for decimals of all sizes.
func TestTypes(t *testing.T) {
	ctx := context.Background()
	db := pgtest.Open(t)
	pgtest.Do(t, db, "CREATE TYPE ward AS ENUM ('A', 'B', 'C c')")
	t.Cleanup(func() { pgtest.Do(t, db, "DROP TYPE ward") })
	days := func(name string) frames.Column { return frames.Date(name, "1960-01-01", "2030-12-31") }
	s := pgtest.Schema(t, frames.Person("who"), frames.Numeric("i2", -1e5, 1e5), frames.Numeric("i4", -1e6, 1e6).MayMiss(), frames.Unbounded("i8"), frames.Unbounded("f4").MayMiss(), frames.Unbounded("f8").MayMiss(),
		frames.Numeric("b", 0, 1), frames.Unbounded("money").MayMiss(), frames.Unbounded("wide"), frames.Unbounded("tiny"), frames.Unbounded("whole"), days("d"), days("ts"), days("tz").MayMiss(), days("dt"),
		frames.Category("e", "A", "B", "C c"), frames.Category("c", "A", "B"), frames.Category("v", "x", "y").Other("other").MayMiss(), frames.Category("n", "0", "1", "2"), frames.Label("yes", "false", "true"))
	q := sqlsource.Query{Key: []string{"id"}, SQL: `SELECT i AS id, CASE i % 3 WHEN 0 THEN 'é' ELSE i::text END AS who, ('00000000-0000-0000-0000-' || lpad(i::text, 12, '0'))::uuid AS u, (i - 1000)::int2 AS i2, nullif(i, 7) AS i4, i::int8 * 1000000000000007 AS i8,
		CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE i / 7.0 END::float4 AS f4, CASE i % 5 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE -i / 7.0 END::float8 AS f8, i % 2 = 0 AS b,
		CASE i % 9 WHEN 0 THEN 'NaN' WHEN 1 THEN NULL ELSE (i - 1000) * 1.17 END::numeric AS money, (i - 1000) * 12345678901234567890.123456789012345678901 AS wide, i * 0.00000000000000000000000000012345 AS tiny, (i * 10000)::numeric ^ (i % 9) AS whole,
		date '1969-12-01' + i AS d, timestamp '1969-12-01 23:59:59.999999' + i * interval '1 day' AS ts, CASE i % 4 WHEN 0 THEN NULL ELSE timestamptz '1969-12-01 23:59:59+02' + i * interval '1 day' END AS tz, to_char(date '1969-12-01' + i, 'YYYY-MM-DD') AS dt,
		(ARRAY['A', 'B', 'C c'])[1 + i % 3]::ward AS e, (ARRAY['A', 'B'])[1 + i % 2]::char(5) AS c, (ARRAY['x', 'y', 'z', NULL])[1 + i % 4]::varchar(9) AS v, i % 3 AS n, i % 2 = 1 AS yes FROM generate_series(0, 2999) i`}
	want, err := sqlsource.Read(ctx, db, s, q)
	if err != nil {
		t.Fatal(err)
	}
	p := pool(t)
	for name, read := range map[string]func() (frames.Source, error){
		"Open": func() (frames.Source, error) { return pgcopy.Open(ctx, p, s, q) },
		"Read": func() (frames.Source, error) { return pgcopy.Read(ctx, p, s, q) },
		"a connection": func() (frames.Source, error) {
			conn, err := pgx.Connect(ctx, pgtest.DSN(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { conn.Close(ctx) })
			return pgcopy.Open(ctx, conn, s, q)
		},
		"a transaction": func() (frames.Source, error) {
			tx, err := p.BeginTx(ctx, pgcopy.Snapshot())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = tx.Rollback(ctx) })
			return pgcopy.Open(ctx, tx, s, q)
		},
	} {
		src, err := read()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for range 2 {
			if pgtest.Fingerprint(t, src) != pgtest.Fingerprint(t, want) {
				t.Errorf("%s: other rows than those of database/sql", name)
			}
		}
	}
	for _, column := range []string{"u", "i8"} { // people by other types
		s := pgtest.Schema(t, frames.Person(column), frames.Numeric("b", 0, 1))
		a, err := sqlsource.Read(ctx, db, s, q)
		b, errB := pgcopy.Read(ctx, p, s, q)
		if err != nil || errB != nil || pgtest.Fingerprint(t, a) != pgtest.Fingerprint(t, b) {
			t.Errorf("people by %s: %v, %v, or other people", column, err, errB)
		}
	}
	if used := p.Stat().AcquiredConns(); used != 1 {
		t.Errorf("%d connections are in use, want that of the transaction", used)
	}
}

// TestHostile: errors are those of database/sql, and hold no cell.
func TestHostile(t *testing.T) {
	ctx := context.Background()
	p := pool(t)
	num := func(name string) []frames.Column { return []frames.Column{frames.Numeric(name, 0, 100)} }
	const from = " FROM generate_series(1, 6) id"
	for _, c := range []struct {
		name    string
		columns []frames.Column
		query   sqlsource.Query
		is      error
		says    string
	}{
		{"sound", num("x"), sqlsource.Query{SQL: "SELECT id, 5 AS x" + from}, nil, ""},
		{"a name with quotes", num(`x "of" y`), sqlsource.Query{SQL: `SELECT id, 5 AS "x ""of"" y"` + from + ";"}, nil, ""},
		{"parameters", num("x"), sqlsource.Query{SQL: "SELECT id, $1 AS x" + from, Args: []any{5}}, frames.ErrOptions, "got 1 parameters"},
		{"a key of few values", num("x"), sqlsource.Query{SQL: "SELECT id / 2 AS id, 5 AS x" + from}, sqlsource.ErrKey, "rows 2 and 3 have one key"},
		{"two keys of NULL", num("x"), sqlsource.Query{SQL: "SELECT nullif(id / 4, 0) AS id, 5 AS x" + from + " WHERE id < 3"}, sqlsource.ErrKey, "rows 1 and 2 have one key"},
		{"no column", num("y"), sqlsource.Query{SQL: "SELECT id, 5 AS x" + from}, frames.ErrHeader, `the query has ["id" "x"]`},
		{"no table", num("x"), sqlsource.Query{SQL: "SELECT id, 5 AS x FROM nothing"}, sqlsource.ErrQuery, "nothing"},
		{"two statements", num("x"), sqlsource.Query{SQL: "SELECT id, 5 AS x" + from + "; SELECT 1"}, sqlsource.ErrQuery, ""},
		{"two statements that close what is open", num("x"), sqlsource.Query{SQL: "SELECT 1) q; CREATE TABLE evil (id int); SELECT * FROM (SELECT 1 AS id"}, sqlsource.ErrQuery, ""},
		{"no rows", num("x"), sqlsource.Query{SQL: "SELECT id, 5 AS x" + from + " WHERE id > 9"}, frames.ErrEmpty, ""},
		{"out of bounds", num("x"), sqlsource.Query{SQL: "SELECT id, CASE id WHEN 4 THEN 7391 ELSE 5 END AS x" + from}, frames.ErrBounds, `query: row 4, column "x"`},
		{"NULL", num("x"), sqlsource.Query{SQL: "SELECT id, nullif(id, 2) AS x" + from}, frames.ErrMissing, `row 2, column "x"`},
		{"text for numbers", num("x"), sqlsource.Query{SQL: "SELECT id, '7391'::text AS x" + from}, sqlsource.ErrType, "got type TEXT"},
		{"a list", num("x"), sqlsource.Query{SQL: "SELECT id, ARRAY[7391] AS x" + from}, sqlsource.ErrType, "got type _int4"},
		{"floats for people", []frames.Column{frames.Person("x"), frames.Numeric("id", 0, 9)}, sqlsource.Query{SQL: "SELECT id, 7391::float8 AS x" + from}, sqlsource.ErrType, "want text or integers"},
		{"decimals for levels", []frames.Column{frames.Category("x", "1", "2")}, sqlsource.Query{SQL: "SELECT id, 7391.0 AS x" + from}, sqlsource.ErrType, "got type NUMERIC"},
		{"no day", []frames.Column{frames.Date("x", "2020-01-01", "2024-12-31")}, sqlsource.Query{SQL: "SELECT id, '7391-02-30' AS x" + from}, frames.ErrDate, `row 1, column "x": got a text that is no day`},
		{"an endless day", []frames.Column{frames.Date("x", "2020-01-01", "2024-12-31")}, sqlsource.Query{SQL: "SELECT id, timestamp '-infinity' AS x" + from}, frames.ErrDate, `row 1, column "x"`},
		{"an infinite decimal", []frames.Column{frames.Unbounded("x")}, sqlsource.Query{SQL: "SELECT id, 'infinity'::numeric AS x" + from}, frames.ErrNumber, `row 1, column "x"`},
		{"a decimal beyond all numbers", []frames.Column{frames.Unbounded("x")}, sqlsource.Query{SQL: "SELECT id, '1e400'::numeric AS x" + from}, frames.ErrNumber, `row 1, column "x"`},
		{"what the server cannot cast", num("x"), sqlsource.Query{SQL: "SELECT id, CASE id WHEN 3 THEN 'x7391' ELSE '5' END::int AS x" + from}, sqlsource.ErrQuery, "SQLSTATE 22P02"},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.query.Key = []string{"id"}
			s := pgtest.Schema(t, c.columns...)
			_, open := pgcopy.Open(ctx, p, s, c.query)
			_, read := pgcopy.Read(ctx, p, s, c.query)
			for _, err := range []error{open, read} {
				if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v, want %v with %q", err, c.is, c.says)
				}
				if text := fmt.Sprintf("%v %+v %#v", err, err, err); strings.Contains(text, "7391") {
					t.Errorf("a cell is in %s", text)
				}
			}
		})
	}
}

// TestGone: a server that goes away is an error with the row, a context that ends says so, and a pool goes on.
func TestGone(t *testing.T) {
	ctx := context.Background()
	p, db := pool(t), pgtest.Open(t)
	q := sqlsource.Query{SQL: "SELECT i AS id, i AS x FROM generate_series(1, 200000) i", Key: []string{"id"}}
	src, err := pgcopy.Open(ctx, p, pgtest.Schema(t, frames.Numeric("x", 0, 1e9)), q)
	if err != nil {
		t.Fatal(err)
	}
	blocks := 0
	err = src.Scan(ctx, func(*frames.Block) error {
		if blocks++; blocks == 1 {
			pgtest.Do(t, db, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'COPY%generate_series%' AND pid <> pg_backend_pid()")
		}
		return nil
	})
	if !errors.Is(err, sqlsource.ErrConnect) || !strings.Contains(err.Error(), "behind row") {
		t.Errorf("got %v, want ErrConnect", err)
	}
	stopped, stop := context.WithCancel(ctx)
	if err = src.Scan(stopped, func(*frames.Block) error { stop(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want Canceled", err)
	}
	enough := errors.New("enough")
	if err = src.Scan(ctx, func(*frames.Block) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("got %v, want what the function said", err)
	}
	if err = src.Scan(ctx, func(*frames.Block) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	_, err = pgcopy.Open(ctx, noServer(t), pgtest.Schema(t, frames.Numeric("x", 0, 1e9)), q)
	if !errors.Is(err, sqlsource.ErrConnect) || strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, err), "hunter2") {
		t.Errorf("got %v, want ErrConnect without the password", err)
	}
}

func noServer(t *testing.T) *pgxpool.Pool {
	t.Helper()
	p, err := pgxpool.New(context.Background(), "host=/nowhere user=u password=hunter2 dbname=d")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestChanges: rows that change between two passes are an error of the later one; a transaction sees none of it.
func TestChanges(t *testing.T) {
	ctx := context.Background()
	p, db := pool(t), pgtest.Open(t)
	pgtest.Do(t, db, "CREATE TABLE changing (id int PRIMARY KEY, x float8)", "INSERT INTO changing SELECT i, i FROM generate_series(1, 100) i")
	t.Cleanup(func() { pgtest.Do(t, db, "DROP TABLE changing") })
	s, q := pgtest.Schema(t, frames.Numeric("x", 0, 1e3)), sqlsource.Query{SQL: "SELECT * FROM changing", Key: []string{"id"}}
	scan := func(src frames.Source) error { return src.Scan(ctx, func(*frames.Block) error { return nil }) }
	src, err := pgcopy.Open(ctx, p, s, q)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := p.BeginTx(ctx, pgcopy.Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	still, err := pgcopy.Open(ctx, tx, s, q)
	if err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{"UPDATE changing SET x = 9 WHERE id = 8", "INSERT INTO changing VALUES (200, 1)", "DELETE FROM changing WHERE id < 3"} {
		pgtest.Do(t, db, change)
		if err := scan(src); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s: got %v, want ErrChanged", change, err)
		}
		if err := scan(still); err != nil {
			t.Errorf("%s: in a transaction: %v", change, err)
		}
	}
}
