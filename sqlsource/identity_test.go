package sqlsource

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// identityReaders are the sources of this package, of a query on a database.
func identityReaders(db *sql.DB) map[string]func(s frames.Schema, q Query) (frames.Source, error) {
	ctx := context.Background()
	return map[string]func(s frames.Schema, q Query) (frames.Source, error){
		"Open": func(s frames.Schema, q Query) (frames.Source, error) { return asSource(Open(ctx, db, s, q)) },
		"Read": func(s frames.Schema, q Query) (frames.Source, error) { return asSource(Read(ctx, db, s, q)) },
		"OpenAs": func(s frames.Schema, q Query) (frames.Source, error) {
			src, err := Open(ctx, db, s, q)
			if err != nil {
				return nil, err
			}
			told, err := frames.Opened(ctx, src)
			if err != nil {
				return nil, err
			}
			return asSource(OpenAs(ctx, db, s, q, told))
		},
	}
}

// asSource drops a pointer that an error comes with.
func asSource[S frames.Source](src S, err error) (frames.Source, error) {
	if err != nil {
		return nil, err
	}
	return src, nil
}

// identityTable makes an empty table with a column of a type, and is what reads it. Of a table that
// was another before the server keeps plans.
func identityTable(t testing.TB, db *sql.DB, of string) (name string, q Query) {
	t.Helper()
	name = fmt.Sprintf("identities%d", identityTables.Add(1))
	pgtest.Do(t, db, "CREATE TABLE "+name+" (id integer PRIMARY KEY, v "+of+", x double precision)")
	return name, Query{SQL: "SELECT * FROM " + name, Key: []string{"id"}}
}

var identityTables atomic.Int64

// hasty is a database that need not outlive a crash.
func hasty(t testing.TB, name string) *sql.DB {
	t.Helper()
	db := database(t, name)
	if name == "SQLite" {
		db.SetMaxOpenConns(1) // to which alone a pragma goes
		pgtest.Do(t, db, "PRAGMA synchronous = OFF", "PRAGMA journal_mode = MEMORY")
	}
	return db
}

// TestIdentities: no reader makes one person, level or text of two.
func TestIdentities(t *testing.T) {
	loaders := func(db *sql.DB) map[string]hostile.Loader {
		out := map[string]hostile.Loader{}
		table, q := "", Query{}
		if db != nil { // one table: the server counts what it takes for each, which other tests read
			table, q = identityTable(t, db, "text")
		}
		for name, read := range identityReaders(db) {
			out[name] = hostile.Loader{Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
				pgtest.Do(t, db, "DELETE FROM "+table)
				var rows []string
				var args []any
				for i, text := range texts {
					rows, args = append(rows, fmt.Sprintf("(%d, $%d, 0)", i, i+1)), append(args, text)
				}
				if _, err := db.Exec("INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "), args...); err != nil {
					t.Fatal(err)
				}
				return read(s, q)
			}}
		}
		return out
	}
	for _, name := range []string{"SQLite", "PostgreSQL"} {
		t.Run(name, func(t *testing.T) {
			for name, in := range loaders(hasty(t, name)) {
				t.Run(name, func(t *testing.T) { hostile.RunIdentities(t, in) })
			}
		})
	}
	hostile.Covers(t, ".", loaders(nil), nil)
}

// TestIdentitiesOfTypes: a column of another type than text is identifiers by its one spelling, or
// is refused.
func TestIdentitiesOfTypes(t *testing.T) {
	all := []string{hostile.AsPerson, hostile.AsCategory, hostile.AsLabel, hostile.AsText}
	lite := []pgtest.Type{ // whose columns hold whatever they are given
		{Name: "integer", Values: []string{"9007199254740992", "9007199254740993", "9223372036854775807", "'a'", "'007'"}, Levels: []string{"9007199254740992", "9007199254740993", "9223372036854775807", "a", "7"}, Takes: all},
		{Name: "bigint", Values: []string{"9007199254740992", "9007199254740993", "-1"}, Levels: []string{"9007199254740992", "9007199254740993", "-1"}, Takes: all},
		{Name: "integer", Values: []string{"18000000000000000001", "18000000000000000002"}, Levels: []string{"18000000000000000001", "18000000000000000002"}},
		{Name: "decimal(20,0)", Values: []string{"9007199254740992", "9007199254740993"}, Levels: []string{"9007199254740992", "9007199254740993"}, Takes: all[:3]},
		{Name: "decimal(20,0)", Values: []string{"'18000000000000000001'", "'18000000000000000002'"}, Levels: []string{"18000000000000000001", "18000000000000000002"}},
		{Name: "real", Values: []string{"1", "9007199254740993", "9007199254740992"}, Levels: []string{"1", "9007199254740992", "9007199254740993"}},
		{Name: "real", Values: []string{"'a'", "'b'"}, Levels: []string{"a", "b"}},
		{Name: "", Values: []string{"1", "1.5", "9007199254740993"}, Levels: []string{"1", "1.5", "9007199254740993"}},
		{Name: "", Values: []string{"'1'", "'01'", "9007199254740993", "9007199254740992"}, Levels: []string{"1", "01", "9007199254740993", "9007199254740992"}, Takes: all},
		{Name: "boolean", Values: []string{"1", "0"}, Levels: []string{"true", "false", "1", "0"}, Takes: all[1:]},
		{Name: "timestamp", Values: []string{"'2024-01-31 00:00:00'", "'2024-01-31 12:00:00'"}, Levels: []string{"2024-01-31", "2024-01-31 12:00:00", "2024-01-31 00:00:00"}},
		{Name: "text COLLATE NOCASE", Values: []string{"'a'", "'A'"}, Levels: []string{"a", "A"}, Takes: all},
		{Name: "text COLLATE RTRIM", Values: []string{"'a b'", "'ab'"}, Levels: []string{"a b", "ab"}, Takes: all},
	}
	for name, types := range map[string][]pgtest.Type{"SQLite": lite, "PostgreSQL": pgtest.Types()} {
		t.Run(name, func(t *testing.T) {
			db := hasty(t, name)
			for _, c := range types {
				c.Make(t, db)
				table, q := identityTable(t, db, c.Name)
				var rows []string
				for i, v := range c.Values {
					rows = append(rows, fmt.Sprintf("(%d, %s, 0)", i, v))
				}
				pgtest.Do(t, db, "INSERT INTO "+table+" VALUES "+strings.Join(rows, ", "))
				for reader, read := range identityReaders(db) {
					t.Run(reader+" of "+c.Name, func(t *testing.T) {
						hostile.RunTyped(t, hostile.Typed{Rows: len(c.Values), Levels: c.Levels, Takes: c.Takes, Read: func(_ testing.TB, s frames.Schema) (frames.Source, error) {
							return read(s, q)
						}})
					})
				}
			}
		})
	}
}
