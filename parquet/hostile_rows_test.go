package parquet_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/hostile"
	"github.com/dpkit-go/dpnb/parquet"
)

// TestHostileRows: rows that no source lets in, in columns that may hold them.
func TestHostileRows(t *testing.T) {
	type row struct {
		X *float64 `parquet:"x,optional"`
		C *string  `parquet:"c,optional"`
		Y *string  `parquet:"y,optional"`
	}
	source := func(read func(path string, s frames.Schema) error) hostile.Source {
		return hostile.Source{Place: func(n int) string { return fmt.Sprint("row ", n) }, Read: func(t testing.TB, s frames.Schema, rows []hostile.Row) error {
			var out []row
			for _, r := range rows {
				out = append(out, row(r))
			}
			return read(write(t, filepath.Join(t.TempDir(), "t.parquet"), out), s)
		}}
	}
	sources := map[string]hostile.Source{
		"Open": source(func(path string, s frames.Schema) error {
			src, err := parquet.Open(path, s)
			if err != nil {
				return err
			}
			return src.Scan(context.Background(), func(*frames.Block) error { return nil })
		}),
		"Read": source(func(path string, s frames.Schema) error { _, err := parquet.Read(path, s); return err }),
	}
	for name, in := range sources {
		t.Run(name, func(t *testing.T) { hostile.Run(t, in) })
	}
	hostile.Covers(t, ".", sources, nil)
}
