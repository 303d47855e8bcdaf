package parquet_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
	pq "github.com/parquet-go/parquet-go"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/parquet"
)

// released is the means of two columns, by a demonstration.
func released(t testing.TB) dpkit.Estimates {
	t.Helper()
	s, err := frames.NewSchema(frames.Numeric("age", 0, 120), frames.Numeric("pay", 0, 10))
	if err != nil {
		t.Fatal(err)
	}
	b := frames.Block{Rows: 500, Cols: 2}
	for i := range b.Rows {
		b.X = append(b.X, float64(i%100), float64(i%7))
	}
	f, err := frames.FromBlock(s, &b)
	if err != nil {
		t.Fatal(err)
	}
	session, err := dpkit.Demo(f, 1, dpkit.ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	r, err := session.Data().Mean(dpkit.Target{Epsilon: 1, Delta: 1e-6}).Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r.Value
}

// read returns the columns, rows as text and metadata of a file.
func read(t *testing.T, path string) (columns []string, rows []string, meta func(string) string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := pq.OpenFile(strings.NewReader(string(content)), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range f.Root().Columns() {
		columns = append(columns, fmt.Sprint(c.Name(), " ", c.Type()))
	}
	for _, g := range f.RowGroups() {
		r := g.Rows()
		defer r.Close()
		buf := make([]pq.Row, 100)
		n, _ := r.ReadRows(buf)
		for _, row := range buf[:n] {
			var cells []string
			for _, v := range row {
				cells = append(cells, v.String())
			}
			rows = append(rows, strings.Join(cells, "|"))
		}
	}
	return columns, rows, func(key string) string { v, _ := f.Lookup(key); return v }
}

// TestWrite: a released value reads back as its frame, in the order of its columns, and the file says what it promises.
func TestWrite(t *testing.T) {
	e := released(t)
	path := filepath.Join(t.TempDir(), "means.parquet")
	if err := parquet.Write(path, e); err != nil {
		t.Fatal(err)
	}
	columns, rows, meta := read(t, path)
	if got := strings.Join(columns, ", "); got != "of STRING, name STRING, value DOUBLE, low DOUBLE, high DOUBLE, epsilon DOUBLE, delta DOUBLE, unit STRING, entry STRING, promise STRING" {
		t.Errorf("got columns %s", got)
	}
	if len(rows) != 2 || !strings.HasPrefix(rows[0], fmt.Sprintf("mean|age|%v|", e.Values[0])) || !strings.HasSuffix(rows[0], e.Promise()) {
		t.Errorf("got rows %q", rows)
	}
	var p dpkit.Provenance
	if err := json.Unmarshal([]byte(meta(parquet.KeyProvenance)), &p); err != nil || meta(parquet.KeyPromise) != e.Promise() || p.Promise() != e.Promise() {
		t.Errorf("the metadata says %q and %q, %v", meta(parquet.KeyPromise), meta(parquet.KeyProvenance), err)
	}
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
	if err := parquet.Write(filepath.Join(t.TempDir(), "no", "folder.parquet"), e); err == nil {
		t.Error("no folder, and no error")
	}
	if err := parquet.Write(path, nil); !errors.Is(err, frames.ErrOptions) {
		t.Errorf("nothing: got %v", err)
	}
}

// TestWriteGota keeps every type, and refuses rows that promise nothing.
func TestWriteGota(t *testing.T) {
	promise := series.New([]string{"p", "p", "q"}, series.String, "promise")
	df := dataframe.New(series.New([]float64{1, math.NaN(), math.Inf(1)}, series.Float, "z"), series.New([]int{7, -1, 0}, series.Int, "a"), series.New([]bool{true, false, true}, series.Bool, "b"), promise)
	path := filepath.Join(t.TempDir(), "t.parquet")
	if err := parquet.WriteGota(path, df); err != nil {
		t.Fatal(err)
	}
	columns, rows, meta := read(t, path)
	if fmt.Sprint(columns) != "[z DOUBLE a INT(64,true) b BOOLEAN promise STRING]" || fmt.Sprint(rows) != "[1|7|true|p <null>|-1|false|p +Inf|0|true|q]" || meta(parquet.KeyPromise) != "p\nq" {
		t.Errorf("got %s, %s and %q", columns, rows, meta(parquet.KeyPromise))
	}
	public := func() dataframe.DataFrame {
		f, err := frames.FromBlock(smallSchema(t), &frames.Block{Rows: 1, Cols: 2, X: []float64{1, 0}})
		if err != nil {
			t.Fatal(err)
		}
		return frames.Public(f).Gota()
	}()
	for name, c := range map[string]struct {
		df dataframe.DataFrame
		is error
	}{
		"rows":          {public, frames.ErrPrivate},
		"an empty one":  {dataframe.New(series.New([]string{"p", ""}, series.String, "promise")), frames.ErrPrivate},
		"a missing one": {dataframe.New(series.New([]string{"p", "NaN"}, series.String, "promise")), frames.ErrPrivate},
		"an error":      {dataframe.DataFrame{Err: errors.New("x")}, frames.ErrOptions},
	} {
		if err := parquet.WriteGota(path, c.df); !errors.Is(err, c.is) {
			t.Errorf("%s: got %v, want %v", name, err, c.is)
		}
	}
}
