package sqlsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// hostileQuery is one that may have other rows when it is run again, or one that looks like it and has not.
type hostileQuery struct {
	name   string
	make   []string // before
	sql    string   // of columns id, ward, x
	during []string // in the transaction, behind the check
	pushed bool     // added up in the database
	is     error    // what rows say when they are others
}

// TestHostileViews: in a transaction that sees one state a query whose draw, sample, order or settings a view hides is scanned, which finds rows that are others;
// what only looks like that is added up, with the bits of the rows.
func TestHostileViews(t *testing.T) {
	ctx := context.Background()
	const plain = "SELECT id, ward, x FROM h"
	postgres := []hostileQuery{
		{"a view", []string{"CREATE VIEW v AS " + plain}, "SELECT * FROM v", nil, true, nil},
		{"a view of a view", []string{"CREATE VIEW v AS SELECT * FROM h WHERE x > 1", "CREATE VIEW w AS SELECT id, upper(ward) AS ward, abs(x) AS x FROM v"}, "SELECT * FROM w", nil, true, nil},
		{"a join", []string{"CREATE TABLE wards AS SELECT DISTINCT ward, 'a' AS kind FROM h", "CREATE VIEW v AS SELECT id, kind AS ward, x FROM h JOIN wards USING (ward)"}, "SELECT * FROM v", nil, true, nil},
		{"a materialized view that drew once", []string{"CREATE MATERIALIZED VIEW v AS SELECT id, CASE WHEN random() < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, true, nil},
		{"a partitioned table", []string{"CREATE TABLE p (id int, ward text, x float8) PARTITION BY RANGE (id)", "CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (200)", "CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (200) TO (9000)", "INSERT INTO p " + plain}, "SELECT * FROM p", nil, true, nil},
		{"now", []string{"CREATE VIEW v AS SELECT id, CASE WHEN now() > '2000-01-01' THEN ward ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, true, nil},
		{"random in a view", []string{"CREATE VIEW v AS SELECT id, CASE WHEN random() < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, false, frames.ErrChanged},
		{"random in a view of a view", []string{"CREATE VIEW v AS SELECT id, CASE WHEN random() < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h", "CREATE VIEW w AS SELECT * FROM v WHERE id > 3"}, "SELECT * FROM w", nil, false, frames.ErrChanged},
		{"random in a function of a view", []string{"CREATE FUNCTION draw() RETURNS float8 LANGUAGE plpgsql AS 'BEGIN RETURN random(); END'", "CREATE VIEW v AS SELECT id, CASE WHEN draw() < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, false, frames.ErrChanged},
		{"a function that lies", []string{"CREATE FUNCTION draw(int) RETURNS float8 IMMUTABLE LANGUAGE plpgsql AS 'BEGIN RETURN random(); END'", "CREATE VIEW v AS SELECT id, CASE WHEN draw(id) < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, false, frames.ErrChanged},
		{"one in the query", []string{"CREATE FUNCTION draw(int) RETURNS float8 STABLE LANGUAGE plpgsql AS 'BEGIN RETURN random(); END'"}, `SELECT id, CASE WHEN "draw" /* ( */ (id) < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h`, nil, false, frames.ErrChanged},
		{"a name that is not in the text", nil, `SELECT id, CASE WHEN U&"r\0061ndom"() < 0.5 THEN 'a' ELSE 'b' END AS ward, x FROM h`, nil, false, frames.ErrChanged},
		{"a sample", []string{"CREATE VIEW v AS SELECT * FROM h TABLESAMPLE BERNOULLI (50) REPEATABLE (1)"}, "SELECT id, ward, x FROM v", nil, false, nil},
		{"the first of some", []string{"CREATE VIEW v AS SELECT * FROM h LIMIT 200"}, "SELECT id, ward, x FROM v", nil, false, nil},
		{"numbers by where rows stand", []string{"CREATE VIEW v AS SELECT row_number() OVER () AS id, ward, x FROM h"}, "SELECT * FROM v", nil, false, nil},
		{"sums in floating point", []string{"CREATE VIEW v AS SELECT min(id) AS id, ward, avg(x) AS x FROM h GROUP BY ward, id"}, "SELECT * FROM v", nil, false, nil},
		{"one of those that are alike", []string{"CREATE VIEW v AS SELECT DISTINCT ON (ward) id, ward, x FROM h"}, "SELECT * FROM v", nil, false, nil},
		{"a setting", []string{"CREATE VIEW v AS SELECT id, ward, x FROM h WHERE x < coalesce(nullif(current_setting('my.most', true), ''), '1000')::float8"}, "SELECT * FROM v", []string{"SET LOCAL my.most = '50'"}, false, frames.ErrChanged},
		{"a setting that texts hang on", []string{"CREATE VIEW v AS SELECT id, CASE WHEN (date '2020-01-01' + id)::text LIKE '%-%' THEN ward ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, true, nil},
		{"that setting, changed", []string{"CREATE VIEW v AS SELECT id, CASE WHEN (date '2020-01-01' + id)::text LIKE '%-%' THEN ward ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", []string{"SET LOCAL datestyle = 'SQL'"}, false, frames.ErrChanged},
		{"the search path", []string{"CREATE SCHEMA other", "CREATE TABLE other.h AS SELECT id, ward, x / 2 AS x FROM h"}, plain, []string{"SET LOCAL search_path = other"}, false, frames.ErrChanged},
		{"the statement's time", nil, "SELECT id, CASE WHEN statement_timestamp() > '2000-01-01' THEN ward ELSE 'b' END AS ward, x FROM h", nil, false, nil},
		{"a counter", []string{"CREATE SEQUENCE s"}, "SELECT h.id, ward, x + last_value AS x FROM h, s", []string{"other: SELECT setval('hostile.s', 7)"}, false, frames.ErrChanged},
		{"rows that a policy hides", []string{"CREATE TABLE secret AS " + plain, "ALTER TABLE secret ENABLE ROW LEVEL SECURITY"}, "SELECT * FROM secret", nil, false, nil},
		{"a temporary table", nil, "SELECT * FROM tmp", []string{"UPDATE tmp SET x = 99 WHERE id = 3"}, false, frames.ErrChanged},
		{"rows that others write", nil, plain, []string{"other: UPDATE hostile.h SET x = 99"}, true, nil},
		{"rows that others delete", nil, plain, []string{"other: DELETE FROM hostile.h"}, true, nil},
	}
	lite := []hostileQuery{
		{"a view", []string{"CREATE VIEW v AS " + plain}, "SELECT * FROM v", nil, true, nil},
		{"a function", []string{"CREATE VIEW v AS SELECT id, upper(ward) AS ward, abs(x) AS x FROM h"}, "SELECT * FROM v", nil, true, nil},
		{"random in a view", []string{"CREATE VIEW v AS SELECT id, CASE WHEN random() % 2 = 0 THEN 'a' ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, false, frames.ErrChanged},
		{"random in a view of a view", []string{"CREATE VIEW v AS SELECT id, CASE WHEN abs(random()) % 2 = 0 THEN 'a' ELSE 'b' END AS ward, x FROM h", "CREATE VIEW [w w] AS SELECT * FROM V"}, "SELECT * FROM `W w`", nil, false, frames.ErrChanged},
		{"the first of some", []string{"CREATE VIEW v AS SELECT * FROM h LIMIT 200"}, "SELECT id, ward, x FROM v", nil, false, nil},
		{"one of those that are alike", []string{"CREATE VIEW v AS SELECT DISTINCT ward, id, x FROM h"}, "SELECT * FROM v", nil, false, nil},
		{"the time", []string{"CREATE VIEW v AS SELECT id, CASE WHEN strftime('%Y', 'now') > '2000' THEN ward ELSE 'b' END AS ward, x FROM h"}, "SELECT * FROM v", nil, false, nil},
		{"rows of a function", nil, "SELECT h.id, ward, x FROM h, json_each('[1]')", nil, false, nil},
	}
	s, err := frames.NewSchema(frames.Category("ward", "a", "b").Other("rest"), frames.Numeric("x", 0, 2000))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"PostgreSQL", "SQLite"} {
		for _, c := range map[string][]hostileQuery{"PostgreSQL": postgres, "SQLite": lite}[name] {
			t.Run(name+"/"+c.name, func(t *testing.T) {
				db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
				if name == "PostgreSQL" {
					db, err = sql.Open("pgx", pgtest.DSN(t))
				}
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				one, err := db.Conn(ctx)
				if err != nil {
					t.Fatal(err)
				}
				defer one.Close()
				make := append([]string{"CREATE TABLE h (id integer PRIMARY KEY, ward text, x double precision)"}, c.make...)
				rows := "INSERT INTO h WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i, CASE WHEN i % 3 = 0 THEN 'a' ELSE 'b' END, i FROM n"
				make = append(make[:1], append([]string{rows}, make[1:]...)...)
				if name == "PostgreSQL" {
					make = append([]string{"DROP SCHEMA IF EXISTS hostile, other CASCADE", "CREATE SCHEMA hostile", "SET search_path = hostile"}, append(make, "CREATE TEMP TABLE tmp AS "+plain)...)
				}
				for _, s := range make {
					if _, err := one.ExecContext(ctx, s); err != nil {
						t.Fatalf("%s: %v", s, err)
					}
				}
				tx, err := one.BeginTx(ctx, Snapshot())
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				in, err := rowsOf(ctx, tx, s, Query{SQL: c.sql, Key: []string{"id"}})
				if err != nil {
					t.Fatal(err)
				}
				count := &counting{table: in}
				src, err := frames.Check(ctx, count)
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range c.during {
					if other, ok := strings.CutPrefix(s, "other: "); ok {
						_, err = db.ExecContext(ctx, other)
					} else {
						_, err = tx.ExecContext(ctx, s)
					}
					if err != nil {
						t.Fatal(err)
					}
				}
				demo, err := dpkit.Demo(src, 7, dpkit.ReplaceOne)
				if err != nil {
					t.Fatal(err)
				}
				count.scans, count.groups = 0, 0
				r, err := demo.Data().By("ward").Count().Mean("x").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
				if !errors.Is(err, c.is) {
					t.Errorf("got %v, %v, want %v", r.Value.Counts, err, c.is)
				}
				if pushed := count.groups > 0; pushed != c.pushed || pushed == (count.scans > 0) {
					t.Errorf("rows were added up %d times and read %d times, want them added up: %v", count.groups, count.scans, c.pushed)
				}
				if c.pushed && err == nil {
					if got, want := fmt.Sprint(r.Value.Counts), fmt.Sprint(rowsAlone(t, in)); got != want {
						t.Errorf("got %s, want %s as of the rows", got, want)
					}
				}
			})
		}
	}
}

// rowsAlone are the counts of the same release by the rows that a transaction reads.
func rowsAlone(t *testing.T, in *table) []float64 {
	t.Helper()
	f, err := frames.Collect(t.Context(), in)
	if err != nil {
		t.Fatal(err)
	}
	demo, err := dpkit.Demo(f, 7, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	r, err := demo.Data().By("ward").Count().Mean("x").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Value.Counts
}
