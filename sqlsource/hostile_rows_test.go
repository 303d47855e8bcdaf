package sqlsource

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// TestHostileRows: rows that no source lets in, in tables of both databases that hold whatever they are given.
func TestHostileRows(t *testing.T) {
	q := Query{SQL: "SELECT * FROM hostile_rows", Key: []string{"id"}}
	sources := func(db *sql.DB) map[string]hostile.Source {
		source := func(read func(s frames.Schema) error) hostile.Source {
			return hostile.Source{Place: func(n int) string { return fmt.Sprint("row ", n) }, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
				for _, do := range []string{"DROP TABLE IF EXISTS hostile_rows", "CREATE TABLE hostile_rows (id integer PRIMARY KEY, x double precision, c text, y text)"} {
					if _, err := db.Exec(do); err != nil {
						t.Fatal(err)
					}
				}
				for i, r := range rows {
					if _, err := db.Exec("INSERT INTO hostile_rows VALUES ($1, $2, $3, $4)", i, r.X, r.C, r.Y); err != nil {
						t.Fatal(err)
					}
				}
				return read(s)
			}}
		}
		return map[string]hostile.Source{
			"Open": source(func(s frames.Schema) error {
				src, err := Open(context.Background(), db, s, q)
				if err != nil {
					return err
				}
				return src.Scan(context.Background(), func(*frames.Block) error { return nil })
			}),
			"Read": source(func(s frames.Schema) error { _, err := Read(context.Background(), db, s, q); return err }),
		}
	}
	lite, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	run := func(db *sql.DB) func(t *testing.T) {
		return func(t *testing.T) {
			for name, in := range sources(db) {
				t.Run(name, func(t *testing.T) { hostile.Run(t, in) })
			}
		}
	}
	t.Run("SQLite", run(lite))
	t.Run("PostgreSQL", func(t *testing.T) { run(pgtest.Open(t))(t) })
	hostile.Covers(t, ".", sources(lite), nil)
}
