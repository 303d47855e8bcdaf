package beam

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	_ "github.com/dpkit-go/dpnb/parquet" // by the ends of files' names
)

// TestParquet: shards are known again whichever format they have: a release of CSV files replays from Parquet.
func TestParquet(t *testing.T) {
	parts := parted(patients(3000), 3)
	csv, path := write(t, ".csv", parts), ledgerPath(t)
	plan := func(s *dpkit.Session) dpkit.Plan[dpkit.Estimates] {
		return s.Data().OneHot().Impute(dpkit.Mean{}).Scale().Mean(target)
	}
	s := private(t, here(t, csv, classes()), path)
	first := must(plan(s).Release(t.Context()))
	must(0, s.Close())
	for _, extension := range []string{".parquet", ".csv"} {
		s := private(t, must(Open(t.Context(), write(t, extension, parts), classes(), options("direct"))), path)
		again, err := plan(s).Release(t.Context())
		if err != nil || !again.Replayed || again.Entry != first.Entry {
			t.Errorf("%s: got %v, %v", extension, again, err)
		}
		must(0, s.Close())
	}
}

// TestParquetShards: a shard of another schema, that is no Parquet file or that changes is an error with its name, and no cell.
func TestParquetShards(t *testing.T) {
	type other struct {
		Age  float64 `parquet:"age"`
		Ward string  `parquet:"ward"`
		Back string  `parquet:"back"`
	}
	rest := "7731" // a cell
	last := func(pattern string) string { return strings.Replace(pattern, "*", "02", 1) }
	rewrite := func(t *testing.T, pattern string, harm func([]patient) []patient) {
		rows := slices.Clone(must(pq.ReadFile[patient](last(pattern))))
		must(0, pq.WriteFile(last(pattern), harm(rows), pq.MaxRowsPerRowGroup(500)))
	}
	for _, c := range []struct {
		name    string
		harm    func(t *testing.T, pattern string)
		before  bool // it is opened
		want    error
		message string
	}{
		{"a column less", func(t *testing.T, p string) { must(0, pq.WriteFile(last(p), []other{{Ward: "a", Back: "no"}})) }, true, ErrJob, `column "pay"`},
		{"another type", func(t *testing.T, p string) {
			type single struct {
				Age  float32  `parquet:"age"`
				Pay  *float64 `parquet:"pay,optional"`
				Ward string   `parquet:"ward"`
				Back string   `parquet:"back"`
			}
			must(0, pq.WriteFile(last(p), []single{{Age: 1, Ward: "a", Back: "no"}}))
		}, true, frames.ErrSchema, `"age": FLOAT`},
		{"no Parquet", func(t *testing.T, p string) { must(0, os.WriteFile(last(p), []byte("age,ward\n"+rest+",a\n"), 0o600)) }, true, ErrJob, "not a Parquet file"},
		{"out of bounds", func(t *testing.T, p string) {
			rewrite(t, p, func(rows []patient) []patient { rows[3].Age = 7731; return rows })
		}, true, ErrJob, "outside the declared bounds"},
		{"no rows", func(t *testing.T, p string) { rewrite(t, p, func([]patient) []patient { return nil }) }, true, ErrJob, "0 rows"},
		{"a cell changes", func(t *testing.T, p string) {
			rewrite(t, p, func(rows []patient) []patient { rows[3].Age = 50; return rows })
		}, false, frames.ErrChanged, "02.parquet"},
		{"a null more", func(t *testing.T, p string) {
			rewrite(t, p, func(rows []patient) []patient {
				rows[slices.IndexFunc(rows, func(p patient) bool { return p.Pay != nil })].Pay = nil
				return rows
			})
		}, false, frames.ErrChanged, "02.parquet"},
		{"a row less", func(t *testing.T, p string) {
			rewrite(t, p, func(rows []patient) []patient { return rows[1:] })
		}, false, frames.ErrChanged, "02.parquet"},
		{"it is cut", func(t *testing.T, p string) {
			raw := must(os.ReadFile(last(p)))
			must(0, os.WriteFile(last(p), raw[:len(raw)/2], 0o600))
		}, false, frames.ErrChanged, "not a Parquet file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			pattern := write(t, ".parquet", parted(patients(600), 3))
			if c.before {
				c.harm(t, pattern)
			}
			src, err := Open(t.Context(), pattern, classes(), options("direct"))
			if err == nil {
				c.harm(t, pattern)
				d := must(dpkit.Demo(src, 1, dpkit.ReplaceOne))
				_, err = d.Data().Impute(dpkit.Midpoint{}).Select("age", "pay").Mean(target).Release(t.Context())
			}
			if c.before != (src == nil) || !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.message) || strings.Contains(err.Error(), rest) {
				t.Errorf("got %v", err)
			}
		})
	}
	src, err := Open(t.Context(), filepath.Dir(write(t, ".parquet", parted(patients(600), 3))), classes(), options("direct"))
	if err != nil || src.Rows() != 600 {
		t.Errorf("a folder: got %v, %v", src, err)
	}
}
