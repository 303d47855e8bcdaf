package pgcopy

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// TestHostileRows: rows that no source lets in, as COPY writes them.
func TestHostileRows(t *testing.T) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	db := pgtest.Open(t)
	q := sqlsource.Query{SQL: "SELECT * FROM copied_rows", Key: []string{"id"}}
	source := func(read func(s frames.Schema) error) hostile.Source {
		return hostile.Source{Place: func(n int) string { return fmt.Sprint("row ", n) }, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			pgtest.Do(t, db, "DROP TABLE IF EXISTS copied_rows", "CREATE TABLE copied_rows (id integer PRIMARY KEY, x double precision, c text, y text)")
			for i, r := range rows {
				if _, err := db.Exec("INSERT INTO copied_rows VALUES ($1, $2, $3, $4)", i, r.X, r.C, r.Y); err != nil {
					t.Fatal(err)
				}
			}
			return read(s)
		}}
	}
	sources := map[string]hostile.Source{
		"Open": source(func(s frames.Schema) error {
			src, err := Open(ctx, pool, s, q)
			if err != nil {
				return err
			}
			return src.Scan(ctx, func(*frames.Block) error { return nil })
		}),
		"Read": source(func(s frames.Schema) error { _, err := Read(ctx, pool, s, q); return err }),
	}
	for name, in := range sources {
		t.Run(name, func(t *testing.T) { hostile.Run(t, in) })
	}
	hostile.Covers(t, ".", sources, nil)
}
