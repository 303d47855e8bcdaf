package sqlsource

import (
	"context"
	"database/sql"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestSortedBy: rows that a query orders by columns which the schema reads are known to be, of the source and of a frame.
func TestSortedBy(t *testing.T) {
	ctx := context.Background()
	db, err := sql.Open("sqlite", "file:"+filepath.Join(t.TempDir(), "test.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, do := range []string{"CREATE TABLE s (id integer PRIMARY KEY, x real, z real)", "INSERT INTO s VALUES (1, 0.5, 3), (2, 0.25, 1), (3, 0.125, 2)"} {
		if _, err := db.Exec(do); err != nil {
			t.Fatal(err)
		}
	}
	s, err := frames.NewSchema(frames.Numeric("x", 0, 1), frames.Numeric("z", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ key, want []string }{{[]string{"id"}, nil}, {[]string{"x"}, []string{"x"}}, {[]string{"z", "id"}, []string{"z"}}} {
		q := Query{SQL: "SELECT * FROM s", Key: c.key}
		src, err := Open(ctx, db, s, q)
		if err != nil {
			t.Fatal(err)
		}
		frame, err := Read(ctx, db, s, q)
		if err != nil {
			t.Fatal(err)
		}
		for _, of := range []frames.Source{src, frame} {
			if got := frames.SortedBy(of); !slices.Equal(got, c.want) {
				t.Errorf("key %q, %T: got %q, want %q", c.key, of, got, c.want)
			}
		}
	}
}
