package beam

import (
	"errors"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// TestRangesInOrder: rows that are parted or ordered by a column of the schema have no places that a split could go by.
func TestRangesInOrder(t *testing.T) {
	db := database(t)
	must(db.Exec("DROP TABLE IF EXISTS aged"))
	must(db.Exec("CREATE TABLE aged AS SELECT i AS id, 1000 - i AS serial, i % 70 AS age FROM generate_series(1, 200) AS i"))
	s := must(frames.NewSchema(frames.Numeric("age", 0, 120)))
	for _, c := range []struct {
		name, by string
		key      []string
		cuts     []int64
		want     error
	}{
		{"by neither", "serial", []string{"id"}, []int64{900}, nil},
		{"a key", "serial", []string{"age", "id"}, []int64{900}, dpkit.ErrOrder},
		{"ranges", "age", []string{"id"}, []int64{35}, dpkit.ErrOrder},
	} {
		src := must(OpenRanges(t.Context(), Ranges{Driver: "pgx", DSN: dsnEnv, SQL: "SELECT * FROM aged", Key: c.key, By: c.by, Cuts: c.cuts}, s, options("direct")))
		train, _ := must(dpkit.Demo(src, 3, dpkit.ReplaceOne)).Data().Holdout(0.3)
		if _, err := train.Mean(target).Cost(); !errors.Is(err, c.want) || err == nil != (c.want == nil) {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
}
