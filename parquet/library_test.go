package parquet_test

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/parquet"
)

// library is the folder of files by Spark, Impala, Arrow and others that the library is tested with: parquet-go's own and those of
// apache/parquet-testing. It stands in the module cache.
func library(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/parquet-go/parquet-go").Output()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(out)), "testdata")
}

// TestLibraryAgrees: numbers, texts and booleans of files by other programs are what the library reads out of them.
func TestLibraryAgrees(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(library(t), "*.parquet"))
	if err != nil || len(files) < 20 {
		t.Fatalf("found %d files, %v", len(files), err)
	}
	columns := 0
	for _, path := range files {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		info, err := file.Stat()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() > 2<<20 {
			file.Close()
			continue
		}
		f, err := pq.OpenFile(file, info.Size())
		if err != nil {
			t.Logf("%s: the library says %v", filepath.Base(path), err)
			file.Close()
			continue
		}
		for _, c := range f.Root().Columns() {
			if !c.Leaf() || c.Repeated() {
				continue
			}
			if want, ok := column(t, f, c.Index()); ok && len(want) > 0 {
				columns++
				same(t, path, c, want)
			}
		}
		file.Close()
	}
	if columns < 100 {
		t.Errorf("compared %d columns", columns)
	}
}

// column is what the library reads.
func column(t *testing.T, f *pq.File, index int) (all []pq.Value, ok bool) {
	t.Helper()
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		buf := make([]pq.Row, 100)
		for {
			n, err := rows.ReadRows(buf)
			for _, row := range buf[:n] {
				for _, v := range row {
					if v.Column() == index {
						all = append(all, v.Clone())
					}
				}
			}
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Logf("the library says %v", err)
				return nil, false
			}
		}
		rows.Close()
	}
	return all, true
}

// same opens one column and compares it.
func same(t *testing.T, path string, c *pq.Column, want []pq.Value) {
	t.Helper()
	file := filepath.Base(path)
	logical := ""
	if l := c.Type().LogicalType(); l != nil {
		logical = fmt.Sprint(l)
	}
	number := func(v pq.Value) (float64, bool) {
		switch v.Kind() {
		case pq.Boolean:
			if v.Boolean() {
				return 1, true
			}
			return 0, true
		case pq.Int32:
			return float64(v.Int32()), true
		case pq.Int64:
			return float64(v.Int64()), true
		case pq.Float:
			return float64(v.Float()), true
		case pq.Double:
			return v.Double(), true
		}
		return 0, false
	}
	texts := map[string]int{}
	numeric, missing := true, 0
	for _, v := range want {
		if v.IsNull() {
			missing++
			continue
		}
		_, ok := number(v)
		numeric = numeric && ok
		texts[v.String()]++
	}
	if missing == len(want) || strings.Contains(logical, "DECIMAL") || strings.Contains(logical, "TIME") || strings.Contains(logical, "DATE") || c.Type().Kind() == pq.Int96 {
		return
	}
	schema, err := frames.NewSchema(frames.Unbounded(c.Name()).MayMiss())
	if !numeric {
		var levels []string
		for l := range texts {
			levels = append(levels, l)
		}
		schema, err = frames.NewSchema(frames.Category(c.Name(), append(levels, "what is not there", "nor this")...).MayMiss())
	}
	if err != nil {
		t.Logf("%s, %s: no schema takes it: %v", file, c.Name(), err)
		return
	}
	src, err := parquet.Open(path, schema)
	if err != nil {
		t.Errorf("%s, %s (%s, %d rows): %v", file, c.Name(), c.Type(), len(want), err)
		return
	}
	i := 0
	err = src.Scan(t.Context(), func(b *frames.Block) error {
		for _, x := range b.X {
			v := want[i]
			i++
			switch {
			case v.IsNull() != math.IsNaN(x):
				if y, ok := number(v); !ok || !math.IsNaN(y) {
					return fmt.Errorf("row %d: missing is %v, want %v", i, math.IsNaN(x), v.IsNull())
				}
			case v.IsNull():
			case numeric:
				if y, _ := number(v); y != x && !(math.IsNaN(x) && math.IsNaN(y)) {
					return fmt.Errorf("row %d: got %v, want %v", i, x, y)
				}
			default:
				if got := schema.Columns()[0].Levels[int(x)]; got != v.String() {
					return fmt.Errorf("row %d: got %q, want %q", i, got, v.String())
				}
			}
		}
		return nil
	})
	if err != nil || i != len(want) {
		t.Errorf("%s, %s: %d of %d rows: %v", file, c.Name(), i, len(want), err)
	}
}
