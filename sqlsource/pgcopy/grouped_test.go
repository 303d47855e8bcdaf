package pgcopy

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// counting counts how a source is read.
type counting struct {
	table *table
	scans int
}

func (c *counting) Schema() frames.Schema { return c.table.Schema() }

func (c *counting) Rows() int { return c.table.Rows() }

func (c *counting) Grouped(ctx context.Context, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (bool, error) {
	return c.table.Grouped(ctx, q, each)
}

func (c *counting) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	c.scans++
	return c.table.Scan(ctx, fn)
}

// TestGrouped: a table that the database adds up in a transaction of the caller's has the bits of the same one by its rows, and of a pool rows
// are read.
func TestGrouped(t *testing.T) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := pgtest.Open(t)
	for _, s := range []string{
		"CREATE TYPE mood AS ENUM ('fine', 'low')", "CREATE TABLE moods (id int PRIMARY KEY, mood mood, yes boolean, n smallint, pad char(4), x float8, r float4, d numeric)",
		"INSERT INTO moods SELECT i, (ARRAY['fine', 'low', NULL])[1 + i % 3]::mood, i % 2 = 0, i % 4, (ARRAY['a', 'b'])[1 + i / 2 % 2], sin(i), i / 3.0, i * 1.07 FROM generate_series(1, 2000) i",
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	defer db.Exec("DROP TABLE moods; DROP TYPE mood")
	s, err := frames.NewSchema(frames.Category("mood", "low", "fine").MayMiss(), frames.Category("yes", "false", "true"), frames.Category("n", "0", "1", "2", "3"), frames.Category("pad", "a", "b"),
		frames.Numeric("x", -1, 1), frames.Numeric("r", 0, 700), frames.Numeric("d", 0, 2500))
	if err != nil {
		t.Fatal(err)
	}
	q := sqlsource.Query{SQL: "SELECT * FROM moods;", Key: []string{"id"}}
	table := func(src frames.Source) string {
		session, err := dpkit.Demo(src, 5, dpkit.AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		r, err := session.Data().By("mood", "yes", "pad").Count().Mean("x").Sum("r").Variance("d").Share("n", "2").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(r.Value.Counts, r.Value.Sums)
	}
	rows, err := Read(ctx, pool, s, q)
	if err != nil {
		t.Fatal(err)
	}
	want := table(rows)
	tx, err := pool.BeginTx(ctx, Snapshot())
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(ctx)
	for name, c := range map[string]struct {
		db    Database
		scans int
	}{"a transaction": {tx, 0}, "a pool": {pool, 1}} {
		in, err := rowsOf(ctx, c.db, s, q)
		if err != nil {
			t.Fatal(err)
		}
		count := &counting{table: in}
		src, err := frames.Check(ctx, count)
		if err != nil {
			t.Fatal(err)
		}
		count.scans = 0
		if got := table(src); got != want || count.scans != c.scans {
			t.Errorf("%s: rows were read %d times, want %d; table\n%s, want\n%s", name, count.scans, c.scans, got, want)
		}
	}
}
