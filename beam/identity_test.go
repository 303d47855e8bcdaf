package beam

import (
	"context"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/sqlsource"
)

// TestNoMarkers: where no text stands for a missing cell, workers know that, too.
func TestNoMarkers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	must(0, os.WriteFile(path, []byte("v,x\nNA,0\n?,0\nNaN,0\n"), 0o600))
	for _, c := range []frames.Column{frames.Person("v"), frames.Text("v").MayMiss()} {
		s, o := must(frames.NewSchema(c, frames.Numeric("x", 0, 1))), options("direct")
		o.CSV.Missing = []string{}
		agreed(t, must(Open(t.Context(), path, s, o)), must(frames.OpenCSV(path, s, o.CSV)))
		o.CSV.Missing, o.CSV.MissingIn = nil, map[string][]string{"v": {}}
		agreed(t, must(Open(t.Context(), path, s, o)), must(frames.OpenCSV(path, s, o.CSV)))
	}
}

// halves are texts in two shards, of one text in one.
func halves(texts []string) [][]string {
	if len(texts) < 2 {
		return [][]string{texts}
	}
	return [][]string{texts[:len(texts)/2], texts[len(texts)/2:]}
}

// agreed is a source of this process with what workers found in the same rows: as many people, and
// the same content.
func agreed(t testing.TB, far *frames.Sharded, near frames.Source) frames.Source {
	t.Helper()
	var names []string
	for _, c := range near.Schema().Columns() {
		names = append(names, c.Name)
	}
	key := []byte("a key of the tests, 32 bytes long")
	content := func(src frames.Source) [32]byte {
		return must(must(frames.ContentOf(context.Background(), src)).Fingerprint(key, names...))
	}
	if content(far) != content(near) {
		t.Error("workers read other rows than this process")
	}
	if _, ok := near.Schema().Person(); ok {
		if a, b := must(frames.People(context.Background(), far)), must(frames.People(context.Background(), near)); a != b {
			t.Errorf("workers found %d people, want %d", a, b)
		}
	}
	for _, c := range far.Schema().Columns() { // whose texts a release prints
		of, _ := near.Schema().Column(c.Name)
		if c.Kind != frames.KindText {
			continue
		}
		must(0, near.Scan(context.Background(), func(b *frames.Block) error {
			for i := range b.Rows {
				code := b.X[i*b.Cols]
				if a, ok := c.TextOf(code); !ok || a != first(of.TextOf(code)) {
					t.Errorf("row %d has another text there", b.First+i+1)
				}
			}
			return nil
		}))
	}
	return near
}

func first[T, U any](v T, _ U) T { return v }

// TestIdentities: shards of files and ranges of a query have the people, levels and texts that this
// process reads there, each as itself.
func TestIdentities(t *testing.T) {
	db := database(t)
	must(db.Exec("DROP TABLE IF EXISTS ranged_identities"))
	must(db.Exec("CREATE TABLE ranged_identities (id integer PRIMARY KEY, v text, x double precision)"))
	files := func(extension string, write func(path string, texts []string)) func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
		return func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			folder := t.TempDir()
			for i, texts := range halves(texts) {
				write(filepath.Join(folder, fmt.Sprintf("part-%d%s", i, extension)), texts)
			}
			o := options("direct")
			o.CSV.Missing = []string{} // no text stands for a missing cell
			far, err := Open(t.Context(), filepath.Join(folder, "part-*"+extension), s, o)
			if err != nil {
				return nil, err
			}
			var all []frames.Source
			for _, path := range must(frames.Shards(filepath.Join(folder, "part-*"))) {
				if extension == ".csv" {
					all = append(all, must(frames.OpenCSV(path, s, o.CSV)))
				} else {
					all = append(all, must(frames.Open(path, s)))
				}
			}
			return agreed(t, far, must(frames.Concat(all...))), nil
		}
	}
	type row struct {
		V string  `parquet:"v"`
		X float64 `parquet:"x"`
	}
	loaders := map[string]hostile.Loader{
		"Open": {Read: files(".csv", func(path string, texts []string) {
			file := must(os.Create(path))
			w := csv.NewWriter(file)
			must(0, w.Write([]string{"v", "x"}))
			for _, text := range texts {
				must(0, w.Write([]string{text, "0"}))
			}
			w.Flush()
			must(0, file.Close())
		})},
		"OpenRanges": {Read: func(t testing.TB, s frames.Schema, texts []string) (frames.Source, error) {
			must(db.Exec("DELETE FROM ranged_identities"))
			var rows []string
			var args []any
			for i, text := range texts {
				rows, args = append(rows, fmt.Sprintf("(%d, $%d, 0)", i, i+1)), append(args, text)
			}
			must(db.Exec("INSERT INTO ranged_identities VALUES "+strings.Join(rows, ", "), args...))
			of := Ranges{Driver: "pgx", DSN: dsnEnv, SQL: "SELECT * FROM ranged_identities", Key: []string{"id"}, By: "id"}
			if len(texts) > 1 {
				of.Cuts = []int64{int64(len(texts) / 2)}
			}
			far, err := OpenRanges(t.Context(), of, s, options("direct"))
			if err != nil {
				return nil, err
			}
			var all []frames.Source
			for i := range len(of.Cuts) + 1 {
				all = append(all, must(sqlsource.Open(t.Context(), db, s, of.query(i))))
			}
			return agreed(t, far, must(frames.Concat(all...))), nil
		}},
	}
	for name, in := range loaders {
		t.Run(name, func(t *testing.T) { hostile.RunIdentities(t, in) })
	}
	hostile.Covers(t, ".", loaders, nil)
	t.Run("Open of Parquet", func(t *testing.T) {
		hostile.RunIdentities(t, hostile.Loader{Without: map[string]string{hostile.AsText: "Parquet files are not read for it"}, Read: files(".parquet", func(path string, texts []string) {
			var rows []row
			for _, text := range texts {
				rows = append(rows, row{V: text})
			}
			must(0, pq.WriteFile(path, rows))
		})})
	})
}
