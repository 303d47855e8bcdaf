package sqlsource

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/pgtest"
)

// TestTexts: a column of texts is read from text, integers and booleans, beside the features behind it; groups by it are found.
func TestTexts(t *testing.T) {
	ctx := context.Background()
	lite, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer lite.Close()
	databases := map[string]*sql.DB{"SQLite": lite}
	t.Run("PostgreSQL", func(t *testing.T) { databases["PostgreSQL"], err = sql.Open("pgx", pgtest.DSN(t)) })
	for name, db := range databases {
		t.Run(name, func(t *testing.T) {
			var rows []string
			for i := range 900 {
				code := fmt.Sprintf("'E%d'", i%3)
				if i%10 == 0 {
					code = "NULL"
				}
				rows = append(rows, fmt.Sprintf("(%d, %s, %d, %v, %d.5)", i, code, i%2, i%2 == 0, i%10))
			}
			for _, s := range []string{
				"CREATE TABLE v (id integer PRIMARY KEY, code text, ward integer, yes boolean, stay double precision)", "INSERT INTO v VALUES " + strings.Join(rows, ","),
			} {
				if _, err := db.Exec(s); err != nil {
					t.Fatal(err)
				}
			}
			s, err := frames.NewSchema(frames.Text("code").MayMiss(), frames.Text("ward"), frames.Text("yes"), frames.Numeric("stay", 0, 10))
			if err != nil {
				t.Fatal(err)
			}
			q := Query{SQL: "SELECT * FROM v", Key: []string{"id"}}
			f, err := Read(ctx, db, s, q)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := frames.Public(f).Row(1), []string{"E1", "1", "false", "1.5"}; !reflect.DeepEqual(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			src, err := Open(ctx, db, s, q)
			if err != nil {
				t.Fatal(err)
			}
			demo, err := dpkit.Demo(src, 1, dpkit.AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			found, err := demo.Data().By("code", "yes").People().Mean("stay").Found(dpkit.Target{Epsilon: 2, Delta: 1e-6}).Release(ctx)
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"E0", "false"}; len(found.Value.Groups) != 6 || !reflect.DeepEqual(found.Value.Groups[0], want) {
				t.Errorf("found %q", found.Value.Groups)
			}
			q.SQL = "SELECT id, ' E1' AS code, ward, yes, stay FROM v"
			if _, err := Open(ctx, db, s, q); !errors.Is(err, frames.ErrText) || strings.Contains(err.Error(), "E1") {
				t.Errorf("a text with space around it: %v", err)
			}
		})
	}
}
