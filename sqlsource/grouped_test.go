package sqlsource

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// counting counts how a source is read.
type counting struct {
	table         *table
	scans, groups int
}

func (c *counting) Schema() frames.Schema { return c.table.Schema() }

func (c *counting) Rows() int { return c.table.Rows() }

func (c *counting) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	c.scans++
	return c.table.Scan(ctx, fn)
}

func (c *counting) Grouped(ctx context.Context, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (bool, error) {
	done, err := c.table.Grouped(ctx, q, each)
	if done {
		c.groups++
	}
	return done, err
}

// groupable is a table of hostile numbers: at bounds, between steps of any grid, tiny, of all types.
func groupable(t *testing.T, db *sql.DB) frames.Schema {
	t.Helper()
	for _, s := range []string{
		`CREATE TABLE g (id integer PRIMARY KEY, ward text, "se""x" text, code smallint, yes boolean, other text, x double precision, big double precision, stray double precision, n integer, money numeric(9,2), class text)`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	hostile := []string{"-3", "7", "2", "1.9999999999999998", "2.0000000000000004", "5e-324", "-5e-324", "2.2250738585072014e-308", "0.1", "0.30000000000000004", "6.999999999999999", "-2.9999999999999996", "1e-200", "0", "3.3333333333333335"}
	var rows []string
	for i := range 1500 {
		code, other := fmt.Sprint(i%3), fmt.Sprintf("'%c'", 'A'+i%6)
		if i%11 == 0 {
			code = "NULL"
		}
		if i%13 == 0 {
			other = "NULL"
		}
		rows = append(rows, fmt.Sprintf("(%d, '%s', '%s', %s, %v, %s, %s, %g, %g, %d, %d.%02d, '%s')", i, []string{"A", "a", "B b"}[i%3], []string{"f", "m"}[i*7%2], code, i%2 == 0, other,
			hostile[i%len(hostile)], (float64(i%101)-50)*1e57/7, float64(i%40)-20.5, i%17, i%90, i%100, []string{"no", "yes"}[i/3%2]))
	}
	if _, err := db.Exec("INSERT INTO g VALUES " + strings.Join(rows, ",")); err != nil {
		t.Fatal(err)
	}
	s, err := frames.NewSchema(frames.Category("ward", "A", "B b", "a", "nobody"), frames.Category(`se"x`, "m", "f"), frames.Category("code", "0", "1", "2").MayMiss(), frames.Category("yes", "false", "true"),
		frames.Category("other", "A", "B").Other("rest").MayMiss(), frames.Numeric("x", -3, 7), frames.Numeric("big", -1e58, 1e58), frames.Numeric("stray", -10, 11).Clamped(), frames.Numeric("n", 0, 16), frames.Numeric("money", 0, 99.5), frames.Label("class", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// tables are the plans that a database computes itself, and others.
func tables(t *testing.T, src frames.Source) map[string]dpkit.Plan[dpkit.Table] {
	t.Helper()
	s, err := dpkit.Demo(src, 7, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	target := dpkit.Target{Epsilon: 1, Delta: 1e-6}
	d := s.Data()
	return map[string]dpkit.Plan[dpkit.Table]{
		"counts":               d.By("ward", `se"x`).Count().Table(target),
		"missing levels":       d.By("code", "other").Count().Table(target),
		"by the label":         d.By("class", "yes").Count().Mean("x").Table(target),
		"all statistics":       d.By("ward").Count().Sum("x").Mean("big").Variance("x").Mean("stray").Variance("stray").Sum("n").Mean("money").Table(target),
		"shares":               d.By("ward").Share("class", "yes").Share(`se"x`, "f").Mean("x").Table(target),
		"the share of a group": d.By("ward").Share("ward", "a").Table(target),
		"no groups":            d.By().Mean("x").Variance("money").Table(target),
		"little noise":         d.By("yes").Mean("x").Variance("x").Table(dpkit.Target{Epsilon: 20, Delta: 1e-6}),
		"rows: quantiles":      d.By("ward").Count().Quantile(0.5, "x").Table(target),
		"rows: behind a step":  d.Where(dpkit.Between("x", 0, 7)).By("ward").Count().Mean("x").Table(target),
	}
}

// database is an empty SQLite in a file of its own, or the PostgreSQL of the tests.
func database(t testing.TB, name string) *sql.DB {
	t.Helper()
	if name == "PostgreSQL" {
		return pgtest.Open(t)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestGrouped: a table that the database groups and adds up has the bits of the same table by its rows; what is not pushed down is read as rows.
func TestGrouped(t *testing.T) {
	ctx := context.Background()
	lite, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	databases := map[string]*sql.DB{"SQLite": lite}
	t.Run("PostgreSQL", func(t *testing.T) { databases["PostgreSQL"], err = sql.Open("pgx", pgtest.DSN(t)) })
	for name, db := range databases {
		t.Run(name, func(t *testing.T) {
			s := groupable(t, db)
			q := Query{SQL: "SELECT * FROM g WHERE id > $1", Args: []any{-5}, Key: []string{"id"}}
			frame, err := Read(ctx, db, s, q)
			if err != nil {
				t.Fatal(err)
			}
			tx, err := db.BeginTx(ctx, Snapshot())
			if err != nil {
				t.Fatal(err)
			}
			defer tx.Rollback()
			in, err := rowsOf(ctx, tx, s, q)
			if err != nil {
				t.Fatal(err)
			}
			count := &counting{table: in}
			src, err := frames.Check(ctx, count)
			if err != nil {
				t.Fatal(err)
			}
			want := tables(t, frame)
			for name, plan := range tables(t, src) {
				count.scans, count.groups = 0, 0
				got, err := plan.Release(ctx)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				by, err := want[name].Release(ctx)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := bits(t, got.Value), bits(t, by.Value); a != b {
					t.Errorf("%s: the table differs from that of the rows:\n%s\n%s", name, a, b)
				}
				if rows := strings.HasPrefix(name, "rows: "); rows != (count.groups == 0) || rows != (count.scans > 0) {
					t.Errorf("%s: the rows were read %d times and added up %d times", name, count.scans, count.groups)
				}
			}
		})
	}
}

// bits are a table's as it is stored.
func bits(t *testing.T, of dpkit.Table) string {
	t.Helper()
	of.Provenance = dpkit.Table{}.Provenance
	b, err := json.Marshal(struct {
		Counts []float64
		Sums   [][]float64
	}{of.Counts, of.Sums})
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestNotGrouped: where rows could be others than those that were checked, or would be read otherwise, they are scanned; and what cannot be
// read any more is an error.
func TestNotGrouped(t *testing.T) {
	ctx := context.Background()
	s, err := frames.NewSchema(frames.Category("ward", "A", "a", "b"), frames.Numeric("x", 0, 100))
	if err != nil {
		t.Fatal(err)
	}
	readWrite := &sql.TxOptions{Isolation: sql.LevelRepeatableRead}
	committed := &sql.TxOptions{Isolation: sql.LevelReadCommitted, ReadOnly: true}
	const plain = "CREATE TABLE r (id integer PRIMARY KEY, ward text, x double precision)"
	for _, c := range []struct {
		name, create, only string
		options            *sql.TxOptions
		after              string // in the transaction, behind the check
		groups             int
		is                 error
	}{
		{"as it should be", plain, "", Snapshot(), "", 1, nil},
		{"texts that differ in case alone", strings.Replace(plain, "ward text", "ward text COLLATE NOCASE", 1), "SQLite", Snapshot(), "", 1, nil},
		{"numbers kept as text", strings.Replace(plain, "x double precision", "x", 1), "SQLite", Snapshot(), "", 0, nil},
		{"a transaction that wrote", plain, "SQLite", Snapshot(), "UPDATE r SET x = 100 WHERE id = 3", 0, frames.ErrChanged},
		{"one that may write", plain, "PostgreSQL", readWrite, "", 0, nil},
		{"one that wrote", plain, "PostgreSQL", readWrite, "UPDATE r SET x = 100 WHERE id = 3", 0, frames.ErrChanged},
		{"one that sees others write", plain, "PostgreSQL", committed, "", 0, nil},
		{"one that ended", plain, "", Snapshot(), "rollback", 0, ErrQuery},
	} {
		for _, name := range []string{"SQLite", "PostgreSQL"} {
			if c.only != "" && c.only != name {
				continue
			}
			t.Run(c.name+"/"+name, func(t *testing.T) {
				db := database(t, name)
				number := "'5'"
				if !strings.Contains(c.name, "kept as text") {
					number = "5"
				}
				for _, s := range []string{"DROP TABLE IF EXISTS r", c.create, "INSERT INTO r VALUES (1, 'A', 1.5), (2, 'a', 99), (3, 'b', " + number + "), (4, 'A', 7)"} {
					if _, err := db.Exec(s); err != nil {
						t.Fatal(err)
					}
				}
				q := Query{SQL: "SELECT * FROM r", Key: []string{"id"}}
				if strings.Contains(c.name, "kept as text") { // text that says what it is at every row
					q.SQL = "SELECT id, ward, x FROM r"
				}
				frame, err := Read(ctx, db, s, q)
				if err != nil {
					t.Fatal(err)
				}
				tx, err := db.BeginTx(ctx, c.options)
				if err != nil {
					t.Fatal(err)
				}
				defer tx.Rollback()
				in, err := rowsOf(ctx, tx, s, q)
				if err != nil {
					t.Fatal(err)
				}
				count := &counting{table: in}
				src, err := frames.Check(ctx, count)
				if err != nil {
					t.Fatal(err)
				}
				switch {
				case c.after == "rollback":
					err = tx.Rollback()
				case c.after != "":
					_, err = tx.Exec(c.after)
				}
				if err != nil {
					t.Fatal(err)
				}
				plan := func(src frames.Source) (dpkit.Result[dpkit.Table], error) {
					s, err := dpkit.Demo(src, 7, dpkit.ReplaceOne)
					if err != nil {
						t.Fatal(err)
					}
					return s.Data().By("ward").Count().Mean("x").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
				}
				got, err := plan(src)
				if !errors.Is(err, c.is) {
					t.Fatalf("got %v, want %v", err, c.is)
				}
				if count.groups != c.groups {
					t.Errorf("rows were added up %d times, want %d", count.groups, c.groups)
				}
				if err != nil {
					return
				}
				want, err := plan(frame)
				if err != nil {
					t.Fatal(err)
				}
				if a, b := bits(t, got.Value), bits(t, want.Value); a != b {
					t.Errorf("the table differs from that of the rows:\n%s\n%s", a, b)
				}
			})
		}
	}
}

// TestGroupedTypes: types whose values PostgreSQL casts to other texts than drivers read have the groups of the rows.
func TestGroupedTypes(t *testing.T) {
	ctx := context.Background()
	db := pgtest.Open(t)
	for _, s := range []string{
		"CREATE TYPE mood AS ENUM ('host', 'guest')",
		"CREATE TABLE hosts (id integer PRIMARY KEY, bytes bytea, address inet, padded char(4), mood mood)",
		"INSERT INTO hosts SELECT i, CASE WHEN i % 3 = 0 THEN 'ab'::bytea ELSE 'cd'::bytea END, CASE WHEN i % 3 = 0 THEN inet '10.0.0.1' ELSE inet '10.0.0.2' END, CASE WHEN i % 3 = 0 THEN 'ab' ELSE 'cd' END, " +
			"CASE WHEN i % 3 = 0 THEN 'host'::mood ELSE 'guest'::mood END FROM generate_series(1, 300) AS i",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	for column, levels := range map[string][]string{"bytes": {"ab"}, "address": {"10.0.0.1"}, "padded": {"ab"}, "mood": {"host"}} {
		s, err := frames.NewSchema(frames.Category(column, levels...).Other("rest"))
		if err != nil {
			t.Fatal(err)
		}
		tx, err := db.BeginTx(ctx, Snapshot())
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		q := Query{SQL: "SELECT id, " + column + " FROM hosts", Key: []string{"id"}}
		in, err := rowsOf(ctx, tx, s, q)
		if err != nil {
			t.Fatal(err)
		}
		count := &counting{table: in}
		src, err := frames.Check(ctx, count)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := Read(ctx, tx, s, q)
		if err != nil {
			t.Fatal(err)
		}
		var tables [2]dpkit.Table
		for i, src := range []frames.Source{src, rows} {
			demo, err := dpkit.Demo(src, 7, dpkit.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			r, err := demo.Data().By(column).Count().Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
			if err != nil {
				t.Fatal(err)
			}
			tables[i] = r.Value
		}
		if a, b := bits(t, tables[0]), bits(t, tables[1]); a != b {
			t.Errorf("%s: %s by the database, %s by the rows", column, a, b)
		}
		if pushed := column == "padded" || column == "mood"; pushed != (count.groups == 1) {
			t.Errorf("%s: added up %d times", column, count.groups)
		}
	}
}

// TestUnsteadyQueries: a query that draws its rows anew whenever it runs is scanned, which finds that they are others.
func TestUnsteadyQueries(t *testing.T) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range []string{
		"CREATE TABLE d (id integer PRIMARY KEY, ward text)",
		"INSERT INTO d WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400) SELECT i, CASE WHEN i % 2 THEN 'a' ELSE 'b' END FROM n",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	s, err := frames.NewSchema(frames.Category("ward", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(ctx, Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	src, err := Open(ctx, tx, s, Query{SQL: "SELECT * FROM d ORDER BY Random() LIMIT 200", Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	demo, err := dpkit.Demo(src, 7, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := demo.Data().By("ward").Count().Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(ctx); !errors.Is(err, frames.ErrChanged) {
		t.Errorf("got %v, %v, want that the rows changed", r.Value.Counts, err)
	}
}
