package pgcopy

import (
	"context"
	"reflect"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// TestTexts: columns of texts come from text, integers and booleans, and the features behind them stay in their places.
func TestTexts(t *testing.T) {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, pgtest.DSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	s, err := frames.NewSchema(frames.Text("code").MayMiss(), frames.Text("padded"), frames.Text("ward"), frames.Text("yes"), frames.Numeric("stay", 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	const rows = "VALUES (1, 'E1', 'ab'::char(4), 7, true, 1.5::float8), (2, NULL, 'cd', 8, false, 2.5)"
	f, err := Read(ctx, pool, s, sqlsource.Query{SQL: "SELECT * FROM (" + rows + ") AS v (id, code, padded, ward, yes, stay)", Key: []string{"id"}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range [][]string{{"E1", "ab", "7", "true", "1.5"}, {"NA", "cd", "8", "false", "2.5"}} {
		if got := frames.Public(f).Row(i); !reflect.DeepEqual(got, want) {
			t.Errorf("row %d: got %q, want %q", i+1, got, want)
		}
	}
}
