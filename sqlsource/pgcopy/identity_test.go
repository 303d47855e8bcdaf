package pgcopy

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// identityReaders are the sources of this package, of a query on a database.
func identityReaders(db *pgxpool.Pool) map[string]func(s frames.Schema, q sqlsource.Query) (frames.Source, error) {
	return map[string]func(s frames.Schema, q sqlsource.Query) (frames.Source, error){
		"Open": func(s frames.Schema, q sqlsource.Query) (frames.Source, error) {
			src, err := Open(context.Background(), db, s, q)
			if err != nil {
				return nil, err
			}
			return src, nil
		},
		"Read": func(s frames.Schema, q sqlsource.Query) (frames.Source, error) {
			f, err := Read(context.Background(), db, s, q)
			if err != nil {
				return nil, err
			}
			return f, nil
		},
	}
}

// identities connects to the server of the tests.
func identities(t *testing.T) *pgxpool.Pool {
	t.Helper()
	db, err := pgxpool.New(context.Background(), pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

var identityTables atomic.Int64

// identityTable makes an empty table with a column of a type, and is what reads it.
func identityTable(t testing.TB, db *pgxpool.Pool, of string) (name string, q sqlsource.Query) {
	t.Helper()
	name = fmt.Sprintf("copied_identities%d", identityTables.Add(1))
	if _, err := db.Exec(context.Background(), "CREATE TABLE "+name+" (id integer PRIMARY KEY, v "+of+", x double precision)"); err != nil {
		t.Fatal(err)
	}
	return name, sqlsource.Query{SQL: "SELECT * FROM " + name, Key: []string{"id"}}
}

// TestIdentities: no reader makes one person, level or text of two.
func TestIdentities(t *testing.T) {
	db := identities(t)
	table, q := identityTable(t, db, "text")
	loaders := map[string]hostile.Loader{}
	for name, read := range identityReaders(db) {
		loaders[name] = hostile.Loader{Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			if _, err := db.Exec(context.Background(), "DELETE FROM "+table); err != nil {
				t.Fatal(err)
			}
			var rows []string
			var args []any
			for i, text := range texts {
				rows, args = append(rows, fmt.Sprintf("(%d, $%d, 0)", i, i+1)), append(args, text)
			}
			if _, err := db.Exec(context.Background(), "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "), args...); err != nil {
				t.Fatal(err)
			}
			return read(s, q)
		}}
	}
	for name, in := range loaders {
		t.Run(name, func(t *testing.T) { hostile.RunIdentities(t, in) })
	}
	hostile.Covers(t, ".", loaders, nil)
}

// TestIdentitiesOfTypes: a column of another type than text is identifiers by its one spelling, or
// is refused; binary data has no space around it.
func TestIdentitiesOfTypes(t *testing.T) {
	db := identities(t)
	types := append(pgtest.Types(), pgtest.Type{
		Name: "bytea", Values: []string{`'\x01ff20'`, `'\x01ff0a'`, `'\x01ff'`, `'\x20ff'`}, Takes: []string{hostile.AsPerson},
		Levels: []string{"a", "b"},
	})
	for _, c := range types {
		c.Make(t, pgtest.Open(t))
		table, q := identityTable(t, db, c.Name)
		var rows []string
		for i, v := range c.Values {
			rows = append(rows, fmt.Sprintf("(%d, %s, 0)", i, v))
		}
		if _, err := db.Exec(context.Background(), "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", ")); err != nil {
			t.Fatal(err)
		}
		for name, read := range identityReaders(db) {
			t.Run(name+" of "+c.Name, func(t *testing.T) {
				in := hostile.Typed{Rows: len(c.Values), Levels: c.Levels, Takes: c.Takes, Read: func(_ testing.TB, s frames.Schema) (frames.Source, error) { return read(s, q) }}
				if c.Name == "bytea" {
					in.Without = map[string]string{hostile.AsCategory: "a level is text", hostile.AsLabel: "a level is text"}
				}
				hostile.RunTyped(t, in)
			})
		}
	}
}
