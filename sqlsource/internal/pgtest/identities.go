package pgtest

import (
	"database/sql"
	"testing"

	"github.com/dpkit-go/dpnb/internal/hostile"
)

// Type is a type of PostgreSQL, with values of it that differ.
type Type struct {
	Name   string
	Before string   // a statement that makes the type
	Values []string // in SQL
	Levels []string // all spellings of the values
	Takes  []string // kinds of columns that it is read as
}

// Make makes the type, where it is none of the server's.
func (c Type) Make(t testing.TB, db *sql.DB) {
	t.Helper()
	if c.Before != "" {
		Do(t, db, "DROP TYPE IF EXISTS "+c.Name+" CASCADE", c.Before)
	}
}

// Types are those that a column of identifiers may have.
func Types() []Type {
	all := []string{hostile.AsPerson, hostile.AsCategory, hostile.AsLabel, hostile.AsText}
	levels := all[1:]
	return []Type{
		{
			"bigint", "",
			[]string{"9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775806", "-9223372036854775808", "0"},
			[]string{"9007199254740992", "9007199254740993", "9223372036854775807", "9223372036854775806", "-9223372036854775808", "0"},
			all,
		},
		{"integer", "", []string{"2147483647", "-1", "7"}, []string{"2147483647", "-1", "7"}, all},
		{"smallint", "", []string{"32767", "-1", "7"}, []string{"32767", "-1", "7"}, all},
		{"oid", "", []string{"4294967295", "2147483648", "7"}, []string{"4294967295", "2147483648", "7"}, all},
		{"boolean", "", []string{"true", "false"}, []string{"true", "false", "1", "0", "t", "f"}, levels},
		{
			"uuid", "",
			[]string{"'6ba7b810-9dad-11d1-80b4-00c04fd430c8'", "'6ba7b810-9dad-11d1-80b4-00c04fd430c9'"},
			[]string{"6ba7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c9"},
			all,
		},
		{"varchar(20)", "", []string{"'7'", "'07'", "'a'", "'A'"}, []string{"7", "07", "a", "A"}, all},
		{"char(5)", "", []string{"'7'", "'07'", "'a'", "'A'", "'a b'"}, []string{"7", "07", "a", "A", "a b"}, all}, // padded with space that means nothing
		{"name", "", []string{"'a'", "'A'"}, []string{"a", "A"}, all},
		{"wards", "CREATE TYPE wards AS ENUM ('a', 'A', '7', '07')", []string{"'a'", "'A'", "'7'", "'07'"}, []string{"a", "A", "7", "07"}, all},
		{"numbered", "CREATE DOMAIN numbered AS bigint", []string{"9007199254740992", "9007199254740993"}, []string{"9007199254740992", "9007199254740993"}, all},

		{"numeric", "", []string{"1", "1.0000000000000000001", "9007199254740993", "9007199254740992"}, []string{"1", "1.0000000000000000001", "9007199254740993", "9007199254740992"}, nil},
		{"numeric(20,0)", "", []string{"18000000000000000001", "18000000000000000002"}, []string{"18000000000000000001", "18000000000000000002"}, nil},
		{"double precision", "", []string{"1", "1.5", "9007199254740992", "9007199254740994"}, []string{"1", "1.5", "9007199254740992", "9007199254740994", "9.007199254740992e+15", "9.007199254740994e+15"}, nil},
		{"real", "", []string{"1", "1.5", "16777216", "16777218"}, []string{"1", "1.5", "16777216", "16777218", "1.6777216e+07"}, nil},
		{"date", "", []string{"'2024-01-31'", "'2024-02-01'"}, []string{"2024-01-31", "2024-02-01"}, nil},
		{"timestamp", "", []string{"'2024-01-31'", "'2024-01-31 12:00'"}, []string{"2024-01-31", "2024-01-31 12:00:00"}, nil},
		{"timestamptz", "", []string{"'2024-01-31Z'", "'2024-01-31 12:00Z'"}, []string{"2024-01-31", "2024-01-31 12:00:00"}, nil},
	}
}
