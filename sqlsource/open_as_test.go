package sqlsource

import (
	"database/sql"
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// TestOpenAs: what another process opened has the same rows and fingerprint, and fails where rows or columns are no longer what they were.
func TestOpenAs(t *testing.T) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	pgtest.Do(t, db, "CREATE TABLE a (id integer PRIMARY KEY, x double precision)", "INSERT INTO a VALUES (1, 2), (2, 3)")
	s := pgtest.Schema(t, frames.Numeric("x", 0, 9))
	q := Query{SQL: "SELECT * FROM a", Key: []string{"id"}}
	src, err := Open(t.Context(), db, s, q)
	if err != nil {
		t.Fatal(err)
	}
	told, err := frames.Opened(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	scan := func() error {
		again, err := OpenAs(t.Context(), db, s, q, told)
		if err != nil {
			return err
		}
		if err := again.Scan(t.Context(), func(*frames.Block) error { return nil }); err != nil {
			return err
		}
		if pgtest.Fingerprint(t, again) != pgtest.Fingerprint(t, src) {
			t.Error("another fingerprint")
		}
		return nil
	}
	if err := scan(); err != nil {
		t.Fatal(err)
	}
	for _, change := range []string{
		"UPDATE a SET x = 4 WHERE id = 2", "UPDATE a SET x = 40 WHERE id = 2", "UPDATE a SET x = 'three' WHERE id = 2", "DELETE FROM a WHERE id = 2",
		"ALTER TABLE a RENAME COLUMN x TO y",
	} {
		pgtest.Do(t, db, change)
		if err := scan(); !errors.Is(err, frames.ErrChanged) {
			t.Errorf("%s: got %v", change, err)
		}
	}
	if _, err := OpenAs(t.Context(), db, s, q, []byte("{}")); !errors.Is(err, frames.ErrOptions) && !errors.Is(err, frames.ErrChanged) {
		t.Errorf("told nothing: got %v", err)
	}
}
