package pgtest

import (
	"database/sql"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	server "github.com/dpkit-go/dpnb/internal/pgtest"
)

// DSN starts the server, once, and returns how to connect to it.
func DSN(t testing.TB) string {
	t.Helper()
	return server.DSN(t)
}

// Open connects to the server by the driver of pgx.
func Open(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// Main runs the tests of a package and stops the server.
func Main(m *testing.M) { server.Main(m) }
