package pgtest

import (
	"context"
	"database/sql"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// Do runs statements.
func Do(t testing.TB, db *sql.DB, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// Schema is that of the columns.
func Schema(t testing.TB, columns ...frames.Column) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(columns...)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Fingerprint is that of the rows under a key of the tests.
func Fingerprint(t testing.TB, src frames.Source) [32]byte {
	t.Helper()
	f, err := frames.Fingerprint(context.Background(), src, []byte("a key of tests"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}
