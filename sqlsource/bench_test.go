package sqlsource_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// BenchmarkTable releases a table of 200 groups and two statistics of 200 000 rows in PostgreSQL, added up there and by its rows.
func BenchmarkTable(b *testing.B) {
	const n = 200_000
	ctx := context.Background()
	db := own(b, pgtest.DSN(b))
	pgtest.Do(b, db, "CREATE TABLE t (id int PRIMARY KEY, ward text NOT NULL, x float8 NOT NULL)",
		fmt.Sprintf("INSERT INTO t SELECT i, (i * 7919 %% 200)::text, random() FROM generate_series(1, %d) i", n), "VACUUM ANALYZE t")
	levels := make([]string, 200)
	for i := range levels {
		levels[i] = fmt.Sprint(i)
	}
	s, q := pgtest.Schema(b, frames.Category("ward", levels...), frames.Numeric("x", 0, 1)), sqlsource.Query{SQL: "SELECT * FROM t", Key: []string{"id"}}
	tx, err := db.BeginTx(ctx, sqlsource.Snapshot())
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback()
	for _, c := range []struct {
		name string
		db   sqlsource.Database
	}{{"in the database", tx}, {"by rows", db}} {
		src, err := sqlsource.Open(ctx, c.db, s, q)
		if err != nil {
			b.Fatal(err)
		}
		session, err := dpkit.Demo(src, 1, dpkit.AddRemove)
		if err != nil {
			b.Fatal(err)
		}
		plan := session.Data().By("ward").Count().Mean("x").Table(dpkit.Target{Epsilon: 1, Delta: 1e-6})
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				if _, err := plan.Release(ctx); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrows/s")
		})
	}
}
